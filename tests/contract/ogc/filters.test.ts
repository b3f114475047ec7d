import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { ecqlAndCql2, refusedEcql } from '../../support/ecql-cases.ts'
import type { FilterSamples } from '../../support/filter-samples.ts'
import {
  compareEncodings,
  compareWithSql,
  findByFes,
  findItems,
  findRows,
  serveFilterSamples,
} from '../../support/filter-samples.ts'
import { needsGdal } from '../../support/gdal-files.ts'
import { runSql } from '../../support/postgres.ts'
import { ask } from '../../support/version-client.ts'

describe('filters in CQL2', needsGdal, () => {
  let samples: FilterSamples
  let server: TestApp
  let url: string
  const cleanups: (() => unknown)[] = []

  before(async () => {
    samples = await serveFilterSamples({ after: (cleanup) => void cleanups.push(cleanup as () => unknown) })
    server = samples.server
    url = samples.url
  })
  after(async () => {
    for (const cleanup of cleanups) await cleanup()
    await server.close()
  })

  const items = (layer: string, query: Record<string, string>) => findItems(samples, layer, query)
  const found = (layer: string, query: Record<string, string>) => findRows(samples, layer, query)
  const foundByFes = (layer: string, filter: string, parameter?: 'filter' | 'cql_filter') =>
    findByFes(samples, layer, filter, parameter)

  // tests/release/compared/filters.test.ts has four times as many.
  it('finds in each store what SQL finds in PostGIS', () => compareWithSql(samples, 45))

  it('finds the same by Filter Encoding 2.0 and 1.1, and by cql_filter', () => compareEncodings(samples, 32))

  it('finds boxes of older versions, and times as WFS says them', async () => {
    const older = (coordinates: string): string =>
      `<Filter xmlns="http://www.opengis.net/ogc" xmlns:gml="http://www.opengis.net/gml"><Within><PropertyName>geom</PropertyName><gml:Box srsName="EPSG:4326">${coordinates}</gml:Box></Within></Filter>`
    const within = await found('of_table', { filter: 'S_WITHIN(geom, BBOX(3,2,12,9))' })
    const coords = [
      [3, 2],
      [12, 9],
    ].map(([x, y]) => `<gml:coord><gml:X>${x}</gml:X><gml:Y>${y}</gml:Y></gml:coord>`)
    for (const written of ['<gml:coordinates>3,2 12,9</gml:coordinates>', coords.join('')])
      for (const layer of ['of_table', 'of_file'])
        assert.deepEqual(await foundByFes(layer, older(written)), within, written)
    // Read by the usual signs these would be other places.
    for (const written of [
      '<gml:coordinates decimal="," cs=" " ts=";">3,0 2,0;12,0 9,0</gml:coordinates>',
      '<gml:coordinates cs=" " ts=",">3 2,12 9</gml:coordinates>',
    ])
      await assert.rejects(foundByFes('of_table', older(written)), /a comma between numbers/)
    const [from, to] = ['2024-02-29T00:00:00Z', '2024-02-29T12:00:00Z']
    const instant = `<gml:TimeInstant gml:id="a"><gml:timePosition>${from}</gml:timePosition></gml:TimeInstant>`
    const day = '<Literal>2024-02-29</Literal>'
    const period = `<gml:TimePeriod gml:id="b"><gml:begin><gml:TimeInstant gml:id="c"><gml:timePosition>${from}</gml:timePosition></gml:TimeInstant></gml:begin><gml:endPosition>${to.replace('Z', '')}</gml:endPosition></gml:TimePeriod>`
    const open = `<gml:TimePeriod gml:id="d"><gml:beginPosition indeterminatePosition="unknown"/><gml:endPosition>${to}</gml:endPosition></gml:TimePeriod>`
    for (const [operator, operand, cql] of [
      ['After', instant, `T_AFTER(t, TIMESTAMP('${from}'))`],
      ['Before', day, `T_BEFORE(t, DATE('2024-02-29'))`],
      ['TEquals', instant, `T_EQUALS(t, TIMESTAMP('${from}'))`],
      ['During', period, `T_DURING(t, INTERVAL('${from}', '${to}'))`],
      ['AnyInteracts', period, `T_INTERSECTS(t, INTERVAL('${from}', '${to}'))`],
      ['Begins', period, `T_STARTS(t, INTERVAL('${from}', '${to}'))`],
      ['Ends', period, `T_FINISHES(t, INTERVAL('${from}', '${to}'))`],
      ['Meets', period, `T_MEETS(t, INTERVAL('${from}', '${to}'))`],
      ['MetBy', period, `T_METBY(t, INTERVAL('${from}', '${to}'))`],
      ['After', period, `T_AFTER(t, INTERVAL('${from}', '${to}'))`],
      ['During', open, `T_DURING(t, INTERVAL('..', '${to}'))`],
    ] as const) {
      const fes = `<Filter xmlns="http://www.opengis.net/fes/2.0" xmlns:gml="http://www.opengis.net/gml/3.2"><${operator}><ValueReference>t</ValueReference>${operand}</${operator}></Filter>`
      for (const layer of ['of_table', 'of_file']) {
        const numbers = await found(layer, { filter: cql })
        assert.deepEqual(await foundByFes(layer, fes), numbers, `${layer} ${fes}`)
      }
    }
  })

  it("reads GeoServer's dialect as the same filters", async () => {
    for (const [ecql, cql] of ecqlAndCql2)
      for (const layer of ['of_table', 'of_file']) {
        const numbers = await found(layer, { filter: cql })
        assert.deepEqual(await foundByFes(layer, ecql, 'cql_filter'), numbers, `${layer} ${ecql}`)
        assert.ok(numbers.length > 0, cql)
      }
    for (const layer of ['of_table', 'of_file']) {
      const ids = await foundByFes(layer, `IN ('${layer}.3','${layer}.5', 'others.1')`, 'cql_filter')
      assert.deepEqual(ids, [3, 5])
    }
    for (const [ecql, reason] of refusedEcql)
      await assert.rejects(foundByFes('of_table', ecql, 'cql_filter'), reason, ecql)
  })

  it('tells what is wrong with a filter, and asks no store', async () => {
    const deep = `${'NOT ('.repeat(150)}b${')'.repeat(150)}`
    for (const [query, code] of [
      [{ filter: '' }, 'invalid-filter'],
      [{ filter: 'i =' }, 'invalid-filter'],
      [{ filter: 'i = 1 name' }, 'invalid-filter'],
      [{ filter: 'i = (1' }, 'invalid-filter'],
      [{ filter: 'nobody = 1' }, 'invalid-filter'],
      [{ filter: "i = '1'" }, 'invalid-filter'],
      [{ filter: 'name = 1' }, 'invalid-filter'],
      [{ filter: 'name' }, 'invalid-filter'],
      [{ filter: "d = 'yesterday'" }, 'invalid-filter'],
      [{ filter: "d = DATE('2024-02-30')" }, 'invalid-filter'],
      [{ filter: "name LIKE 'a\\\\\\'" }, 'invalid-filter'],
      [{ filter: 'geom = 1' }, 'invalid-filter'],
      [{ filter: 'S_INTERSECTS(geom, geom)' }, 'invalid-filter'],
      [{ filter: 'S_INTERSECTS(geom, POINT(1))' }, 'invalid-filter'],
      [{ filter: 'S_INTERSECTS(geom, BBOX(1,2,3))' }, 'invalid-filter'],
      [{ filter: 'S_INTERSECTS(name, POINT(1 2))' }, 'invalid-filter'],
      [{ filter: 'i = 1e999' }, 'invalid-filter'],
      [{ filter: "name = 'a\0b'" }, 'invalid-filter'],
      [{ filter: deep }, 'invalid-filter'],
      [{ filter: "name + '1' = 2" }, 'invalid-filter'],
      [{ filter: "i + '1' = 2" }, 'invalid-filter'],
      [{ filter: 'd - d = 2' }, 'invalid-filter'],
      [{ filter: '2 ^ 3 ^ 2 = i' }, 'invalid-filter'],
      [{ filter: `i + f * 2 IN (${'1,'.repeat(1500)}1)` }, 'invalid-filter'],
      [{ filter: 'ABS(1); drop table x--(i) = 1' }, 'invalid-filter'],
      [{ filter: 'pg_sleep(9) = 1' }, 'unsupported-filter'],
      [{ filter: '"i"" + 1" = 1' }, 'invalid-filter'],
      [{ filter: 'area(geom) > 2' }, 'unsupported-filter'],
      [{ filter: "A_CONTAINS(name, ('a', 'b'))" }, 'unsupported-filter'],
      [
        { filter: '{"op":"a_overlaps","args":[{"property":"name"},["a"]]}', 'filter-lang': 'cql2-json' },
        'unsupported-filter',
      ],
      [{ filter: 'i = 1', 'filter-lang': 'sql' }, 'invalid-parameter'],
      [{ filter: 'i = 1', 'filter-crs': 'EPSG:1' }, 'unknown-crs'],
      [{ filter: 'i = 1', 'filter-lang': 'cql2-json' }, 'malformed-json'],
      [{ filter: '{"op":"+","args":[1,2]}', 'filter-lang': 'cql2-json' }, 'invalid-filter'],
      [
        { filter: '{"op":"isNull","args":[{"op":"+","args":[1]}]}', 'filter-lang': 'cql2-json' },
        'invalid-filter',
      ],
      [{ filter: '{"op":"pg_sleep","args":[1]}', 'filter-lang': 'cql2-json' }, 'unsupported-filter'],
      [{ filter: '{"op":"="}', 'filter-lang': 'cql2-json' }, 'invalid-filter'],
      [{ filter: '[]', 'filter-lang': 'cql2-json' }, 'invalid-filter'],
      [{ filter: `${'['.repeat(5000)}${']'.repeat(5000)}`, 'filter-lang': 'cql2-json' }, 'malformed-json'],
    ] as [Record<string, string>, string][])
      for (const layer of ['of_table', 'of_file']) {
        const { status, json } = await items(layer, query)
        assert.deepEqual([status, json['code']], [400, code], JSON.stringify(query).slice(0, 200))
      }
  })

  it('answers the same of collections of geometries, or says that it cannot', async () => {
    const collection = 'GEOMETRYCOLLECTION(POINT(5 4),LINESTRING(0 0,12 14))'
    for (const relation of ['INTERSECTS', 'DISJOINT']) {
      const sql = `ST_${relation}(geom, ST_GeomFromText('${collection}', 4326))`
      const rows = await runSql(url, `select n from source.samples where ${sql} order by n`)
      for (const layer of ['of_table', 'of_file'])
        assert.deepEqual(
          await found(layer, { filter: `S_${relation}(geom, ${collection})` }),
          rows.map((row) => Number(row['n'])),
          layer,
        )
    }
    for (const relation of ['WITHIN', 'TOUCHES', 'EQUALS', 'CROSSES', 'CONTAINS', 'OVERLAPS'])
      for (const layer of ['of_table', 'of_file']) {
        const { status, json } = await items(layer, { filter: `S_${relation}(geom, ${collection})` })
        assert.deepEqual([status, json['code']], [400, 'unsupported-filter'], `${layer} ${relation}`)
      }
  })

  it('takes whole numbers for what they are, however they are written', async () => {
    const expected = (
      await runSql(url, 'select n from source.samples where big = 9007199254740993 order by n')
    ).map((row) => Number(row['n']))
    assert.ok(expected.length > 10)
    for (const digits of [
      '9007199254740993',
      '9007199254740993.0',
      '9007199254740993.',
      '900719925474099.3e1',
    ])
      for (const layer of ['of_table', 'of_file'])
        assert.deepEqual(await found(layer, { filter: `big = ${digits}` }), expected, `${layer} ${digits}`)
    const json = '{"op":"=","args":[{"property":"big"},9007199254740993.00]}'
    for (const layer of ['of_table', 'of_file'])
      assert.deepEqual(await found(layer, { filter: json, 'filter-lang': 'cql2-json' }), expected, layer)
  })

  it('compares a day with a time as all of that day', async () => {
    for (const op of ['=', '<>', '<', '<=', '>', '>=']) {
      const condition = `d ${op} (t at time zone 'UTC')::date`
      const expected = await runSql(url, `select n from source.samples where ${condition} order by n`)
      for (const layer of ['of_table', 'of_file'])
        assert.deepEqual(
          await found(layer, { filter: `d ${op} t` }),
          expected.map((row) => Number(row['n'])),
          `${layer} ${op}`,
        )
    }
  })

  it('finds by boxes and geometries beyond the antimeridian what lies there, and what is stored so', async () => {
    const expected = await found('of_table', { bbox: '3,2,12,9' })
    const inside = await found('of_table', { filter: 'S_INTERSECTS(geom, BBOX(3,2,12,9))' })
    assert.ok(inside.length > 10 && expected.length > inside.length)
    for (const layer of ['of_table', 'of_file']) {
      for (const bbox of ['363,2,372,9', '-357,2,-348,9'])
        assert.deepEqual(await found(layer, { bbox }), expected, `${layer} ${bbox}`)
      for (const filter of [
        'S_INTERSECTS(geom, BBOX(363,2,372,9))',
        'S_INTERSECTS(POLYGON((-357 2,-348 2,-348 9,-357 9,-357 2)), geom)',
        'NOT S_DISJOINT(geom, BBOX(363,2,372,9))',
      ])
        assert.deepEqual(await found(layer, { filter }), inside, `${layer} ${filter}`)
      const apart = await found(layer, { filter: 'S_DISJOINT(geom, BBOX(363,2,372,9))' })
      assert.equal(apart.filter((n) => inside.includes(n)).length, 0)
      assert.ok(apart.length > 10)
    }
  })

  it('takes geometries in the CRS that is named, in the order of its axes', async () => {
    const expected = await found('of_table', { filter: 'S_WITHIN(geom, BBOX(3,2,12,9))' })
    assert.ok(expected.length > 10)
    for (const layer of ['of_table', 'of_file'])
      for (const [filter, crs] of [
        ['S_WITHIN(geom, BBOX(2,3,9,12))', 'http://www.opengis.net/def/crs/EPSG/0/4326'],
        [
          'S_WITHIN(geometry, POLYGON((3 2,12 2,12 9,3 9,3 2)))',
          'http://www.opengis.net/def/crs/OGC/1.3/CRS84',
        ],
        ['S_WITHIN(geom, BBOX(333958,222684,1335834,1006022))', 'http://www.opengis.net/def/crs/EPSG/0/3857'],
      ] as const)
        assert.deepEqual(await found(layer, { filter, 'filter-crs': crs }), expected, `${layer} ${filter}`)
  })

  it('narrows a box and a time, page by page', async () => {
    const query = { filter: 'i > 0', bbox: '3,2,12,9' }
    const both = await found('of_table', query)
    assert.deepEqual(
      both,
      await found('of_table', { filter: 'i > 0 AND (geom IS NULL OR S_INTERSECTS(geom, BBOX(3,2,12,9)))' }),
    )
    for (const layer of ['of_table', 'of_file']) {
      const pages: number[] = []
      let next: string | undefined =
        `/ogc/collections/default:${layer}/items?${new URLSearchParams({ ...query, limit: '7' })}`
      while (next !== undefined) {
        const { json } = await ask(server, 'GET', next)
        const page = json as unknown as {
          features: { properties: { n: number } }[]
          numberMatched: number
          links: { rel: string; href: string }[]
        }
        assert.equal(page.numberMatched, both.length)
        pages.push(...page.features.map(({ properties }) => properties.n))
        const link = page.links.find(({ rel }) => rel === 'next')?.href
        next = link === undefined ? undefined : link.slice(link.indexOf('/ogc'))
      }
      assert.deepEqual(pages, both, layer)
    }
  })

  it('lists what can be asked, and says so', async () => {
    for (const layer of ['of_table', 'of_file']) {
      const { json } = await ask(server, 'GET', `/ogc/collections/default:${layer}/queryables`)
      const { properties, $id } = json as unknown as {
        properties: Record<string, { type?: string }>
        $id: string
      }
      assert.match($id, /\/queryables$/)
      for (const [name, { type }] of Object.entries(properties)) {
        const filter = type === undefined ? `S_DISJOINT(${name}, POINT(99 9))` : `"${name}" IS NOT NULL`
        assert.ok((await found(layer, { filter })).length > 0, name)
      }
      const collection = await ask(server, 'GET', `/ogc/collections/default:${layer}`)
      const { links } = collection.json as unknown as { links: { rel: string }[] }
      assert.ok(links.some(({ rel }) => rel === 'http://www.opengis.net/def/rel/ogc/1.0/queryables'))
    }
    const { text } = await ask(server, 'GET', '/ogc/conformance')
    assert.match(text, /cql2\/1.0\/conf\/basic-cql2/)
  })
})
