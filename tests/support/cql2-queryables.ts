import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { TestApp } from './app.ts'
import { createTestApp } from './app.ts'
import { askFilter, cql2Collections, cql2Predicates, cql2Stores, loadCql2, unpackCql2 } from './cql2-data.ts'
import { temporaryFolder } from './temporary-files.ts'
import { ask } from './version-client.ts'

/** Numbers of items in the collections. */
const items: Record<(typeof cql2Collections)[number], number> = {
  ne_110m_admin_0_countries: 177,
  ne_110m_populated_places_simple: 243,
  ne_110m_rivers_lake_centerlines: 13,
}

interface Queryable {
  name: string
  kind: 'text' | 'number' | 'integer' | 'boolean' | 'date' | 'timestamp' | 'geometry'
}

/** Values with which the suite compares properties of each type. */
const values: Record<Exclude<Queryable['kind'], 'geometry'>, string> = {
  text: "'foo'",
  boolean: 'true',
  number: '3.14',
  integer: '1',
  timestamp: "TIMESTAMP('2022-04-14T14:48:46Z')",
  date: "DATE('2022-04-14')",
}
const opposites = [
  ['=', '<>'],
  ['>', '<='],
  ['<', '>='],
] as const

export interface QueryableTests {
  /** Of each type in each layer. */
  queryables: number
  /** Combinations of filters for each layer. */
  combinations: number
  /** Selects the queryables where a layer has more of a type. */
  seed?: number
}

/** Declares the abstract tests of CQL2 for queryables of each layer in each store. */
export function testQueryables({ queryables: mostOfKind, combinations, seed = 0 }: QueryableTests): void {
  let server: TestApp
  const cleanups: (() => unknown)[] = []
  const counts = new Map<string, Promise<number>>()

  before(async () => {
    server = await createTestApp()
    const folder = temporaryFolder({ after: (cleanup) => void cleanups.push(cleanup as () => unknown) })
    await unpackCql2(folder)
    await loadCql2(server, folder)
  })
  after(async () => {
    for (const cleanup of cleanups) await cleanup()
    await server.close()
  })

  /** Returns the number of items that match a text filter. */
  function count(layer: string, filter: string): Promise<number> {
    const key = `${layer} ${filter}`
    const known = counts.get(key)
    if (known !== undefined) return known
    const requested = askFilter(server, layer, filter).then(({ status, text, json }) => {
      assert.equal(status, 200, `${key}: ${text}`)
      return Number(json['numberMatched'])
    })
    counts.set(key, requested)
    return requested
  }

  async function refuses(layer: string, filter: string): Promise<void> {
    const { status, json } = await askFilter(server, layer, filter)
    assert.deepEqual([status, json['code']], [400, 'invalid-filter'], `${layer} ${filter}`)
  }

  async function disjoint(layer: string, one: string, other: string): Promise<void> {
    assert.equal(await count(layer, `(${one}) AND (${other})`), 0, `${layer} ${one} ${other}`)
    await count(layer, one)
    await count(layer, other)
  }

  async function same(layer: string, one: string, other: string): Promise<void> {
    const both = await count(layer, `(${one}) AND (${other})`)
    assert.deepEqual([await count(layer, one), await count(layer, other)], [both, both], `${one} ${other}`)
  }

  async function queryables(layer: string): Promise<Queryable[]> {
    const { json } = await ask(server, 'GET', `/ogc/collections/default:${layer}/queryables`)
    const properties = json['properties'] as unknown as Record<string, { type?: string; format?: string }>
    return Object.entries(properties).map(([name, { type, format = '' }]) => {
      if (format.startsWith('geometry-')) return { name, kind: 'geometry' }
      if (format === 'date' || format === 'date-time')
        return { name, kind: format === 'date' ? 'date' : 'timestamp' }
      assert.ok(type === 'string' || type === 'number' || type === 'integer' || type === 'boolean', name)
      return { name, kind: type === 'string' ? 'text' : type }
    })
  }

  /** Returns neighbours in the list; the seed selects the first. */
  function chosenOf(list: readonly Queryable[]): Queryable[] {
    const first = seed % Math.max(1, list.length)
    return [...list.slice(first), ...list.slice(0, first)].slice(0, mostOfKind)
  }

  /** Calls `test` for the chosen queryables of each collection in each store, the name in quotes. */
  async function each(
    kinds: readonly string[],
    test: (layer: string, name: string, kind: string) => unknown,
  ) {
    let tested = 0
    for (const store of cql2Stores)
      for (const collection of cql2Collections) {
        const layer = `${store}_${collection}`
        const all = Map.groupBy(await queryables(layer), ({ kind }) => kind)
        for (const kind of kinds)
          for (const { name } of chosenOf(all.get(kind as Queryable['kind']) ?? [])) {
            tested += 1
            await test(layer, `"${name}"`, kind)
          }
      }
    assert.ok(tested > 0)
  }

  const scalars = Object.keys(values)
  const literal = (kind: string): string => values[kind as keyof typeof values]

  it('/conf/basic-cql2/basic-test: each collection has queryables, and each of them a type', async () => {
    for (const collection of cql2Collections) {
      const kinds = (await queryables(`file_${collection}`)).map(({ kind }) => kind)
      assert.ok(kinds.includes('geometry') && kinds.some((kind) => kind !== 'geometry'), collection)
      assert.deepEqual(await queryables(`table_${collection}`), await queryables(`file_${collection}`))
    }
  })

  it('/conf/basic-cql2/comparison: opposite comparisons have no item in common', async () => {
    await each(scalars, async (layer, name, kind) => {
      for (const [one, other] of opposites)
        await disjoint(layer, `${name} ${one} ${literal(kind)}`, `${name} ${other} ${literal(kind)}`)
    })
  })

  it('/conf/basic-cql2/is-null: is null and is not null have no item in common', async () => {
    await each([...scalars, 'geometry'], async (layer, name) => {
      await disjoint(layer, `${name} IS NULL`, `${name} is not null`)
      assert.equal(await count(layer, `${name} IS NULL OR ${name} IS NOT NULL`), await count(layer, 'true'))
    })
  })

  it('/conf/basic-cql2/boolean: true is all, false nothing', async () => {
    for (const store of cql2Stores)
      for (const collection of cql2Collections) {
        assert.equal(await count(`${store}_${collection}`, 'true'), items[collection])
        assert.equal(await count(`${store}_${collection}`, 'false'), 0)
      }
  })

  it('/conf/advanced-comparison-operators/like, between, in', async () => {
    await each(['text'], async (layer, name) => {
      await disjoint(layer, `${name} like '_%'`, `${name} like ''`)
      await same(layer, `${name} LIKE '%'`, `${name} like '%%'`)
      for (const one of ["like '\\%\\_'", "like '\\\\%\\\\_'", "in ('foo', 'bar')"])
        assert.equal(await count(layer, `${name} ${one}`), 0)
    })
    await each(['number', 'integer'], async (layer, name) => {
      await count(layer, `${name} BETWEEN 0 AND 100`)
      assert.equal(await count(layer, `${name} between 100.0 and 1.0`), 0)
      await same(layer, `${name} IN (1, 2, 3)`, `${name} = 1 OR ${name} = 2 OR ${name} = 3`)
    })
    await each(['boolean'], (layer, name) => same(layer, `${name} in (true)`, `${name} = true`))
    await each(['timestamp'], (layer, name) =>
      count(layer, `${name} in ('2022-04-14T14:52:56Z', '2022-04-14T15:52:56Z')`),
    )
    await each(['date'], (layer, name) => count(layer, `${name} in ('2022-04-14', '2022-04-15')`))
  })

  it('/conf/case-insensitive-comparison/casei, casei-like', async () => {
    await each(['text'], async (layer, name) => {
      await disjoint(layer, `CASEI(${name}) = casei('foo')`, `CASEI(${name}) <> casei('FOO')`)
      await same(layer, `CASEI(${name}) LIKE casei('foo%')`, `CASEI(${name}) LIKE casei('FOO%')`)
    })
  })

  it('/conf/accent-insensitive-comparison/accenti, accenti-like, accenti-casei, accenti-casei-like', async () => {
    await each(['text'], async (layer, name) => {
      await disjoint(layer, `ACCENTI(${name}) = accenti('äöüéáí')`, `ACCENTI(${name}) <> accenti('aoueai')`)
      const both = `ACCENTI(CASEI(${name}))`
      await same(layer, `ACCENTI(${name}) LIKE accenti('Ä%')`, `ACCENTI(${name}) LIKE accenti('A%')`)
      await same(layer, `${both} = accenti(casei('ÄÉ'))`, `${both} = accenti(casei('ae'))`)
      await same(layer, `${both} LIKE accenti(casei('Ä%'))`, `${both} LIKE accenti(casei('a%'))`)
    })
  })

  it('/conf/basic-spatial-functions/s_intersects, and with additional spatial literals', async () => {
    const polygon =
      '(-180 -90, -90 -90, -90 90, -180 90, -180 -90), (-120 -50, -100 -50, -100 -40, -120 -40, -120 -50)'
    await each(['geometry'], async (layer, name) => {
      for (const place of ['POINT(90 180)', 'MULTIPOINT(7.02 49.92, 90 180)'])
        await refuses(layer, `S_INTERSECTS(${name},${place})`)
      assert.equal(
        await count(layer, `S_INTERSECTS(${name},BBOX(-180,-90,180,90))`),
        await count(layer, 'true'),
      )
      await count(
        layer,
        `S_INTERSECTS(${name},BBOX(-180,-90,-90,90)) AND S_INTERSECTS(${name},BBOX(90,-90,180,90))`,
      )
      for (const place of [
        'POINT(7.02 49.92)',
        'LINESTRING(-180 -45, 0 -45)',
        'MULTILINESTRING((-180 -45, 0 -45), (0 45, 180 45))',
        `POLYGON(${polygon})`,
        `MULTIPOLYGON((${polygon}),((0 0, 10 0, 10 10, 0 10, 0 0)))`,
        'GEOMETRYCOLLECTION(POINT(7.02 49.92), POLYGON((0 0, 10 0, 10 10, 0 10, 0 0)))',
      ])
        await disjoint(layer, `S_INTERSECTS(${name},${place})`, `S_DISJOINT(${name},${place})`)
    })
  })

  it('/conf/spatial-functions/s_disjoint, s_equals, s_touches, s_crosses, s_within, s_contains, s_overlaps', async () => {
    const world = 'POLYGON((-180 -90,180 -90,180 90,-180 90,-180 -90))'
    const [box, line] = ['BBOX(-180,-90,180,90)', 'LINESTRING(7 50,10 51)']
    await each(['geometry'], async (layer, name) => {
      await refuses(layer, `S_DISJOINT(${name},POINT(90 180))`)
      for (const place of [box, world]) assert.equal(await count(layer, `S_DISJOINT(${name},${place})`), 0)
      for (const relation of ['EQUALS', 'TOUCHES', 'WITHIN', 'CONTAINS', 'CROSSES', 'OVERLAPS']) {
        await same(layer, `S_${relation}(${name},${box})`, `S_${relation}(${name},${world})`)
        for (const place of [line, 'POINT(7.02 49.92)', 'MULTIPOINT(7 50,10 51)'])
          await count(layer, `S_${relation}(${name},${place})`)
      }
      for (const place of [box, line, 'MULTIPOINT(7 50,10 51)'])
        await disjoint(layer, `S_WITHIN(${name},${place})`, `S_CONTAINS(${name},${place})`)
    })
  })

  it('/conf/temporal-functions/temporal-functions-1 and -2', async () => {
    const instant = { timestamp: "TIMESTAMP('2022-04-24T07:59:57Z')", date: "DATE('2022-04-24')" }
    const year = {
      timestamp: "INTERVAL('2021-01-01T00:00:00Z','2021-12-31T23:59:59Z')",
      date: "INTERVAL('2021-01-01','2021-12-31')",
    }
    const ofAll = ['AFTER', 'BEFORE', 'DISJOINT', 'EQUALS', 'INTERSECTS']
    const ofIntervals = ['CONTAINS', 'DURING', 'FINISHEDBY', 'FINISHES', 'MEETS', 'METBY', 'OVERLAPPEDBY']
    for (const kind of ['timestamp', 'date'] as const)
      await each([kind], async (layer, name) => {
        for (const time of [instant[kind], year[kind]]) {
          for (const relation of ofAll) await count(layer, `T_${relation}(${name},${time})`)
          await disjoint(layer, `T_AFTER(${name},${time})`, `T_BEFORE(${name},${time})`)
          await disjoint(layer, `T_DISJOINT(${name},${time})`, `T_INTERSECTS(${name},${time})`)
        }
        for (const relation of [...ofAll, ...ofIntervals, 'OVERLAPS', 'STARTEDBY', 'STARTS'])
          for (const other of (await queryables(layer)).filter((one) => one.kind === kind))
            await count(layer, `T_${relation}(INTERVAL(${name},"${other.name}"),${year[kind]})`)
      })
  })

  it('/conf/property-property/comparison-value-property, -property-property and -value-value', async () => {
    const isEqual = ['=', '>=', '<=']
    await each(scalars, async (layer, name, kind) => {
      for (const [one, other] of opposites)
        await disjoint(layer, `${literal(kind)} ${one} ${name}`, `${literal(kind)} ${other} ${name}`)
      const known = await count(layer, `${name} IS NOT NULL`)
      for (const op of ['=', '<>', '>', '<', '>=', '<='])
        assert.equal(await count(layer, `${name} ${op} ${name}`), isEqual.includes(op) ? known : 0, name)
    })
    for (const store of cql2Stores)
      for (const collection of cql2Collections)
        for (const value of Object.values(values))
          for (const op of ['=', '<>', '>', '<', '>=', '<=']) {
            const layer = `${store}_${collection}`
            const all = isEqual.includes(op) ? await count(layer, 'true') : 0
            assert.equal(await count(layer, `${value} ${op} ${value}`), all, `${value} ${op} ${value}`)
          }
  })

  it('/conf/arithmetic/arithmetic: expressions of each number have a value wherever it has one', async () => {
    await each(['number', 'integer'], async (layer, name) => {
      const present = await count(layer, `${name} IS NOT NULL`)
      for (const expression of [
        `${name} + 1 - 1`,
        `2 * -${name}`,
        `${name} / 2`,
        `${name} div 2`,
        `${name} % 7`,
        `(${name} - 3) ^ 2`,
        `LENGTH('abc') * ABS(${name})`,
      ]) {
        assert.equal(await count(layer, `(${expression}) IS NOT NULL`), present, `${layer} ${expression}`)
        for (const [op, opposite] of opposites)
          await disjoint(layer, `${expression} ${op} ${name}`, `${expression} ${opposite} ${name}`)
      }
      assert.equal(await count(layer, `${name} / 0 IS NULL`), await count(layer, 'TRUE'))
      assert.equal(await count(layer, `${name} / 0 = 1 OR NOT (${name} / 0 = 1)`), 0)
      await same(layer, `${name} * 2 BETWEEN 2 AND 20000`, `${name} BETWEEN 2 / 2 AND 10 ^ 4`)
      await same(layer, `${name} + 1 IN (1, 3 * 7)`, `${name} IN (0, 20)`)
    })
  })

  it('/conf/functions/functions, /req/functions/get-functions-response-json: each function that is listed is true to its types', async () => {
    const { status, json } = await ask(server, 'GET', '/ogc/functions')
    const { functions } = json as unknown as {
      functions: { name: string; args: { type: string[] }[]; returns: string[] }[]
    }
    assert.equal(status, 200)
    assert.deepEqual(
      functions.map(({ name }) => name),
      ['lower', 'upper', 'length', 'abs', 'round'],
    )
    for (const { name, args, returns } of functions) {
      const kinds = args[0]?.type[0] === 'string' ? ['text'] : ['number', 'integer']
      await each(kinds, async (layer, property) => {
        const call = `${name}(${property})`
        const present = await count(layer, `${property} IS NOT NULL`)
        assert.equal(await count(layer, `${call} IS NOT NULL`), present, `${layer} ${call}`)
        const value = literal(returns[0] === 'string' ? 'text' : 'integer')
        await disjoint(layer, `${call} < ${value}`, `${call} >= ${value}`)
        await same(layer, `${call} IN (${value})`, `${value} = ${call}`)
        if (returns[0] === 'string') await same(layer, `${call} LIKE 'f%'`, `${name}(${call}) LIKE 'f%'`)
        else await same(layer, `${call} BETWEEN 1 AND 3`, `${call} >= 1 AND ${call} <= 3`)
      })
      await refuses('file_ne_110m_populated_places_simple', `${name}(TRUE) = 1`)
      await refuses('table_ne_110m_populated_places_simple', `${name}("name", 1) = 1`)
    }
  })

  it('each class, logical: combinations of any four filters are answered as logic says', async () => {
    for (const store of cql2Stores)
      for (const collection of cql2Collections) {
        const layer = `${store}_${collection}`
        const known = cql2Predicates.filter((one) => one.collection === collection && one.filter.length < 200)
        for (let round = 0; round < combinations; round += 1) {
          const [p1, p2, p3, p4] = [7, 11, 17, 23].map(
            (step) => known[(round * 31 + step * (round + 1)) % known.length]?.filter,
          )
          const whole = `((NOT (${p1}) AND (${p2})) OR ((${p3}) and NOT (${p4})) or not ((${p1}) AND (${p4})))`
          // By De Morgan.
          const other = `NOT (((${p1}) OR NOT (${p2})) AND (NOT (${p3}) OR (${p4})) AND ((${p1}) AND (${p4})))`
          await same(layer, whole, other)
        }
      }
  })
}
