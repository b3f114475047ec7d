import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { runProgram } from '../../../src/core/process/process.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { needsGdal } from '../../support/gdal-files.ts'
import { loadFile } from '../../support/stored-file.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'
import { until } from '../../support/until.ts'
import { ask } from '../../support/version-client.ts'
import { addVersionStores } from '../../support/version-stores.ts'

type Value = string | number | null
type Row = Record<string, Value>
interface Described {
  type: string
  enum?: (string | number)[]
  minimum?: number
  maximum?: number
  formatMinimum?: string
  formatMaximum?: string
}

const count = 5000
/** Only the last row has some values. It comes long after the rows that are sampled first. */
const last = count - 1

function rowOf(n: number): Row {
  const day = new Date(Date.UTC(1999, 11, 31) + n * 86_400_000).toISOString()
  return {
    n,
    kind: n === last ? 'Zürich ✓' : (['river', 'canal', ''][n % 3] as string),
    name: `name ${n}`,
    long: 'x'.repeat(n === 2500 ? 101 : 5),
    klass: n === last ? -7 : n % 4,
    many: n % 31,
    share: n === 17 ? null : n / 7,
    nothing: null,
    day: day.slice(0, 10),
    moment: `${day.slice(0, 10)}T12:30:00Z`,
    wide: n === 3 ? 4_000_000_000 : n,
  }
}

describe('what the queryables tell of values', needsGdal, () => {
  let server: TestApp
  const cleanups: (() => unknown)[] = []
  let source: string
  before(async () => {
    server = await createTestApp()
    await addVersionStores(server)
    const folder = temporaryFolder({ after: (cleanup) => void cleanups.push(cleanup as () => unknown) })
    const csv = join(folder, 'kinds.csv')
    const rows = Array.from({ length: count }, (_, n) => rowOf(n))
    const names = Object.keys(rows[0] ?? {})
    const cell = (value: Value): string =>
      value === null ? '' : typeof value === 'string' ? `"${value}"` : `${value}`
    const lines = rows.map((row, n) =>
      [...names.map((name) => cell(row[name] ?? null)), `${n % 90}`, '1'].join(),
    )
    writeFileSync(csv, [[...names, 'x', 'y'].join(), ...lines].join('\n'))
    writeFileSync(
      join(folder, 'kinds.csvt'),
      'Integer,String,String,String,Integer,Integer,Real,Integer,Date,DateTime,Integer64,CoordX,CoordY',
    )
    source = join(folder, 'kinds.gpkg')
    const geometry = ['-oo', 'X_POSSIBLE_NAMES=x', '-oo', 'Y_POSSIBLE_NAMES=y', '-a_srs', 'EPSG:4326']
    await runProgram('ogr2ogr', [source, csv, ...geometry, '-oo', 'KEEP_GEOM_COLUMNS=NO', '-nln', 'kinds'])
    for (const store of ['file', 'table']) await loadFile(server, source, { store, name: `${store}_kinds` })
  })
  after(async () => {
    for (const cleanup of cleanups) await cleanup()
    await server.close()
  })

  async function queryables(store: string): Promise<Record<string, Described>> {
    const { status, json } = await ask(server, 'GET', `/ogc/collections/default:${store}_kinds/queryables`)
    assert.equal(status, 200)
    return json['properties'] as unknown as Record<string, Described>
  }

  async function items(store: string): Promise<Row[]> {
    const { json } = await ask(server, 'GET', `/ogc/collections/default:${store}_kinds/items?limit=10000`)
    return (json as unknown as { features: { properties: Row }[] }).features.map(
      ({ properties }) => properties,
    )
  }

  for (const store of ['file', 'table']) {
    it(`are every value where they are few, else the range of what items have: ${store}`, async () => {
      // The first response after a load may lack values.
      await until(async () => (await queryables(store))['kind']?.enum !== undefined)
      const reported = await queryables(store)
      const rows = await items(store)
      assert.equal(rows.length, count)
      const valuesOf = (name: string): (string | number)[] => [
        ...new Set(rows.map((row) => row[name]).filter((value) => value !== null && value !== undefined)),
      ]
      for (const name of ['kind', 'klass'])
        assert.deepEqual(
          reported[name]?.enum,
          valuesOf(name).sort((a, b) => (a < b ? -1 : 1)),
        )
      assert.deepEqual(reported['klass']?.enum, [-7, 0, 1, 2, 3])
      for (const name of ['n', 'many', 'share', 'wide']) {
        const { minimum, maximum, enum: all } = reported[name] as Described
        const values = valuesOf(name).map(Number)
        assert.deepEqual([minimum, maximum, all], [Math.min(...values), Math.max(...values), undefined], name)
      }
      for (const name of ['day', 'moment']) {
        const sorted = valuesOf(name).sort()
        const { formatMinimum, formatMaximum } = reported[name] as Described
        assert.deepEqual([formatMinimum, formatMaximum], [sorted[0], sorted.at(-1)], name)
      }
      for (const name of ['name', 'long', 'nothing'])
        assert.deepEqual(
          Object.keys(reported[name] ?? {}).filter((key) => /enum|imum/.test(key)),
          [],
          name,
        )
    })

    it(`follow a layer that is replaced, and say so to who keeps them: ${store}`, async () => {
      const url = `/ogc/collections/default:${store}_kinds/queryables`
      const before = await ask(server, 'GET', url)
      const again = await ask(server, 'GET', url, undefined, {
        'if-none-match': String(before.headers['etag']),
      })
      assert.equal(again.status, 304)
      const fewer = join(source, '..', `fewer-${store}.gpkg`)
      await runProgram('ogr2ogr', [fewer, source, '-where', "kind = 'river' and n < 4000"])
      await loadFile(server, fewer, { store, name: `${store}_kinds`, updateMode: 'REPLACE' })
      const changed = await ask(server, 'GET', url, undefined, {
        'if-none-match': String(before.headers['etag']),
      })
      assert.equal(changed.status, 200)
      const { kind, n, klass } = changed.json['properties'] as unknown as Record<string, Described>
      assert.deepEqual(kind?.enum, ['river'])
      assert.deepEqual(klass?.enum, [0, 1, 2, 3])
      assert.deepEqual([n?.minimum, n?.maximum], [0, 3999])
    })
  }

  it('are on the page for people', async () => {
    const { status, text } = await ask(server, 'GET', '/ogc/collections/default:file_kinds/queryables?f=html')
    assert.equal(status, 200)
    assert.match(text, /river/)
    assert.match(text, /3999/)
  })
})
