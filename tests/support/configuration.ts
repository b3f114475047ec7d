import assert from 'node:assert/strict'
import type { LayerRecord } from '../../src/catalog/records.ts'
import { publishNewLayer } from '../../src/catalog/rows/publication.ts'
import { defined } from '../../src/core/values/defined.ts'
import type { TestApp } from './app.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Requests of the user `admin` to paths below `/rest`. */
export function configurationClient(terrane: () => TestApp) {
  const send = (
    method: Method,
    url: string,
    payload?: object | string,
    headers: Record<string, string> = {},
  ) =>
    terrane().app.inject({
      method,
      url: `/rest${url}`,
      headers: { ...terrane().admin, ...headers },
      ...defined({ payload }),
    })
  return {
    send,
    /** The body of a GET that succeeds. */
    async read(url: string) {
      const reply = await send('GET', url)
      assert.equal(reply.statusCode, 200, `${url}: ${reply.body}`)
      return reply.json()
    },
    async createWorkspace(name: string): Promise<void> {
      assert.equal((await send('POST', '/workspaces', { workspace: { name } })).statusCode, 201)
    },
  }
}

/** Publishes a layer of points in the default store of a workspace; its table is not there. */
export async function publishPoints(terrane: TestApp, workspace: string, name: string): Promise<LayerRecord> {
  const store = await terrane.catalog.stores.getDefault(workspace)
  const details: LayerRecord['details'] = {
    kind: 'vector',
    title: name,
    originalName: name,
    srs: 'EPSG:4326',
    envelope: { minX: 1, minY: 2, maxX: 3, maxY: 4 },
    schema: {
      attributes: [{ name: 'pop', type: 'int64' }],
      geometry: { name: 'geom', type: 'Point', hasZ: false, hasM: false, crs: { srs: 'EPSG:4326' } },
    },
    featureCount: 5,
    style: 'point',
  }
  return terrane.database.transaction((db) =>
    publishNewLayer(
      db,
      { workspace, name, storeId: store.id, nativeName: name, details },
      '2026-01-01T00:00:00.000Z',
    ),
  )
}
