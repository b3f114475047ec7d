import assert from 'node:assert/strict'
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

export const twoPoints: Points = [
  ['a', 1, 2],
  ['b', 3, 4],
]

/** Imports points as a layer; its version and such are read by `layerOf`. */
export async function importPoints(
  server: TestApp,
  {
    workspace = 'default',
    name,
    mode = 'CREATE',
    points = twoPoints,
  }: {
    workspace?: string
    name: string
    mode?: 'CREATE' | 'REPLACE' | 'APPEND'
    points?: Points
  },
): Promise<void> {
  const client: ImporterClient = clientOf(server)
  const target = { targetWorkspace: { workspace: { name: workspace } } }
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

export interface ShownLayer {
  version: number
  public?: boolean
  nativeName: string
}

export async function layerOf(server: TestApp, name: string): Promise<ShownLayer> {
  const reply = await server.app.inject({ url: `/rest/layers/${name}`, headers: server.admin })
  assert.equal(reply.statusCode, 200, reply.body)
  return reply.json<{ layer: ShownLayer }>().layer
}

export async function versionOf(server: TestApp, name: string): Promise<number> {
  return (await layerOf(server, name)).version
}
