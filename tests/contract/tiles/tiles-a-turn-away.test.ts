import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import type { TileAddress } from '../../../src/tiles/tile-matrix-sets.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import { clientOf } from '../../support/importer-client.ts'
import { recordOf } from '../../support/versioned-layers.ts'

const shapes = {
  'SQLite and GeoPackage': async () => ({}),
  'PostgreSQL and PostGIS': async () => ({ TERRANE_DATABASE_URL: await createCatalogDatabase() }),
}
const never = new AbortController().signal
const west: TileAddress = { z: 4, x: 0, y: 7 }
const east: TileAddress = { z: 4, x: 15, y: 7 }

/** A point for each longitude. */
function pointsAt(...longitudes: number[]): string {
  const features = longitudes.map((x) => ({
    type: 'Feature',
    properties: { x },
    geometry: { type: 'Point', coordinates: [x, 10] },
  }))
  return JSON.stringify({ type: 'FeatureCollection', features })
}

async function load(server: TestApp, content: string, mode: string): Promise<void> {
  const client = clientOf(server)
  const target = { targetWorkspace: { workspace: { name: 'default' } } }
  const id = Number((await client.call('POST', '', { import: target })).json.import?.id)
  await client.upload(id, [{ name: 'far.geojson', content }])
  await client.call('PUT', `/${id}/tasks/0`, { task: { updateMode: mode } })
  await client.call('POST', `/${id}`)
  const done = await client.call('GET', `/${id}`)
  assert.equal(String(done.json.import?.state), 'COMPLETE', done.text)
}

/** The longitudes of the points in a tile. */
async function shownIn(server: TestApp, tile: TileAddress): Promise<unknown[]> {
  const { bytes } = await server.maps.tile(
    await recordOf(server, 'far'),
    { set: 'WebMercatorQuad', tile },
    never,
  )
  const layer = new VectorTile(new PbfReader(gunzipSync(bytes))).layers['far']
  return Array.from({ length: layer?.length ?? 0 }, (_, at) => layer?.feature(at).properties['x'])
}

describe('tiles of what lies a turn away', () => {
  for (const [shape, settings] of Object.entries(shapes)) {
    it(`show it as soon as there is any, over ${shape}`, async (t) => {
      const server = await createTestApp({ env: await settings() })
      t.after(() => server.close())
      await load(server, pointsAt(170, -170), 'CREATE')
      assert.deepEqual([await shownIn(server, west), await shownIn(server, east)], [[-170], [170]])
      await load(server, pointsAt(170, -170, 190, -190), 'REPLACE')
      const both = [await shownIn(server, west), await shownIn(server, east)]
      assert.deepEqual(both, [
        [-170, 190],
        [170, -190],
      ])
      await load(server, pointsAt(170, 180), 'REPLACE')
      assert.deepEqual([await shownIn(server, west), await shownIn(server, east)], [[180], [170, 180]])
    })
  }
})
