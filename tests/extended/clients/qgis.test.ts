import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { documentedPage } from '../../support/map-pages.ts'
import { makeToken, readerPassword } from '../../support/map-token.ts'
import { colouredShares, differentCells, differentColours, meanColours } from '../../support/pictures.ts'
import { testCluster } from '../../support/postgres.ts'
import type { Qgis } from '../../support/qgis.ts'
import { squareOf, startQgis, tilesOf } from '../../support/qgis.ts'
import { rasterize, warp } from '../../support/rasterized.ts'
import type { ServedMaps } from '../../support/served-maps.ts'
import { serveMaps } from '../../support/served-maps.ts'

interface Rows {
  ids: number[]
  rows: string[][]
}
interface Compared {
  expected: string[]
  shown: string[]
  far: [string, number, number, boolean][]
}

interface Drawn {
  isValid: boolean
  errors: string[]
  to: string
}

describe('maps in QGIS, out of PostGIS', () => {
  const ends: (() => void)[] = []
  let server: ServedMaps
  let qgis: Qgis
  before(async () => {
    const cleanup = { after: (work: () => void) => ends.push(work) }
    const database = await (await testCluster()).createDatabase()
    server = await serveMaps(cleanup, { TERRANE_DATABASE_URL: database })
    qgis = startQgis(cleanup)
  })
  after(async () => {
    await server.stop()
    for (const end of ends.reverse()) end()
  })
  const tiles = (layer: string): string => tilesOf(`${server.url}/tiles/default:${layer}/{z}/{x}/{y}.mvt`)
  const rowsOf = async (file: string, names: string[]): Promise<string[][]> =>
    (
      await qgis.ask<{ rows: string[][] }>({
        do: 'features',
        kind: 'ogr',
        uri: join(server.sources, file),
        names,
      })
    ).rows.sort()

  it('are read as vector tiles, every feature with its attributes', async () => {
    const kinds = {
      countries: ['countries.geojson', 'NAME', 'POP_EST'],
      boundary_lines: ['boundary_lines.shp', 'name', 'scalerank'],
      places: ['places.geojson', 'name', 'population'],
      states: ['states.shp', 'name', 'area_sqkm'],
    }
    for (const [layer, [file = '', ...names]] of Object.entries(kinds)) {
      const request = { do: 'tiles', kind: 'tiles', uri: tiles(layer), extent: squareOf(), names }
      const { rows } = await qgis.ask<Rows>(request)
      assert.deepEqual(rows.sort(), await rowsOf(file, names), layer)
    }
  })

  it('have every shape where its file has it', async () => {
    for (const [layer, file, key, z, x, y] of [
      ['countries', 'countries.geojson', 'NAME', 2, 2, 1],
      ['europe', 'europe.gpkg', 'NAME', 4, 8, 5],
      ['boundary_lines', 'boundary_lines.shp', '', 2, 2, 1],
    ] as const) {
      const extent = squareOf(z, x, y)
      const unit = (extent[2] - extent[0]) / 4096
      const request = {
        do: 'compare',
        kind: 'tiles',
        uri: tiles(layer),
        extent,
        key,
        source: join(server.sources, file),
        unit: unit * 1.5,
      }
      const { expected, shown, far } = await qgis.ask<Compared>(request)
      assert.deepEqual(shown, expected, layer)
      assert.deepEqual(far, [], layer)
    }
  })

  it('are drawn', async () => {
    const to = join(server.sources, 'qgis.png')
    const { errors } = await qgis.ask<{ errors: string[] }>({
      do: 'draw',
      layers: [{ kind: 'tiles', uri: tiles('countries') }],
      extent: squareOf(),
      to,
    })
    assert.deepEqual(errors, [])
    const file = join(server.sources, 'countries.geojson')
    const expected = await colouredShares(readFileSync(await rasterize(file, `${file}.tif`)), '#000000')
    assert.deepEqual(differentCells(await colouredShares(readFileSync(to), '#4477aa'), expected, 0.05), [])
  })

  it('are opened by the script of the document, which draws each layer', async () => {
    const script = documentedPage('docs/maps.md > QGIS > python 1', server)
    const extent = squareOf(6, 18, 27)
    const drawn = await qgis.ask<Record<string, Drawn>>({
      do: 'script',
      script,
      extent,
      to: join(server.sources, 'script'),
    })
    assert.deepEqual(Object.keys(drawn).sort(), ['features', 'picture', 'tiles'])
    for (const [name, { isValid, errors }] of Object.entries(drawn))
      assert.deepEqual([isValid, errors], [true, []], name)
    const truth = await warp(join(server.sources, 'islands.tif'), extent, join(server.sources, 'warped.tif'))
    const picture = readFileSync(drawn.picture?.to ?? '')
    assert.deepEqual(differentColours(await meanColours(picture), await meanColours(readFileSync(truth))), [])
  })

  it('are signed in to with a token in the address, or a login of QGIS', async () => {
    const names = ['name']
    const expected = await rowsOf('states.shp', names)
    const address = `${server.url}/tiles/default:secret/{z}/{x}/{y}.mvt`
    const { id } = await qgis.ask<{ id: string }>({ do: 'login', user: 'reader', password: readerPassword })
    const ways = {
      'a token': tilesOf(`${address}?access_token=${await makeToken(server)}`),
      'a login': `${tilesOf(address)}&authcfg=${id}`,
    }
    for (const [way, uri] of Object.entries(ways)) {
      const { rows } = await qgis.ask<Rows>({ do: 'tiles', kind: 'tiles', uri, extent: squareOf(), names })
      assert.deepEqual(rows.sort(), expected, way)
    }
    const features = `url='${server.url}/ogc' typename='default:secret' authcfg=${id}`
    const { rows } = await qgis.ask<Rows>({ do: 'features', kind: 'OAPIF', uri: features, names })
    assert.deepEqual(rows.sort(), expected, 'features')
  })

  it('are nothing without signing in', async () => {
    const uri = tiles('secret')
    const { rows } = await qgis.ask<Rows>({ do: 'tiles', kind: 'tiles', uri, extent: squareOf(), names: [] })
    assert.deepEqual(rows, [])
  })
})
