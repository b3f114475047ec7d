import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { clientOf, listOf } from '../../support/importer-client.ts'
import { ask } from '../../support/version-client.ts'
import { addVersionStores } from '../../support/version-stores.ts'

const widest = 1998

/** GeoJSON of three points whose property `c<n>` is `row * 10000 + n`; every third is null in row 2, and `t<n>` are texts. */
function wideGeoJson(columns: number): string {
  const features = [1, 2, 3].map((row) => {
    const properties: Record<string, unknown> = { key: row }
    for (let n = 1; n < columns; n += 1)
      properties[`c${n}`] = wideValue(row, n) === null ? null : row * 10_000 + n
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
  }

  async function load({ name, store, content, extension = 'geojson' }: Wide): Promise<Json> {
    const created = await client.call('POST', '', {
      import: {
        targetWorkspace: { workspace: { name: 'default' } },
        targetStore: { dataStore: { name: store } },
      },
    })
    const id = Number(created.json.import?.id)
    await client.upload(id, [{ name: `${name}.${extension}`, content }])
    await client.call('PUT', `/${id}/tasks/0`, {
      task: { layer: { name, srs: 'EPSG:4326' } },
    })
    await client.call('POST', `/${id}`)
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
})
