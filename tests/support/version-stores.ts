import assert from 'node:assert/strict'
import type { TestApp } from './app.ts'
import { fileDatabase, storeParameters } from './postgis-store.ts'
import { ask } from './version-client.ts'

/** Adds the stores `file` (GeoPackage) and `table` (PostGIS) to the default workspace. */
export async function addVersionStores(server: TestApp): Promise<void> {
  for (const [name, type, connectionParameters] of [
    ['file', 'GeoPackage', {}],
    ['table', 'PostGIS', storeParameters(await fileDatabase(), 'public')],
  ] as const) {
    const dataStore = { name, type, connectionParameters }
    const { status, text } = await ask(server, 'POST', '/rest/workspaces/default/datastores', { dataStore })
    assert.equal(status, 201, text)
  }
}
