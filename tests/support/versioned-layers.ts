import assert from 'node:assert/strict'
import type { LayerRecord } from '../../src/catalog/records.ts'
import { getLayer } from '../../src/catalog/rows/layer-rows.ts'
import { publishNewLayer } from '../../src/catalog/rows/publication.ts'
import { findStore } from '../../src/catalog/rows/store-rows.ts'
import type { TestApp } from './app.ts'
import type { ImporterClient } from './importer-client.ts'
import { clientOf } from './importer-client.ts'

export type Points = [name: string, x: number, y: number][]

export function pointsJson(points: Points): string {
  const features = points.map(([name, x, y]) => ({
    type: 'Feature',
    properties: { name },
    geometry: { type: 'Point', coordinates: [x, y] },
  }))
  return JSON.stringify({ type: 'FeatureCollection', features })
}

const twoPoints: Points = [
  ['a', 1, 2],
  ['b', 3, 4],
]

/** Imports points as a layer; its version and such are read by `layerOf`. */
export async function importPoints(
  server: TestApp,
  {
    workspace = 'default',
    store,
    name,
    mode = 'CREATE',
    points = twoPoints,
  }: {
    workspace?: string
    store?: string
    name: string
    mode?: 'CREATE' | 'REPLACE' | 'APPEND'
    points?: Points
  },
): Promise<void> {
  const client: ImporterClient = clientOf(server)
  const target = {
    targetWorkspace: { workspace: { name: workspace } },
    ...(store === undefined ? {} : { targetStore: { dataStore: { name: store } } }),
  }
  const created = await client.call('POST', '', { import: target })
  assert.equal(created.status, 201, created.text)
  const id = Number(created.json.import?.id)
  const uploaded = await client.upload(id, [{ name: `${name}.geojson`, content: pointsJson(points) }])
  assert.equal(uploaded.status, 201, uploaded.text)
  if (mode !== 'CREATE') {
    const changed = await client.call('PUT', `/${id}/tasks/0`, { task: { updateMode: mode } })
    assert.equal(changed.status, 200, changed.text)
  }
  await client.call('POST', `/${id}`)
  const done = await client.call('GET', `/${id}`)
  assert.equal(String(done.json.import?.state), 'COMPLETE', done.text)
}

interface ShownLayer {
  version: number
  public?: boolean
  nativeName: string
}

async function layerOf(server: TestApp, name: string): Promise<ShownLayer> {
  const reply = await server.app.inject({ url: `/rest/layers/${name}`, headers: server.admin })
  assert.equal(reply.statusCode, 200, reply.body)
  return reply.json<{ layer: ShownLayer }>().layer
}

export async function versionOf(server: TestApp, name: string): Promise<number> {
  return (await layerOf(server, name)).version
}

export function recordOf(server: TestApp, name: string): Promise<LayerRecord> {
  return getLayer(server.database.kysely, 'default', name)
}

/** Publishes a table that is there already, under its name. */
export async function publishTable(
  server: TestApp,
  storeName: string,
  table: string,
  srs = 'EPSG:4326',
): Promise<void> {
  const store = await findStore(server.database.kysely, 'default', storeName)
  assert.ok(store)
  const found = await (await server.catalog.stores.open(store)).findTable(table)
  assert.ok(found)
  const details = {
    kind: 'vector' as const,
    title: table,
    originalName: table,
    srs,
    schema: found.schema,
    style: 'point',
  }
  const layer = { workspace: 'default', name: table, storeId: store.id, nativeName: table, details }
  await server.database.transaction((db) => publishNewLayer(db, layer, '2026-01-01T00:00:00.000Z'))
}
