import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import { emptyPicture } from '../../../src/render/pictures/encode-picture.ts'
import { getTileMatrixSet, tileEnvelope } from '../../../src/tiles/tile-matrix-sets.ts'
import { createTestApp } from '../../support/app.ts'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import type { ImporterClient } from '../../support/importer-client.ts'
import { clientOf } from '../../support/importer-client.ts'
import { untilTagged, untilUnchanged } from '../../support/known-answers.ts'
import type { Points } from '../../support/versioned-layers.ts'
import { importPoints } from '../../support/versioned-layers.ts'

const shapes = {
  'SQLite and GeoPackage': async () => ({}),
  'PostgreSQL and PostGIS': async () => ({ TERRANE_DATABASE_URL: await createCatalogDatabase() }),
}

const mark = (color: string, size: number): string =>
  `<PointSymbolizer><Graphic><Mark><WellKnownName>square</WellKnownName><Fill><CssParameter name="fill">${color}</CssParameter></Fill></Mark><Size>${size}</Size></Graphic></PointSymbolizer>`
const label =
  '<TextSymbolizer><Label><ogc:PropertyName>name</ogc:PropertyName></Label><Font><CssParameter name="font-size">14</CssParameter></Font><Fill><CssParameter name="fill">#000000</CssParameter></Fill></TextSymbolizer>'
const sld = (symbols: string): string =>
  `<StyledLayerDescriptor version="1.0.0" xmlns="http://www.opengis.net/sld" xmlns:ogc="http://www.opengis.net/ogc"><NamedLayer><Name>x</Name><UserStyle><FeatureTypeStyle><Rule>${symbols}</Rule></FeatureTypeStyle></UserStyle></NamedLayer></StyledLayerDescriptor>`

/** Two of them in the middle of tiles, three on the edges of tiles and metatiles. */
const points: Points = [
  ['Mitte', 5, 5],
  ['Null', 0, 0],
  ['West', -45, 20],
  ['Nord', 20, 40.9799],
  ['Ost', 90.01, -20],
]

async function pixelsOf(bytes: Uint8Array): Promise<Buffer> {
  return sharp(bytes).ensureAlpha().raw().toBuffer()
}

/** Joins pictures of adjacent squares. */
async function together(tiles: readonly Buffer[], columns: number): Promise<Buffer> {
  const side = 256 * columns
  const placed = tiles.flatMap((input, at) =>
    input.length === 0 ? [] : [{ input, left: 256 * (at % columns), top: 256 * Math.floor(at / columns) }],
  )
  const ground = { width: side, height: side, channels: 4 as const, background: '#00000000' }
  return sharp({ create: ground }).composite(placed).raw().toBuffer()
}

for (const [shape, settings] of Object.entries(shapes)) {
  describe(`tiles of features as pictures, with ${shape}`, () => {
    let client: ImporterClient
    const get = (url: string, headers: Record<string, string> = {}) =>
      client.server.app.inject({ url, headers: { ...client.server.admin, ...headers } })
    const tile = async (path: string): Promise<Buffer> => {
      const reply = await get(`/tiles/default:places/${path}`)
      assert.equal(reply.statusCode, 200, `${path}: ${reply.body}`)
      return reply.rawPayload
    }
    const style = async (name: string, document: string): Promise<void> => {
      const { admin } = client.server
      const put = await client.server.app.inject({
        method: 'POST',
        url: '/rest/styles',
        payload: { style: { name, format: 'sld', document } },
        headers: admin,
      })
      assert.equal(put.statusCode, 201, put.body)
    }

    before(async () => {
      client = clientOf(await createTestApp({ env: { TERRANE_LOADS: '1', ...(await settings()) } }))
      await importPoints(client.server, { name: 'places', points })
      await style('marks', sld(mark('#ff0000', 40)))
      await style('labels', sld(label))
    })
    after(() => client.server.close())

    it('have the pixels of WMS, over the edges of tiles and metatiles too', async () => {
      const [z, across] = [3, 8]
      const paths = Array.from({ length: across * across }, (_, at) => [at % across, Math.floor(at / across)])
      const tiles = await Promise.all(paths.map(([x, y]) => tile(`${z}/${x}/${y}.png?style=marks`)))
      assert.ok(tiles.filter((bytes) => bytes.equals(emptyPicture('png', 256))).length > 40, 'most are empty')
      const { minX, minY, maxX, maxY } = tileEnvelope(getTileMatrixSet('WebMercatorQuad'), {
        z: 0,
        x: 0,
        y: 0,
      })
      const map = await get(
        `/wms?service=WMS&version=1.3.0&request=GetMap&layers=default:places&styles=marks&crs=EPSG:3857&bbox=${[minX, minY, maxX, maxY]}&width=2048&height=2048&format=image/png&transparent=true`,
      )
      assert.equal(map.statusCode, 200, map.body)
      const [found, expected] = [await together(tiles, across), await pixelsOf(map.rawPayload)]
      // A share of a cell may be rounded to the next shade.
      assert.ok(found.every((value, at) => Math.abs(value - (expected[at] ?? 0)) <= 3))
    })

    it('have labels whole', async () => {
      const paths = Array.from({ length: 64 }, (_, at) => [at % 8, Math.floor(at / 8)])
      const tiles = await Promise.all(paths.map(([x, y]) => tile(`3/${x}/${y}.png?style=labels`)))
      const found = await together(tiles, 8)
      const isDrawn = (x: number, y: number): boolean => (found[(y * 2048 + x) * 4 + 3] ?? 0) > 128
      let whole = 0
      for (const [, longitude, latitude] of points) {
        const x = ((longitude + 180) / 360) * 2048
        const radians = (latitude * Math.PI) / 180
        const y = (1 - Math.asinh(Math.tan(radians)) / Math.PI) * 1024
        let [left, right] = [0, 0]
        for (let column = Math.round(x) - 30; column < x + 30; column += 1)
          for (let row = Math.round(y) - 10; row < y + 10; row += 1)
            if (isDrawn(column, row)) {
              if (column < x) left += 1
              else right += 1
            }
        assert.equal(left > 20, right > 20, `${longitude} ${latitude}: ${left} ${right}`)
        if (left > 20) whole += 1
      }
      assert.ok(whole >= 2, `${whole}`)
    })

    it('are twice as large with @2x, in WebP too, and known by their tags', async () => {
      const usual = await untilTagged(() => get('/tiles/default:places/2/2/1.png?style=marks'))
      const large = await get('/tiles/default:places/2/2/1@2x.webp?style=marks')
      assert.equal((await sharp(usual.rawPayload).metadata()).width, 256)
      const { width, format } = await sharp(large.rawPayload).metadata()
      assert.deepEqual([width, format], [512, 'webp'])
      const count = async (bytes: Buffer) =>
        (await pixelsOf(bytes)).filter((_, at) => at % 4 === 3 && _ > 128).length
      const ratio = (await count(large.rawPayload)) / (await count(usual.rawPayload))
      assert.ok(ratio > 3.8 && ratio < 4.2, `${ratio}`)
      const tag = String(usual.headers.etag)
      await untilUnchanged(() => get('/tiles/default:places/2/2/1.png?style=marks', { 'if-none-match': tag }))
      const other = await get('/tiles/default:places/2/2/1.png', { 'if-none-match': tag })
      assert.equal(other.statusCode, 200)
    })

    it('are never those of an older style or of older data', async () => {
      const path = '2/2/1.png?style=changing'
      await style('changing', sld(mark('#00ff00', 30)))
      const before = await tile(path)
      const change = { style: { name: 'changing', format: 'sld', document: sld(mark('#0000ff', 30)) } }
      const put = await client.server.app.inject({
        method: 'PUT',
        url: '/rest/styles/changing',
        payload: change,
        headers: client.server.admin,
      })
      assert.ok(put.statusCode < 300, put.body)
      const changed = await pixelsOf(await tile(path))
      assert.ok(!changed.equals(await pixelsOf(before)))
      assert.ok(changed.some((value, at) => at % 4 === 2 && value === 255))
      await importPoints(client.server, { name: 'passing', points: [['a', 5, 5]] })
      const passing = '/tiles/default:passing/2/2/1.png?style=marks'
      assert.equal((await get(passing)).statusCode, 200)
      await importPoints(client.server, { name: 'passing', mode: 'REPLACE', points: [['a', -100, 5]] })
      assert.ok(
        (await pixelsOf((await get(passing)).rawPayload)).every((value, at) => at % 4 !== 3 || value === 0),
      )
    })

    it('say why there are none', async () => {
      const refused = await get('/tiles/default:places/3/8/0.png')
      assert.deepEqual([refused.statusCode, refused.json().code], [404, 'unknown-tile'])
      const unknown = await get('/tiles/default:places/0/0/0.png?style=none')
      assert.deepEqual([unknown.statusCode, unknown.json().code], [404, 'unknown-style'])
      assert.ok((await pixelsOf(await tile('22/0/0.png'))).every((value, at) => at % 4 !== 3 || value === 0))
    })
  })
}
