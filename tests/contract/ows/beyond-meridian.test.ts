import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { createTestApp } from '../../support/app.ts'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import type { ImporterClient } from '../../support/importer-client.ts'
import { clientOf } from '../../support/importer-client.ts'

const shapes = {
  'SQLite and GeoPackage': async () => ({}),
  'PostgreSQL and PostGIS': async () => ({ TERRANE_DATABASE_URL: await createCatalogDatabase() }),
}

const square = (west: number, east: number): object => ({
  type: 'Polygon',
  coordinates: [
    [
      [west, -20],
      [east, -20],
      [east, -10],
      [west, -10],
      [west, -20],
    ],
  ],
})
/** Between 180 and 185, across the meridian from either side, and up to it. */
const places: Record<string, object> = {
  east: square(182, 185),
  fromEast: square(175, 188),
  fromWest: square(-189, -176),
  upToWest: square(-180, -170),
  point: { type: 'Point', coordinates: [190, -15] },
}
const collection = JSON.stringify({
  type: 'FeatureCollection',
  features: Object.entries(places).map(([name, geometry]) => ({
    type: 'Feature',
    properties: { name },
    geometry,
  })),
})

/** Boxes by longitude with what touches them. */
const boxes: [west: number, east: number, names: string[]][] = [
  [-180, -174, ['east', 'fromEast', 'fromWest', 'upToWest']],
  [-171, -169, ['point', 'upToWest']],
  [172, 174, ['fromWest']],
  [176, 179, ['fromEast', 'fromWest']],
  [-173, -171, ['fromEast', 'upToWest']],
  [186, 187, ['fromEast', 'upToWest']],
  [0, 10, []],
]

for (const [shape, settings] of Object.entries(shapes)) {
  describe(`geometries beyond the 180th meridians, with ${shape}`, () => {
    let client: ImporterClient
    const ask = async (url: string) => {
      const reply = await client.server.app.inject({ method: 'GET', url, headers: client.server.admin })
      assert.equal(reply.statusCode, 200, `${url} ${reply.body}`)
      return reply
    }
    const namesIn = async (url: string): Promise<string[]> => {
      const reply = await ask(url)
      const { features } = JSON.parse(reply.body) as { features: { properties: { name: string } }[] }
      return features.map(({ properties }) => properties.name).sort()
    }

    before(async () => {
      client = clientOf(await createTestApp({ env: await settings() }))
      const created = await client.call('POST', '', {
        import: { targetStore: { dataStore: { name: 'default' } } },
      })
      const id = Number(created.json.import?.id)
      await client.upload(id, [{ name: 'isles.geojson', content: collection }])
      await client.call('POST', `/${id}`)
    })
    after(() => client.server.close())

    for (const [west, east, names] of boxes)
      it(`are found by a box from ${west} to ${east}, however it is asked for`, async () => {
        const items = '/ogc/collections/default:isles'
        const box = `${west},-19,${east},-11`
        assert.deepEqual(await namesIn(`${items}/items?limit=100&bbox=${box}`), names)
        const filter = encodeURIComponent(`S_INTERSECTS(geometry, BBOX(${box}))`)
        assert.deepEqual(await namesIn(`${items}/items?limit=100&filter=${filter}`), names)
        assert.deepEqual(await namesIn(`${items}/download?f=geojson&bbox=${box}`), names)
        const wfs = `/wfs?service=WFS&version=2.0.0&request=GetFeature&typeNames=default:isles&outputFormat=json`
        assert.deepEqual(await namesIn(`${wfs}&bbox=${box},EPSG:4326`), names)
        const degree = 20037508.342789244 / 180
        const mercator = [west * degree, -2154935, east * degree, -1232106]
        const url = `${items}/items?limit=100&bbox=${mercator.join()}&bbox-crs=http://www.opengis.net/def/crs/EPSG/0/3857`
        if (west >= -180 && east <= 180) assert.deepEqual(await namesIn(url), names)
      })

    it('are told at a point of a map, and drawn in tiles, on the other side', async () => {
      const info =
        '/wms?service=WMS&version=1.1.1&request=GetFeatureInfo&layers=default:isles&query_layers=default:isles'
      const at = `${info}&styles=&srs=EPSG:4326&bbox=-180,-20,-160,0&width=200&height=200&info_format=application/json&feature_count=9`
      assert.deepEqual(await namesIn(`${at}&x=30&y=150`), ['east', 'fromEast', 'fromWest', 'upToWest'])
      assert.deepEqual(await namesIn(`${at}&x=101&y=150`), ['point'])
      const tile = await ask('/tiles/default:isles/3/0/4.mvt')
      const layer = new VectorTile(new PbfReader(tile.rawPayload)).layers['isles']
      const drawn = Array.from({ length: layer?.length ?? 0 }, (_, n) => layer?.feature(n).properties['name'])
      assert.deepEqual(drawn.map(String).sort(), ['east', 'fromEast', 'fromWest', 'point', 'upToWest'])
    })
  })
}
