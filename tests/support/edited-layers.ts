import assert from 'node:assert/strict'
import type { TestApp } from './app.ts'
import { askFeature } from './feature-client.ts'
import { fileDatabase, storeParameters } from './postgis-store.ts'
import { ask } from './version-client.ts'

/** The stores of a test, by their names. */
export const editedStores = ['file', 'table'] as const

/** Adds a GeoPackage called `file` and a schema of PostGIS called `table`. */
export async function addEditedStores(server: TestApp): Promise<void> {
  for (const [name, type, connectionParameters] of [
    ['file', 'GeoPackage', {}],
    ['table', 'PostGIS', storeParameters(await fileDatabase(), 'public')],
  ] as const) {
    const dataStore = { name, type, connectionParameters }
    const { status, text } = await ask(server, 'POST', '/rest/workspaces/default/datastores', { dataStore })
    assert.equal(status, 201, text)
  }
}

/** Feature as the server returns it. */
export interface ShownFeature {
  id: string | number
  properties: Record<string, unknown>
  geometry: { type: string; coordinates: unknown } | null
}

/** All features of a layer, in the order of their ids. */
export async function shownFeatures(server: TestApp, layer: string, query = ''): Promise<ShownFeature[]> {
  const answer = await askFeature(server, { method: 'GET', layer, query: `?limit=10000${query}` })
  assert.equal(answer.status, 200, answer.text)
  return (answer.json as unknown as { features: ShownFeature[] }).features
}
