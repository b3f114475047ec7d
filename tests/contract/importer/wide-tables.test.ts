import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import type { Answer, ImporterClient, Json } from '../../support/importer-client.ts'
import { clientOf, listOf } from '../../support/importer-client.ts'
import { ask, restore, versionsOf } from '../../support/version-client.ts'
import { addVersionStores } from '../../support/version-stores.ts'

const widest = 1998

/** GeoJSON of points whose property `c<n>` is `row * 10000 + n`, or as `changed` has it; every third is null in row 2. */
function wideGeoJson(
  columns: number,
  rows: readonly number[] = [1, 2, 3],
  changed: Record<number, Record<string, number | null>> = {},
): string {
  const features = rows.map((row) => {
    const properties: Record<string, unknown> = { key: row }
    for (let n = 1; n < columns; n += 1) properties[`c${n}`] = wideValue(row, n)
    Object.assign(properties, changed[row])
    return { type: 'Feature', geometry: { type: 'Point', coordinates: [row, row] }, properties }
  })
  return JSON.stringify({ type: 'FeatureCollection', features })
}

const wideValue = (row: number, n: number): number | null =>
  row === 2 && n % 3 === 0 ? null : row * 10_000 + n

describe('tables with very many columns', () => {
  let server: TestApp
  let client: ImporterClient
  before(async () => {
    server = await createTestApp()
    client = clientOf(server)
    await addVersionStores(server)
  })
  after(() => server.close())

  interface Wide {
    name: string
    store: 'file' | 'table'
    content: string
    extension?: string
    /** Fields of the task besides its layer, such as the update mode. */
    more?: object
    /** Query of the request that runs the import. */
    run?: string
  }

  async function load({ name, store, content, extension = 'geojson', more, run = '' }: Wide): Promise<Json> {
    const created = await client.call('POST', '', {
      import: {
        targetWorkspace: { workspace: { name: 'default' } },
        targetStore: { dataStore: { name: store } },
      },
    })
    const id = Number(created.json.import?.id)
    await client.upload(id, [{ name: `${name}.${extension}`, content }])
    await client.call('PUT', `/${id}/tasks/0`, { task: { layer: { name, srs: 'EPSG:4326' }, ...more } })
    const ran = await client.call('POST', `/${id}${run}`)
    assert.ok(Number(ran.status) < 300, ran.text)
    return (await client.call('GET', `/${id}/tasks/0`)).json.task as Json
  }

  async function requireValues(layer: string, columns: number, query = ''): Promise<void> {
    const { json, status, text } = await ask(
      server,
      'GET',
      `/ogc/collections/default:${layer}/items?${query}`,
    )
    assert.equal(status, 200, text.slice(0, 500))
    const features = listOf(json['features'])
    assert.equal(features.length, 3)
    for (const { properties } of features) {
      const row = Number(properties?.key)
      const wrong = Array.from({ length: columns - 1 }, (_, at) => at + 1).filter(
        (n) => (properties?.[`c${n}`] as unknown) !== wideValue(row, n),
      )
      assert.deepEqual(wrong, [])
    }
  }

  it(`are loaded into a GeoPackage, sorted and filtered with ${widest} attributes`, async () => {
    const done = await load({ name: 'wide', store: 'file', content: wideGeoJson(widest) })
    assert.equal(String(done['state']), 'COMPLETE', JSON.stringify(done))
    await requireValues('wide', widest)
    await requireValues(
      'wide',
      widest,
      `sortby=-c1997,c5&filter=${encodeURIComponent('c1996 > 0 AND key < 9')}`,
    )
  })

  it('are refused by a GeoPackage and by PostGIS beyond their limits, with what to do', async () => {
    const lines = [1, 2].map((row) => Array.from({ length: 2000 }, (_, at) => `t${row * at}`).join(','))
    const names = Array.from({ length: 2000 }, (_, at) => `c${at}`).join(',')
    const tooWide = await load({
      name: 'csv',
      store: 'file',
      content: [names, ...lines].join('\n'),
      extension: 'csv',
    })
    assert.equal(String(tooWide['state']), 'ERROR', JSON.stringify(tooWide))
    assert.match(JSON.stringify(tooWide), /A GeoPackage table holds 2000 columns.*leave columns out/)
    const inTable = await load({ name: 'pg', store: 'table', content: wideGeoJson(1600) })
    assert.equal(String(inTable['state']), 'ERROR')
    assert.match(JSON.stringify(inTable), /holds 1600 columns.*data have 1601.*GeoPackage/)
  })

  it('are loaded into PostGIS as far as its rows hold them', async () => {
    const fits = await load({ name: 'pg_fits', store: 'table', content: wideGeoJson(1598) })
    assert.equal(String(fits['state']), 'COMPLETE', JSON.stringify(fits))
    await requireValues('pg_fits', 1598)
    const content = wideGeoJson(1598).replaceAll(/(1\d{4})/g, '9000000000$1')
    const large = await load({ name: 'pg_large', store: 'table', content })
    assert.equal(String(large['state']), 'ERROR', JSON.stringify(large))
    assert.match(JSON.stringify(large), /row is too big: size \d+, maximum size 8160/)
  })

  // Tables of PostGIS keep differences up to 1,596 attributes, and copies beyond.
  for (const { store, columns } of [
    { store: 'file', columns: widest },
    { store: 'table', columns: 1596 },
    { store: 'table', columns: 1597 },
  ] as const) {
    it(`are upserted, compared and restored with ${columns} attributes in the store "${store}"`, async () => {
      const name = `upserted_${store}_${columns}`
      const last = `c${columns - 1}`
      const first = await load({ name, store, content: wideGeoJson(columns) })
      assert.equal(String(first['state']), 'COMPLETE', JSON.stringify(first))
      const content = wideGeoJson(columns, [1, 2, 4], { 2: { c4: 7, [last]: null } })
      const more = { ...upsert, deleteMissing: true }
      const reported = [
        ['removed', 3, 30_004, 30_000 + columns - 1, undefined, undefined],
        ['changed', 2, 20_004, wideValue(2, columns - 1), 7, null],
        ['added', 4, undefined, undefined, 40_004, 40_000 + columns - 1],
      ]
      const tried = await load({ name, store, content, more, run: '/dry-run' })
      assert.equal(String(tried['state']), 'READY', JSON.stringify(tried).slice(0, 3000))
      const listed = await ask(
        server,
        'GET',
        `${String(tried['href']).replace('/tasks/', '/dry-run/tasks/')}/changes?format=geojson`,
      )
      assert.deepEqual(reportedChanges(listed, last), reported)
      const done = await load({ name, store, content, more })
      assert.equal(String(done['state']), 'COMPLETE', JSON.stringify(done).slice(0, 3000))
      const [version] = await versionsOf(server, `default:${name}`)
      assert.deepEqual(version?.changes, { added: 1, changed: 1, removed: 1, same: 1 })
      const changes = `/rest/layers/default:${name}/versions/1/changes?against=2`
      assert.deepEqual(reportedChanges(await ask(server, 'GET', `${changes}&format=geojson`), last), reported)
      assert.equal((await restore(server, `default:${name}`, 1)).status, 200)
      await requireValues(name, columns)
    })
  }

  it('take rows by APPEND and refuse UPSERT where PostGIS has no column left', async () => {
    const [name, store] = ['full', 'table'] as const
    await load({ name, store, content: wideGeoJson(1598, [1]) })
    const added = await load({
      name,
      store,
      content: wideGeoJson(1598, [2, 3]),
      more: { updateMode: 'APPEND' },
    })
    assert.equal(String(added['state']), 'COMPLETE', JSON.stringify(added).slice(0, 3000))
    await requireValues(name, 1598)
    const changed = await load({ name, store, content: wideGeoJson(1598, [1, 4]), more: upsert })
    assert.match(String(changed['errorMessage']), /has 1600 columns: .* a copy .* one more than PostgreSQL/)
    await requireValues(name, 1598)
  })
})

const upsert = { updateMode: 'UPSERT', keys: ['key'] }

interface ReportedChange {
  properties: { change: string } & Record<'before' | 'after', Record<string, number | null> | null>
}

/** The change, key and two values before and after of each row that differs. */
function reportedChanges({ status, text }: Answer, last: string): unknown[][] {
  assert.equal(status, 200, text.slice(0, 2000))
  const { features } = JSON.parse(text) as { features: ReportedChange[] }
  return features.map(({ properties: { change, before, after } }) => [
    change,
    (before ?? after)?.['key'],
    before?.['c4'],
    before?.[last],
    after?.['c4'],
    after?.[last],
  ])
}
