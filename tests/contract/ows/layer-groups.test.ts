import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import {
  blue,
  each,
  groupCatalogues,
  map,
  nothing,
  published,
  red,
  startGroups,
} from '../../support/layer-groups.ts'
import { faultsOfXml } from '../../support/validate-xml.ts'

for (const [catalogue, settings] of Object.entries(groupCatalogues)) {
  describe(`groups of layers in services with ${catalogue}`, () => {
    let groups: Awaited<ReturnType<typeof startGroups>>
    const send: typeof groups.send = (...request) => groups.send(...request)
    const createGroup: typeof groups.createGroup = (...group) => groups.createGroup(...group)
    const squaresOf: typeof groups.squaresOf = (...request) => groups.squaresOf(...request)
    before(async () => {
      groups = await startGroups(await settings())
    })
    after(() => groups.client.server.close())

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

    it('are tile maps of TMS, and answer at a cell of a tile by WMTS', async () => {
      const list = await send('GET', '/gwc/service/tms/1.0.0')
      const [, href = ''] =
        /srs="EPSG:4326" profile="[^"]*" href="([^"]*\/all@[^"]*png)"/.exec(list.text) ?? []
      const document = await send('GET', new URL(href).pathname)
      assert.equal(document.status, 200, document.text)
      const [, zoom = ''] = /<TileSet href="([^"]*)"[^>]* order="0"/.exec(document.text) ?? []
      const tile = await send('GET', `${new URL(zoom).pathname}/1/0.png`)
      assert.equal(tile.status, 200, tile.text)
      const cells = await sharp(tile.bytes).ensureAlpha().raw().toBuffer()
      assert.deepEqual([...cells.subarray((121 * 256 + 7) * 4, (121 * 256 + 7) * 4 + 4)], red)
      const point = '&tilematrixset=EPSG:4326&tilematrix=0&tilerow=0&tilecol=1&i=21&j=121'
      const info = await send(
        'GET',
        `/wmts?service=WMTS&version=1.0.0&request=GetFeatureInfo&layer=all&style=default&format=image/png&infoformat=application/json${point}`,
      )
      assert.equal(info.json.features?.[0]?.properties?.kind, 'm', info.text)
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
      // Two layers of one name cannot be in one tile, also where a group names one of them.
      const twice = await send('GET', '/tiles/default:west,default:mixed')
      assert.equal(twice.json.code, 'equal-layers', twice.text)
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
  })
}
