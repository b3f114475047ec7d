import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { getTileMatrixSet, tileEnvelope } from '../../../src/tiles/tile-matrix-sets.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import { untilTagged, untilUnchanged } from '../../support/known-answers.ts'
import type { Points } from '../../support/versioned-layers.ts'
import { importPoints } from '../../support/versioned-layers.ts'

const shapes = {
  'SQLite and GeoPackage': async () => ({}),
  'PostgreSQL and PostGIS': async () => ({ TERRANE_DATABASE_URL: await createCatalogDatabase() }),
}
const relations = 'http://www.opengis.net/def/rel/ogc/1.0'
const definitions = 'http://www.opengis.net/def/tilematrixset/OGC/1.0'
const sets = ['WebMercatorQuad', 'WorldCRS84Quad'] as const
/** The area between the two points is empty. */
const points: Points = [
  ['east', 24.9, 60.2],
  ['south', -70.7, -33.4],
]

function mercatorOf(longitude: number, latitude: number): number[] {
  const radians = Math.PI / 180
  return [6378137 * longitude * radians, 6378137 * Math.asinh(Math.tan(latitude * radians))]
}

interface Link {
  rel: string
  type?: string
  href: string
  templated?: boolean
}
interface Limits {
  tileMatrix: string
  minTileRow: number
  maxTileRow: number
  minTileCol: number
  maxTileCol: number
}
interface Tileset {
  dataType: string
  crs: string
  tileMatrixSetURI: string
  links: Link[]
  tileMatrixSetLimits: Limits[]
  boundingBox: { lowerLeft: number[]; upperRight: number[]; crs: string }
  centerPoint: { coordinates: number[]; tileMatrix: string }
  layers: { id: string; propertiesSchema: { properties: Record<string, object> } }[]
  mediaTypes: string[]
}

for (const [name, environment] of Object.entries(shapes))
  describe(`OGC API Tiles over ${name}`, () => {
    let server: TestApp
    before(async () => {
      server = await createTestApp({ env: await environment() })
      await server.app.inject({
        method: 'POST',
        url: '/rest/workspaces',
        headers: server.admin,
        payload: { workspace: { name: 'open', public: true } },
      })
      await importPoints(server, { workspace: 'open', name: 'cities', points })
    })
    after(() => server.close())
    const get = (url: string, headers: Record<string, string> = {}) => server.app.inject({ url, headers })
    const pathOf = (href: string): string => {
      const { pathname, search } = new URL(href)
      return decodeURI(pathname) + search
    }
    const read = async <T>(path: string): Promise<T> => {
      const reply = await get(path, { accept: 'application/json' })
      assert.equal(reply.statusCode, 200, `${path} ${reply.body}`)
      assert.match(String(reply.headers['content-type']), /^application\/json/)
      return reply.json<T>()
    }
    const linkOf = ({ links }: { links: Link[] }, rel: string): Link => {
      const link = links.find((one) => one.rel === rel)
      assert.ok(link, rel)
      return link
    }
    const tilesets = async (): Promise<Tileset[]> => {
      const list = await read<{ tilesets: Tileset[] }>('/ogc/collections/open:cities/tiles')
      return Promise.all(list.tilesets.map((one) => read<Tileset>(pathOf(linkOf(one, 'self').href))))
    }
    const fill = ({ href }: Link, z: number, row: number, column: number): string =>
      pathOf(
        href.replace('{tileMatrix}', `${z}`).replace('{tileRow}', `${row}`).replace('{tileCol}', `${column}`),
      )

    it('declares its classes', async () => {
      const { conformsTo } = await read<{ conformsTo: string[] }>('/ogc/conformance')
      for (const one of ['core', 'tileset', 'tilesets-list', 'geodata-tilesets', 'oas30', 'mvt'])
        assert.ok(conformsTo.includes(`http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/${one}`), one)
    })

    it('leads from the landing page and the collection to its tilesets', async () => {
      const landing = await read<{ links: Link[] }>('/ogc/')
      const { tileMatrixSets } = await read<{ tileMatrixSets: { id: string }[] }>(
        pathOf(linkOf(landing, `${relations}/tiling-schemes`).href),
      )
      assert.deepEqual(
        tileMatrixSets.map(({ id }) => id),
        [...sets],
      )
      for (const path of ['/ogc/collections/open:cities', '/ogc/collections']) {
        const found = await read<{ links: Link[]; collections?: { links: Link[] }[] }>(path)
        const link = linkOf(found.collections?.[0] ?? found, `${relations}/tilesets-vector`)
        assert.equal(pathOf(link.href), '/ogc/collections/open%3Acities/tiles')
      }
    })

    it('lists the tilesets of a collection', async () => {
      const list = await read<{ tilesets: Tileset[]; links: Link[] }>('/ogc/collections/open:cities/tiles')
      assert.equal(list.tilesets.length, 2)
      for (const [index, one] of list.tilesets.entries()) {
        const set = sets[index]
        assert.equal(one.dataType, 'vector')
        assert.match(one.crs, /^http:\/\/www\.opengis\.net\/def\/crs\//)
        assert.equal(one.tileMatrixSetURI, `${definitions}/${set}`)
        assert.equal(pathOf(linkOf(one, 'self').href), `/ogc/collections/open%3Acities/tiles/${set}`)
        const { id } = await read<{ id: string }>(pathOf(linkOf(one, `${relations}/tiling-scheme`).href))
        assert.equal(id, set)
      }
    })

    it('describes a tileset by the data model of tilesets', async () => {
      for (const [index, tileset] of (await tilesets()).entries()) {
        assert.equal(tileset.tileMatrixSetURI, `${definitions}/${sets[index]}`)
        const { crs } = await read<{ crs: string }>(
          pathOf(linkOf(tileset, `${relations}/tiling-scheme`).href),
        )
        assert.equal(tileset.crs, crs)
        const { href, type, templated } = linkOf(tileset, 'item')
        assert.match(href, /\/\{tileMatrix\}\/\{tileRow\}\/\{tileCol\}$/)
        assert.deepEqual([type, templated], ['application/vnd.mapbox-vector-tile', true])
        assert.ok(linkOf(tileset, `${relations}/conformance`) && linkOf(tileset, `${relations}/geodata`))
        assert.deepEqual(tileset.boundingBox.lowerLeft, [-70.7, -33.4])
        assert.deepEqual(tileset.boundingBox.upperRight, [24.9, 60.2])
        assert.deepEqual(
          tileset.layers.map(({ id }) => id),
          ['cities'],
        )
        assert.deepEqual(tileset.layers[0]?.propertiesSchema.properties, { name: { type: 'string' } })
        assert.deepEqual(
          tileset.tileMatrixSetLimits.map(({ tileMatrix }) => tileMatrix),
          Array.from({ length: 23 }, (_, z) => `${z}`),
        )
        const { headers } = await get(`/ogc/collections/open:cities/tiles/${sets[index]}`)
        assert.match(String(headers['link-template']), /^<http.*\{tileCol\}>; rel="item"; type="/)
      }
    })

    it('tells tile matrix sets as they are registered', async () => {
      const registered = {
        WebMercatorQuad: {
          scale: 559082264.028717,
          cell: 156543.033928041,
          origin: [-20037508.3427892, 20037508.3427892],
          matrices: 25,
          width: 1,
          height: 1,
          crs: 'EPSG/0/3857',
          axes: ['X', 'Y'],
        },
        WorldCRS84Quad: {
          scale: 279541132.014358,
          cell: 0.703125,
          origin: [-180, 90],
          matrices: 24,
          width: 2,
          height: 1,
          crs: 'OGC/1.3/CRS84',
          axes: ['Lon', 'Lat'],
        },
      }
      const near = (found: number, expected: number): void =>
        assert.ok(Math.abs(found / expected - 1) < 1e-12, `${found} ${expected}`)
      for (const set of sets) {
        const { scale, cell, origin, matrices, width, height, crs, axes } = registered[set]
        const found = await read<{
          id: string
          uri: string
          crs: string
          orderedAxes: string[]
          tileMatrices: Record<string, number>[]
        }>(`/ogc/tileMatrixSets/${set}`)
        assert.deepEqual([found.id, found.uri, found.orderedAxes], [set, `${definitions}/${set}`, axes])
        assert.equal(found.crs, `http://www.opengis.net/def/crs/${crs}`)
        assert.equal(found.tileMatrices.length, matrices)
        for (const [z, matrix] of found.tileMatrices.entries()) {
          const { scaleDenominator = 0, cellSize = 0, pointOfOrigin, ...rest } = matrix
          near(scaleDenominator, scale / 2 ** z)
          near(cellSize, cell / 2 ** z)
          for (const axis of [0, 1])
            near((pointOfOrigin as unknown as number[])[axis] ?? 0, origin[axis] ?? 0)
          assert.deepEqual(rest, {
            id: `${z}`,
            tileWidth: 256,
            tileHeight: 256,
            matrixWidth: width * 2 ** z,
            matrixHeight: height * 2 ** z,
          })
        }
      }
      assert.equal((await get('/ogc/tileMatrixSets/UTM31WGS84Quad')).statusCode, 404)
    })

    it('has tiles at its templates, row before column', async () => {
      for (const [index, tileset] of (await tilesets()).entries()) {
        const set = getTileMatrixSet(sets[index] ?? 'WebMercatorQuad')
        for (const z of [0, 3, 9]) {
          const { minTileRow, maxTileCol } = tileset.tileMatrixSetLimits[z] as Limits
          const reply = await get(fill(linkOf(tileset, 'item'), z, minTileRow, maxTileCol))
          assert.equal(reply.statusCode, 200, `${set.id} ${z}`)
          assert.equal(reply.headers['content-type'], 'application/vnd.mapbox-vector-tile')
          const { cities } = new VectorTile(new PbfReader(reply.rawPayload)).layers
          assert.ok(cities !== undefined && cities.length > 0)
          const names = Array.from({ length: cities.length }, (_, at) => cities.feature(at).properties.name)
          assert.ok(names.includes('east'), `${set.id} ${z}`)
        }
      }
    })

    it('is 404 beyond its limits and 204 where nothing is', async () => {
      for (const tileset of await tilesets()) {
        const item = linkOf(tileset, 'item')
        const { minTileRow, maxTileRow, minTileCol, maxTileCol } = tileset.tileMatrixSetLimits[9] as Limits
        const status = async (z: number, row: number, column: number) =>
          (await get(fill(item, z, row, column))).statusCode
        assert.equal(await status(9, minTileRow, minTileCol), 204)
        for (const [row, column] of [
          [minTileRow - 1, maxTileCol],
          [maxTileRow + 1, maxTileCol],
          [minTileRow, minTileCol - 1],
          [minTileRow, maxTileCol + 1],
        ])
          assert.equal(await status(9, row ?? 0, column ?? 0), 404, `${row} ${column}`)
        for (const [z, row, column] of [
          [23, 0, 0],
          [0, 1, 0],
          [-1, 0, 0],
          [0, 0, 7],
        ])
          assert.equal(await status(z ?? 0, row ?? 0, column ?? 0), 404)
      }
      assert.equal((await get('/ogc/collections/open:cities/tiles/Other/0/0/0')).statusCode, 404)
      assert.equal((await get('/ogc/collections/open:cities/tiles/WebMercatorQuad/a/b/c')).statusCode, 404)
    })

    it('holds features in the grid of the tile, by both sets', async () => {
      for (const [index, tileset] of (await tilesets()).entries()) {
        const set = getTileMatrixSet(sets[index] ?? 'WebMercatorQuad')
        const { minTileRow: y, maxTileCol: x } = tileset.tileMatrixSetLimits[6] as Limits
        const { rawPayload } = await get(fill(linkOf(tileset, 'item'), 6, y, x))
        const { layers } = new VectorTile(new PbfReader(rawPayload))
        assert.deepEqual(Object.keys(layers), ['cities'])
        const feature = layers.cities?.feature(0)
        assert.equal(feature?.type, 1)
        const place = feature?.loadGeometry()[0]?.[0]
        const { minX, minY, maxX, maxY } = tileEnvelope(set, { z: 6, x, y })
        const expected = set.id === 'WorldCRS84Quad' ? [24.9, 60.2] : mercatorOf(24.9, 60.2)
        assert.ok(
          Math.abs(minX + ((place?.x ?? 0) / 4096) * (maxX - minX) - (expected[0] ?? 0)) <=
            (maxX - minX) / 4096,
        )
        assert.ok(
          Math.abs(maxY - ((place?.y ?? 0) / 4096) * (maxY - minY) - (expected[1] ?? 0)) <=
            (maxY - minY) / 4096,
        )
      }
    })

    interface Described {
      paths: Record<string, { get: { operationId: string; parameters: { $ref: string }[] } }>
      components: {
        parameters: Record<
          string,
          { name: string; in: string; required: boolean; schema: { type: string; minimum?: number } }
        >
      }
    }
    const described = async (): Promise<Described> => (await get('/ogc/api')).json<Described>()

    it('describes the parameters of a tile', async () => {
      const { paths, components } = await described()
      const [, tile] = Object.entries(paths).find(([path]) => path.endsWith('/{tileRow}/{tileCol}')) ?? []
      const parameters = tile?.get.parameters.map(
        ({ $ref }) => components.parameters[$ref.split('/').at(-1) ?? ''],
      )
      for (const [parameter, type] of Object.entries({
        tileMatrix: 'string',
        tileRow: 'integer',
        tileCol: 'integer',
      })) {
        const found = parameters?.find((one) => one?.name === parameter)
        assert.deepEqual([found?.in, found?.required, found?.schema.type], ['path', true, type])
        if (type === 'integer') assert.equal(found?.schema.minimum, 0)
      }
    })

    it('describes every path that links lead to', async () => {
      const { paths } = await described()
      const patterns = Object.keys(paths).map(
        (path) => new RegExp(`^/ogc${path.replace(/\{\w+\}/g, '[^/]+').replace(/^\/$/, '/?')}$`),
      )
      const list = await read<{ links: Link[]; tilesets: Tileset[] }>('/ogc/collections/open:cities/tiles')
      const all = [
        ...(await read<{ links: Link[] }>('/ogc/')).links,
        ...list.links,
        ...(await tilesets()).flatMap(({ links }) => links),
      ]
      for (const { href } of all) {
        const { pathname } = new URL(href)
        if (pathname.startsWith('/ogc'))
          assert.ok(
            patterns.some((one) => one.test(pathname)),
            pathname,
          )
        else assert.match(pathname, /^\/(?:docs$|stac$|tiles\/)/)
      }
    })

    it('names operations by the suffixes of the standard', async () => {
      const ids = Object.values((await described()).paths).map((one) => one.get.operationId)
      for (const suffix of ['getTileSetsList', 'getTileSet', 'getTile'])
        assert.equal(ids.filter((id) => id.endsWith(`.collection.vector.${suffix}`)).length, 1, suffix)
    })

    it('refuses parameters that it does not know', async () => {
      const tiles = '/ogc/collections/open:cities/tiles'
      for (const path of [
        '/ogc/tileMatrixSets',
        '/ogc/tileMatrixSets/WebMercatorQuad',
        tiles,
        `${tiles}/WebMercatorQuad`,
        `${tiles}/WebMercatorQuad/0/0/0`,
      ]) {
        const reply = await get(`${path}?nonsense=1&access_token=x&properties=name`)
        assert.equal(reply.statusCode, 400, path)
        const { errors } = reply.json<{ errors: string[] }>()
        assert.deepEqual(errors.map((one) => /"(.*)"/.exec(one)?.[1]).sort(), [
          'access_token',
          'nonsense',
          'properties',
        ])
      }
    })

    it('keeps to rights, versions and reasons as elsewhere', async () => {
      await importPoints(server, { name: 'hidden' })
      const tile = (layer: string) => `/ogc/collections/${layer}/tiles/WebMercatorQuad/0/0/0`
      const [hidden, absent] = await Promise.all([get(tile('default:hidden')), get(tile('default:absent'))])
      assert.deepEqual([hidden.statusCode, hidden.body], [absent.statusCode, absent.body])
      assert.equal(hidden.statusCode, 401)
      const own = await get(tile('default:hidden'), server.admin)
      assert.deepEqual([own.statusCode, own.headers['cache-control']], [200, 'private, no-cache'])
      const { headers } = await untilTagged(() => get(tile('open:cities')))
      assert.equal(headers['cache-control'], 'public, max-age=300, s-maxage=60')
      await untilUnchanged(() => get(tile('open:cities'), { 'if-none-match': String(headers.etag) }))
    })
  })
