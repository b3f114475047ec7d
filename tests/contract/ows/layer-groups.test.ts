import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import { createTestApp } from '../../support/app.ts'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { clientOf } from '../../support/importer-client.ts'
import { gdal, rasterFixtures } from '../../support/rasters.ts'
import { faultsOfXml } from '../../support/validate-xml.ts'

const catalogues = {
  SQLite: async () => ({}),
  PostgreSQL: async () => ({ TERRANE_DATABASE_URL: await createCatalogDatabase() }),
}

/** A square of 10 degrees with its lower left corner at (x, 0). */
function square(x: number, kind: string): string {
  const ring = [
    [x, 0],
    [x + 10, 0],
    [x + 10, 10],
    [x, 10],
    [x, 0],
  ]
  const feature = {
    type: 'Feature',
    properties: { kind },
    geometry: { type: 'Polygon', coordinates: [ring] },
  }
  return JSON.stringify({ type: 'FeatureCollection', features: [feature] })
}

function filled(color: string): string {
  return `<StyledLayerDescriptor version="1.0.0" xmlns="http://www.opengis.net/sld"><NamedLayer><Name>a</Name><UserStyle><FeatureTypeStyle><Rule><PolygonSymbolizer><Fill><CssParameter name="fill">${color}</CssParameter></Fill></PolygonSymbolizer></Rule></FeatureTypeStyle></UserStyle></NamedLayer></StyledLayerDescriptor>`
}

/** The values of one property of each object of a list. */
function each(list: unknown, property: string): unknown[] {
  return (list as Record<string, unknown>[]).map((one) => one[property])
}

const red = [255, 0, 0, 255]
const blue = [0, 0, 255, 255]
const nothing = [0, 0, 0, 0]

for (const [catalogue, settings] of Object.entries(catalogues)) {
  describe(`groups of layers with ${catalogue}`, () => {
    let client: ImporterClient

    interface Sent {
      body?: unknown
      isAnonymous?: boolean
      headers?: Record<string, string>
    }
    async function send(method: string, url: string, { body, isAnonymous = false, headers = {} }: Sent = {}) {
      const { app, admin } = client.server
      const signedIn = isAnonymous ? {} : admin
      const payload = body === undefined ? undefined : JSON.stringify(body)
      const json = payload === undefined ? {} : { 'content-type': 'application/json' }
      const reply = await app.inject({
        method: method as 'GET',
        url,
        headers: { ...signedIn, ...json, ...headers },
        ...(payload === undefined ? {} : { payload }),
      })
      const isJson = /json/.test(String(reply.headers['content-type']))
      const read = (isJson && reply.body !== '' ? JSON.parse(reply.body) : {}) as Json
      return {
        status: reply.statusCode,
        headers: reply.headers,
        text: reply.body,
        bytes: reply.rawPayload,
        json: read,
      }
    }
    async function createGroup(path: string, layerGroup: object): Promise<void> {
      const made = await send('POST', path, { body: { layerGroup } })
      assert.equal(made.status, 201, made.text)
    }
    const published = (...names: string[]) => ({
      published: names.map((name) => ({ '@type': 'layer', name })),
    })
    const map = (layers: string, more = ''): string =>
      `/wms?service=WMS&version=1.1.1&request=GetMap&layers=${layers}&styles=&srs=EPSG:4326&bbox=0,0,30,15&width=60&height=30&format=image/png&transparent=true${more}`
    /** The cells of a map in the middle of the squares at 0, 10 and 20 degrees. */
    async function squaresOf(url: string, options: Sent = {}): Promise<number[][]> {
      const { status, bytes, text } = await send('GET', url, options)
      assert.equal(status, 200, text)
      const cells = await sharp(bytes).ensureAlpha().raw().toBuffer()
      return [10, 30, 50].map((x) => [...cells.subarray((20 * 60 + x) * 4, (20 * 60 + x) * 4 + 4)])
    }

    before(async () => {
      client = clientOf(await createTestApp({ env: { TERRANE_LOADS: '1', ...(await settings()) } }))
      const { headers } = { headers: { 'content-type': 'application/vnd.ogc.sld+xml' } }
      for (const [name, color] of [
        ['red', '#ff0000'],
        ['blue', '#0000ff'],
      ] as const) {
        const made = await client.server.app.inject({
          method: 'POST',
          url: `/rest/styles?name=${name}`,
          headers: { ...client.server.admin, ...headers },
          payload: filled(color),
        })
        assert.equal(made.statusCode, 201, made.body)
      }
      gdal(
        'gdal_translate',
        '-q',
        join(rasterFixtures, 'RGB.byte.tif'),
        join(client.server.dataDir, 'incoming', 'photo.tif'),
      )
      const created = await client.call('POST', '', { import: { data: { type: 'file', file: 'photo.tif' } } })
      await client.call('POST', `/${created.json.import?.id}`)
      const vectors = await client.call('POST', '', {
        import: { targetStore: { dataStore: { name: 'default' } } },
      })
      const id = Number(vectors.json.import?.id)
      await client.upload(id, [
        { name: 'west.geojson', content: square(0, 'w') },
        { name: 'middle.geojson', content: square(10, 'm') },
        { name: 'east.geojson', content: square(20, 'e') },
      ])
      await client.call('POST', `/${id}`)
      for (const [layer, style] of [
        ['west', 'red'],
        ['middle', 'blue'],
        ['east', 'red'],
      ]) {
        const put = await send('PUT', `/rest/layers/default:${layer}`, {
          body: { layer: { defaultStyle: { name: style }, public: layer === 'west' } },
        })
        assert.equal(put.status, 200, put.text)
      }
      await createGroup('/rest/workspaces/default/layergroups', {
        name: 'pair',
        title: 'West and middle',
        publishables: published('west', 'default:middle'),
        styles: { style: ['', { name: 'red' }] },
      })
      await createGroup('/rest/layergroups', {
        name: 'all',
        mode: 'NAMED',
        abstractTxt: 'Everything',
        publishables: {
          published: [
            { '@type': 'layerGroup', name: 'default:pair' },
            { '@type': 'layer', name: 'default:east' },
          ],
        },
      })
    })
    after(() => client.server.close())

    it('are listed and shown in the shape of GeoServer, with bounds', async () => {
      const { json } = await send('GET', '/rest/workspaces/default/layergroups')
      assert.deepEqual(each(json.layerGroups?.layerGroup, 'name'), ['pair'])
      const href = String(each(json.layerGroups?.layerGroup, 'href')[0])
      const { json: shown, headers } = await send('GET', new URL(href).pathname)
      const { dateCreated, dateModified, publishables, styles, ...rest } =
        shown.layerGroup as never as Record<string, Json>
      assert.ok(String(dateCreated) <= String(dateModified))
      assert.deepEqual(rest, {
        name: 'pair',
        mode: 'SINGLE',
        title: 'West and middle',
        workspace: { name: 'default' },
        bounds: { minx: 0, miny: 0, maxx: 20, maxy: 10, crs: 'EPSG:4326' },
      })
      const members = publishables?.published as unknown as Record<string, string>[]
      assert.deepEqual(
        members.map(({ '@type': type, name }) => [type, name]),
        [
          ['layer', 'default:west'],
          ['layer', 'default:middle'],
        ],
      )
      assert.deepEqual(each(styles?.style, 'name'), [undefined, 'red'])
      const again = await send('GET', new URL(href).pathname, {
        headers: { 'if-none-match': String(headers.etag) },
      })
      assert.equal(again.status, 304)
    })

    it('are drawn as their layers, with the styles of the group, in groups of groups too', async () => {
      assert.deepEqual(await squaresOf(map('default:pair')), [red, red, nothing])
      assert.deepEqual(await squaresOf(map('pair').replace('/wms', '/default/wms')), [red, red, nothing])
      assert.deepEqual(await squaresOf(map('all')), [red, red, red])
      assert.deepEqual(await squaresOf(map('default:middle,default:pair')), [red, red, nothing])
      assert.deepEqual(await squaresOf(map('default:pair,default:middle')), [red, blue, nothing])
    })

    it('take one filter for each name of a request', async () => {
      assert.deepEqual(await squaresOf(map('all', "&cql_filter=kind='m'")), [nothing, red, nothing])
      const two = "&cql_filter=kind<>'m';kind='nothing'"
      assert.deepEqual(await squaresOf(map('all,default:east', two)), [red, nothing, red])
      const wrong = await send('GET', map('all', "&cql_filter=kind='m';kind='e'"))
      assert.equal(wrong.status, 400)
      assert.match(wrong.text, /2 filters for 1 layers/)
    })

    it('answer feature information and a legend of their layers', async () => {
      const point = map('all').replace('GetMap', 'GetFeatureInfo')
      const info = await send('GET', `${point}&query_layers=all&info_format=application/json&x=30&y=20`)
      assert.equal(info.json.features?.[0]?.properties?.kind, 'm', info.text)
      const legend = (layer: string): string =>
        `/wms?service=WMS&version=1.1.1&request=GetLegendGraphic&format=image/png&layer=${layer}`
      const heights = await Promise.all(
        ['default:west', 'all'].map(async (layer) =>
          (await send('GET', legend(layer))).bytes.readUInt32BE(20),
        ),
      )
      const [one = 0, three = 0] = heights
      assert.ok(three > 2 * one, String(heights))
    })

    it('are in valid capabilities: alone, or with their layers inside', async (t) => {
      const texts = await Promise.all(
        ['/wms?service=WMS&version=1.3.0', '/wms?service=WMS&version=1.1.1', '/wmts?service=WMTS'].map(
          async (url) => ({ name: url, text: (await send('GET', `${url}&request=GetCapabilities`)).text }),
        ),
      )
      // Capabilities 1.1.1 have a DTD and no schema.
      const [newest, , tiles] = texts
      assert.deepEqual(
        await faultsOfXml(
          t,
          [newest, tiles].flatMap((one) => one ?? []),
        ),
        {},
      )
      for (const { name: url, text } of texts.slice(0, 2)) {
        for (const name of ['all', 'default:pair', 'default:west', 'default:east', 'default:photo'])
          assert.equal(text.split(`<Name>${name}</Name>`).length, 2, `${url} ${name}`)
        const inside =
          /<Name>all<\/Name>.*?(?=<Layer queryable="1"><Name>default:pair)/s.exec(text)?.[0] ?? ''
        for (const name of ['west', 'middle', 'east'])
          assert.ok(inside.includes(`<Name>default:${name}</Name>`), inside)
      }
      assert.ok(tiles?.text.includes('<ows:Identifier>all</ows:Identifier>'))
    })

    it('have tiles: images by WMTS, features of all layers by TileJSON', async () => {
      const wmts = (layer: string, format: string, style = 'default'): string =>
        `/wmts?service=WMTS&version=1.0.0&request=GetTile&layer=${layer}&style=${style}&format=${format}&tilematrixset=EPSG:4326&tilematrix=0&tilerow=0&tilecol=1`
      const tile = await send('GET', wmts('all', 'image/png'))
      assert.equal(tile.status, 200, tile.text)
      const cells = await sharp(tile.bytes).ensureAlpha().raw().toBuffer()
      const at = (x: number, y: number): number[] => [
        ...cells.subarray((y * 256 + x) * 4, (y * 256 + x) * 4 + 4),
      ]
      // 180 degrees in 256 cells: the equator is row 128.
      assert.deepEqual([at(7, 121), at(21, 121), at(35, 121), at(60, 121)], [red, red, red, nothing])
      const jpeg = await send('GET', wmts('all', 'image/jpeg', ''))
      assert.equal(jpeg.headers['content-type'], 'image/jpeg')
      const kept = await send('GET', wmts('all', 'image/png'), {
        headers: { 'if-none-match': String(tile.headers.etag) },
      })
      assert.equal(kept.status, 304)
      const refused = await send('GET', wmts('all', 'application/vnd.mapbox-vector-tile'))
      assert.equal(refused.status, 400)
      const { json } = await send('GET', '/tiles/all')
      assert.deepEqual(each(json.vector_layers, 'id'), ['west', 'middle', 'east'])
      const { pathname, search } = new URL(String(json.tiles?.[0]).replace('{z}/{x}/{y}', '0/0/0'))
      const vector = await send('GET', `${pathname}${search}`)
      assert.equal(vector.status, 200)
      const style = await send('GET', '/tiles/all/style.json')
      assert.ok(style.text.includes('#ff0000') && !style.text.includes('#0000ff'), style.text)
    })

    it('leave rasters out of vector tiles and say so', async () => {
      await createGroup('/rest/workspaces/default/layergroups', {
        name: 'mixed',
        publishables: published('photo', 'west'),
      })
      const { status, json, headers, text } = await send('GET', '/tiles/default:mixed')
      assert.equal(status, 200, text)
      assert.deepEqual(each(json.vector_layers, 'id'), ['west'])
      assert.equal(headers['terrane-ignored'], 'layer%3Ddefault%3Aphoto')
      const drawn = await send('GET', map('default:mixed'))
      assert.equal(drawn.status, 200, drawn.text)
    })

    it('show each caller only what the caller may read, and nothing of a group without that', async () => {
      assert.deepEqual(await squaresOf(map('all'), { isAnonymous: true }), [red, nothing, nothing])
      const shown = await send('GET', '/rest/layergroups/all', { isAnonymous: true })
      assert.ok(!/east|middle/.test(shown.text), shown.text)
      await createGroup('/rest/layergroups', { name: 'closed', publishables: published('default:east') })
      for (const url of [
        '/rest/layergroups/NAME',
        '/tiles/NAME',
        map('NAME'),
        '/wmts?service=WMTS&version=1.0.0&request=GetTile&layer=NAME&style=&format=image/png&tilematrixset=EPSG:4326&tilematrix=0&tilerow=0&tilecol=1',
      ]) {
        const [closed, missing] = await Promise.all(
          ['closed', 'absent'].map((name) =>
            send('GET', url.replaceAll('NAME', name), { isAnonymous: true }),
          ),
        )
        assert.equal(closed?.status, missing?.status, url)
        assert.ok((closed?.status ?? 0) >= 400, url)
        assert.equal(closed?.text.replaceAll('closed', 'absent'), missing?.text)
      }
      const listed = await send('GET', '/wms?service=WMS&request=GetCapabilities', { isAnonymous: true })
      assert.ok(!listed.text.includes('closed') && listed.text.includes('<Name>all</Name>'))
    })

    it('refuse what does not fit, with nothing saved', async () => {
      const post = (layerGroup: object, path = '/rest/workspaces/default/layergroups') =>
        send('POST', path, { body: { layerGroup } })
      const west = published('west')
      const refused = [
        [await post({ publishables: west }), 400, /layerGroup.name/],
        [await post({ name: 'no/name', publishables: west }), 400, /not valid/],
        [await post({ name: 'empty', publishables: { published: [] } }), 400, /at least one/],
        [await post({ name: 'a', mode: 'EO', publishables: west }), 400, /SINGLE, NAMED/],
        [
          await post({ name: 'a', publishables: published('none') }),
          400,
          /"none" of the group does not exist/,
        ],
        [await post({ name: 'a', publishables: west, styles: { style: ['', ''] } }), 400, /2 styles for 1/],
        [
          await post({ name: 'a', publishables: west, styles: { style: 'none' } }),
          400,
          /"none" .*does not exist/,
        ],
        [await post({ name: 'pair', publishables: west }), 409, /exists already/],
        [await post({ name: 'west', publishables: west }), 409, /layer is named/],
        [
          await post({ name: 'a', publishables: { published: { '@type': 'layerGroup', name: 'none' } } }),
          400,
          /"none"/,
        ],
      ] as const
      for (const [answer, status, text] of refused) {
        assert.equal(answer.status, status, answer.text)
        assert.match(String(answer.json.detail), text)
      }
      const many = Array.from({ length: 51 }, () => 'west')
      const tooMany = await post({ name: 'a', publishables: published(...many) })
      assert.equal(tooMany.status, 400)
      const groups = await send('GET', '/rest/workspaces/default/layergroups/a')
      assert.equal(groups.status, 404)
    })

    it('refuse to contain themselves, directly and through others', async () => {
      await createGroup('/rest/layergroups', {
        name: 'outer',
        publishables: { published: [{ '@type': 'layerGroup', name: 'all' }] },
      })
      for (const inner of ['all', 'outer']) {
        const cycle = await send('PUT', '/rest/layergroups/all', {
          body: { layerGroup: { publishables: { published: [{ '@type': 'layerGroup', name: inner }] } } },
        })
        assert.equal(cycle.status, 400, cycle.text)
        assert.equal(cycle.json.code, 'layer-group-cycle', cycle.text)
      }
      assert.deepEqual(await squaresOf(map('all')), [red, red, red])
    })

    it('change by the state that was read, and lose what is deleted', async () => {
      await createGroup('/rest/workspaces/default/layergroups', {
        name: 'short',
        publishables: published('west', 'middle'),
      })
      const path = '/rest/workspaces/default/layergroups/short'
      const { headers } = await send('GET', path)
      const match = { 'if-match': String(headers.etag) }
      const body = { layerGroup: { title: 'Only the middle', publishables: published('middle') } }
      const changed = await send('PUT', path, { body, headers: match })
      assert.equal(changed.status, 200, changed.text)
      assert.deepEqual(await squaresOf(map('default:short')), [nothing, blue, nothing])
      const late = await send('PUT', path, { body, headers: match })
      assert.equal(late.status, 412)
      const removed = await send('DELETE', '/rest/layers/default:middle?recurse=true')
      assert.equal(removed.status, 200, removed.text)
      const gone = await send('GET', map('default:short'))
      assert.equal(gone.status, 404)
      assert.deepEqual(await squaresOf(map('default:pair')), [red, nothing, nothing])
      assert.equal((await send('DELETE', path)).status, 200)
      assert.equal((await send('GET', path)).status, 404)
    })
  })
}
