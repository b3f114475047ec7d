import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import { createTestApp } from '../../support/app.ts'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import type { ImporterClient } from '../../support/importer-client.ts'
import { clientOf } from '../../support/importer-client.ts'

const shapes = {
  'SQLite and GeoPackage': async () => ({}),
  'PostgreSQL and PostGIS': async () => ({ TERRANE_DATABASE_URL: await createCatalogDatabase() }),
}

const square = (x: number, y: number, side: number): number[][][] => [
  [
    [x, y],
    [x + side, y],
    [x + side, y + side],
    [x, y + side],
    [x, y],
  ],
]
const features = [
  { kind: 'area', n: 1, geometry: { type: 'Polygon', coordinates: square(0, 0, 10) } },
  { kind: 'Größe "x"', n: 2, geometry: { type: 'Polygon', coordinates: square(20, 0, 10) } },
  { kind: null, n: null, geometry: { type: 'Polygon', coordinates: square(40, 0, 10) } },
  {
    kind: 'line',
    n: 3,
    geometry: {
      type: 'LineString',
      coordinates: [
        [0, 20],
        [50, 20],
      ],
    },
  },
  { kind: 'point', n: 4, geometry: { type: 'Point', coordinates: [5, 35] } },
  { kind: 'nowhere', n: 5, geometry: null },
]
const collection = JSON.stringify({
  type: 'FeatureCollection',
  features: features.map(({ geometry, ...properties }) => ({ type: 'Feature', properties, geometry })),
})

/** Two areas side by side, a third above the first, two points and a line near them. */
const crowd = JSON.stringify({
  type: 'FeatureCollection',
  features: [
    { name: 'left', geometry: { type: 'Polygon', coordinates: square(0, 0, 10) } },
    { name: 'right', geometry: { type: 'Polygon', coordinates: square(10, 0, 10) } },
    { name: 'above', geometry: { type: 'MultiPolygon', coordinates: [square(2, 2, 2)] } },
    { name: 'further', geometry: { type: 'Point', coordinates: [7.3, 5] } },
    { name: 'nearer', geometry: { type: 'MultiPoint', coordinates: [[7.2, 5]] } },
    {
      name: 'line',
      geometry: {
        type: 'GeometryCollection',
        geometries: [
          {
            type: 'LineString',
            coordinates: [
              [6.75, -5],
              [6.75, 15],
            ],
          },
          { type: 'Polygon', coordinates: square(8, 5.1, 0.5) },
        ],
      },
    },
  ].map(({ geometry, ...properties }) => ({ type: 'Feature', properties, geometry })),
})

const sld = `<?xml version="1.0" encoding="UTF-8"?>
<StyledLayerDescriptor version="1.0.0" xmlns="http://www.opengis.net/sld" xmlns:ogc="http://www.opengis.net/ogc">
<NamedLayer><Name>all</Name><UserStyle><FeatureTypeStyle>
<Rule><ogc:Filter><ogc:PropertyIsEqualTo><ogc:PropertyName>kind</ogc:PropertyName><ogc:Literal>Größe "x"</ogc:Literal></ogc:PropertyIsEqualTo></ogc:Filter>
 <PolygonSymbolizer><Fill><CssParameter name="fill">#ff0000</CssParameter></Fill></PolygonSymbolizer></Rule>
<Rule><ogc:Filter><ogc:PropertyIsLessThan><ogc:PropertyName>n</ogc:PropertyName><ogc:Literal>2</ogc:Literal></ogc:PropertyIsLessThan></ogc:Filter>
 <PolygonSymbolizer><Fill><CssParameter name="fill">#00ff00</CssParameter><CssParameter name="fill-opacity">0.5</CssParameter></Fill></PolygonSymbolizer></Rule>
<Rule><ogc:Filter><ogc:PropertyIsNull><ogc:PropertyName>kind</ogc:PropertyName></ogc:PropertyIsNull></ogc:Filter>
 <PolygonSymbolizer><Fill><CssParameter name="fill">#0000ff</CssParameter></Fill></PolygonSymbolizer></Rule>
<Rule><LineSymbolizer><Stroke><CssParameter name="stroke">#ff00ff</CssParameter><CssParameter name="stroke-width">6</CssParameter></Stroke></LineSymbolizer></Rule>
<Rule><PointSymbolizer><Graphic><Mark><WellKnownName>square</WellKnownName><Fill><CssParameter name="fill">#00ffff</CssParameter></Fill></Mark><Size>20</Size></Graphic></PointSymbolizer>
 <ogc:Filter><ogc:PropertyIsEqualTo><ogc:PropertyName>kind</ogc:PropertyName><ogc:Literal>point</ogc:Literal></ogc:PropertyIsEqualTo></ogc:Filter></Rule>
</FeatureTypeStyle></UserStyle></NamedLayer></StyledLayerDescriptor>`

const rule = (kind: string, symbol: string): string =>
  `<Rule><ogc:Filter><ogc:PropertyIsEqualTo><ogc:PropertyName>kind</ogc:PropertyName><ogc:Literal>${kind}</ogc:Literal></ogc:PropertyIsEqualTo></ogc:Filter>${symbol}</Rule>`
const beside = `<StyledLayerDescriptor version="1.0.0" xmlns="http://www.opengis.net/sld" xmlns:ogc="http://www.opengis.net/ogc"><NamedLayer><Name>beside</Name><UserStyle><FeatureTypeStyle>
${rule('line', '<LineSymbolizer><Stroke><CssParameter name="stroke">#ff00ff</CssParameter><CssParameter name="stroke-width">6</CssParameter></Stroke><PerpendicularOffset>20</PerpendicularOffset></LineSymbolizer>')}
${rule('Größe &quot;x&quot;', '<PointSymbolizer><Graphic><Mark><WellKnownName>circle</WellKnownName><Fill><CssParameter name="fill">#00ffff</CssParameter></Fill></Mark><Size>30</Size></Graphic></PointSymbolizer>')}
${rule('point', '<TextSymbolizer><Label><ogc:PropertyName>kind</ogc:PropertyName></Label><Font><CssParameter name="font-size">24</CssParameter></Font><LabelPlacement><PointPlacement><AnchorPoint><AnchorPointX>0</AnchorPointX><AnchorPointY>0.5</AnchorPointY></AnchorPoint><Displacement><DisplacementX>15</DisplacementX><DisplacementY>0</DisplacementY></Displacement></PointPlacement></LabelPlacement><Fill><CssParameter name="fill">#000000</CssParameter></Fill></TextSymbolizer>')}
</FeatureTypeStyle></UserStyle></NamedLayer></StyledLayerDescriptor>`

interface Answer {
  status: number
  type: string
  bytes: Buffer
  text: string
}

type Cell = [red: number, green: number, blue: number, alpha: number]

/** The cells of a picture by column and row. */
async function cellsOf(bytes: Buffer): Promise<(x: number, y: number) => Cell> {
  const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return (x, y) =>
    [...data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4)] as unknown as Cell
}

for (const [shape, settings] of Object.entries(shapes)) {
  describe(`WMS with ${shape}`, () => {
    let client: ImporterClient
    const ask = async (query: string, { path = '/wms', isAnonymous = false } = {}): Promise<Answer> => {
      const reply = await client.server.app.inject({
        method: 'GET',
        url: `${path}?${query}`,
        headers: isAnonymous ? {} : client.server.admin,
      })
      const type = String(reply.headers['content-type'])
      return { status: reply.statusCode, type, bytes: reply.rawPayload, text: reply.body }
    }
    const map = 'service=WMS&request=GetMap&layers=default:all&styles=&width=600&height=500&format=image/png'
    const wide = `${map}&version=1.3.0&crs=CRS:84&bbox=-5,-5,55,45&transparent=true`

    before(async () => {
      client = clientOf(await createTestApp({ env: { TERRANE_LOADS: '1', ...(await settings()) } }))
      const created = await client.call('POST', '', {
        import: { targetStore: { dataStore: { name: 'default' } } },
      })
      const id = Number(created.json.import?.id)
      await client.upload(id, [
        { name: 'all.geojson', content: collection },
        { name: 'crowd.geojson', content: crowd },
      ])
      await client.call('POST', `/${id}`)
      const { headers } = {
        headers: { ...client.server.admin, 'content-type': 'application/vnd.ogc.sld+xml' },
      }
      for (const [name, payload] of Object.entries({ all: sld, beside })) {
        const made = await client.server.app.inject({
          method: 'POST',
          url: `/rest/styles?name=${name}`,
          headers,
          payload,
        })
        assert.equal(made.statusCode, 201, made.body)
      }
      const put = await client.server.app.inject({
        method: 'PUT',
        url: '/rest/layers/default:all',
        headers: client.server.admin,
        payload: { layer: { defaultStyle: { name: 'all' } } },
      })
      assert.ok(put.statusCode < 300, put.body)
    })
    after(() => client.server.close())

    it('draws each feature by its rule, and nothing elsewhere', async () => {
      const { status, type, bytes, text } = await ask(wide)
      assert.equal(status, 200, text)
      assert.equal(type, 'image/png')
      const cell = await cellsOf(bytes)
      const [red, green, blue, alpha] = cell(100, 400)
      assert.ok(red === 0 && green > 250 && blue === 0 && Math.abs(alpha - 128) < 2, String(cell(100, 400)))
      assert.deepEqual(cell(300, 400), [255, 0, 0, 255])
      assert.deepEqual(cell(500, 400), [0, 0, 255, 255])
      assert.deepEqual(cell(300, 250), [255, 0, 255, 255])
      assert.deepEqual(cell(100, 100), [0, 255, 255, 255])
      assert.deepEqual(cell(100, 91), [0, 255, 255, 255])
      assert.deepEqual(cell(200, 100), [0, 0, 0, 0])
      assert.deepEqual(cell(150, 400)[3] > 0 && cell(150, 400)[0] === 255, true, 'the outline of an area')
    })

    it('puts lines beside the geometry, marks on areas and labels where the style says', async () => {
      const { status, bytes, text } = await ask(wide.replace('styles=', 'styles=beside'))
      assert.equal(status, 200, text)
      const cell = await cellsOf(bytes)
      assert.deepEqual(cell(300, 230), [255, 0, 255, 255], 'to the left of the line')
      for (const y of [250, 270]) assert.deepEqual(cell(300, y), [0, 0, 0, 0])
      assert.deepEqual(cell(300, 400), [0, 255, 255, 255], 'in the middle of the area')
      assert.deepEqual(cell(270, 370), [0, 0, 0, 0])
      const dark = (left: number, right: number): number =>
        Array.from({ length: (right - left) * 40 }, (_, at) =>
          cell(left + (at % (right - left)), 80 + Math.floor(at / (right - left))),
        ).filter(([, , , alpha]) => alpha > 100).length
      assert.ok(dark(115, 200) > 50, 'a label to the right')
      assert.equal(dark(40, 105), 0)
    })

    it('draws marks and lines as large for print as for the screen', async () => {
      const usual = await cellsOf((await ask(wide)).bytes)
      assert.deepEqual(usual(100, 84), [0, 0, 0, 0])
      for (const dense of ['DPI=181.43', 'MAP_RESOLUTION=181.43', 'format_options=antialias:on;DPI:181.43']) {
        const cell = await cellsOf((await ask(`${wide}&${dense}`)).bytes)
        assert.deepEqual(cell(100, 84), [0, 255, 255, 255], dense)
        assert.deepEqual(cell(100, 76), [0, 0, 0, 0], dense)
      }
      for (const wrong of [
        'dpi=0',
        'dpi=-90',
        'dpi=1e9',
        'dpi=x',
        'map_resolution=99999',
        'format_options=dpi:',
      ]) {
        const { status, text } = await ask(`${wide}&${wrong}`)
        assert.equal(status, 400, wrong)
        assert.match(text, /is not a number from 10 to 1000/)
      }
    })

    it('takes the axes as each version says', async () => {
      const first = await ask(wide)
      for (const other of [
        `${map}&version=1.3.0&crs=EPSG:4326&bbox=-5,-5,45,55&transparent=true`,
        `${map}&version=1.1.1&srs=EPSG:4326&bbox=-5,-5,55,45&TRANSPARENT=TRUE`,
        `${map.toUpperCase().replace('DEFAULT:ALL', 'default:all')}&srs=EPSG:4326&bbox=-5,-5,55,45&TRANSPARENT=TRUE`,
      ]) {
        const { bytes, text, status } = await ask(other)
        assert.equal(status, 200, text)
        assert.ok(bytes.equals(first.bytes), other)
      }
    })

    it('tells what is at a cell: features with a geometry there alone, in each format', async () => {
      const at = (i: number, j: number, format: string, more = ''): Promise<Answer> =>
        ask(
          `${wide.replace('GetMap', 'GetFeatureInfo')}&query_layers=default:all&i=${i}&j=${j}&info_format=${format}${more}`,
        )
      const json = JSON.parse((await at(300, 400, 'application/json', '&feature_count=50')).text)
      assert.deepEqual(
        json.features.map(({ properties }: { properties: { n: number } }) => properties.n),
        [2],
      )
      const plain = await at(300, 400, 'text/plain')
      assert.match(plain.text, /kind = Größe "x"/)
      const html = await at(300, 400, 'text/html')
      assert.match(html.text, /Größe &quot;x&quot;/)
      assert.match((await at(200, 100, 'text/plain')).text, /no features/)
      assert.equal((await at(600, 100, 'text/plain')).status, 400)
      assert.match((await at(600, 100, 'text/plain')).text, /code="InvalidPoint"/)
    })

    it('tells the areas around the point, then points and lines by their distance, never a neighbour', async () => {
      // A cell is a tenth of a degree.
      const crowded =
        'service=WMS&version=1.1.1&request=GetFeatureInfo&layers=crowd&query_layers=default:crowd&styles=&srs=EPSG:4326'
      const named = async (lon: number, lat: number, more = '&feature_count=50'): Promise<string[]> => {
        const [x, y] = [Math.floor(lon * 10), Math.floor((20 - lat) * 10)]
        const place = `bbox=0,0,20,20&width=200&height=200&x=${x}&y=${y}&info_format=application/json`
        const { status, text } = await ask(`${crowded}&${place}${more}`)
        assert.equal(status, 200, text)
        return JSON.parse(text).features.map((one: { properties: { name: string } }) => one.properties.name)
      }
      assert.deepEqual(await named(9.95, 8.05), ['left'])
      assert.deepEqual(await named(10.05, 8.05), ['right'])
      assert.deepEqual(await named(9.95, 8.05, ''), ['left'])
      assert.deepEqual(await named(3.05, 3.05), ['above', 'left'])
      assert.deepEqual(await named(3.05, 3.05, ''), ['above'])
      assert.deepEqual(await named(6.95, 4.95), ['left', 'line', 'nearer', 'further'])
      assert.deepEqual(await named(6.95, 4.95, '&feature_count=3'), ['left', 'line', 'nearer'])
      assert.deepEqual(await named(6.95, 4.95, '&feature_count=50&buffer=0'), ['left'])
      assert.deepEqual(await named(6.95, 4.95, '&feature_count=50&buffer=2.8'), ['left', 'line', 'nearer'])
      assert.deepEqual(await named(6.95, 4.95, '&feature_count=50&radius=2.1'), ['left', 'line'])
      assert.deepEqual(await named(8.25, 5.25), ['line', 'left'])
      assert.deepEqual(await named(5.05, 14.05), [])
      assert.deepEqual(await named(5.05, 14.05, '&feature_count=50&buffer=40'), ['line'])
      const wrong = await ask(
        `${crowded}&bbox=0,0,20,20&width=200&height=200&x=1&y=1&buffer=-1`.replace(
          'layers=crowd',
          'layers=default:crowd',
        ),
      )
      assert.equal(wrong.status, 400)
      assert.match(wrong.text, /code="InvalidParameterValue" locator="buffer"/)
    })

    it('tells the same in WMTS', async () => {
      // The meridian of 10 degrees passes through the cells of column 199, near their western sides.
      const named = async (more: string): Promise<string[]> => {
        const tile = 'layer=default:crowd&tilematrixset=WebMercatorQuad&tilematrix=6&tilerow=31&tilecol=33'
        const { status, text } = await ask(
          `service=WMTS&version=1.0.0&request=GetFeatureInfo&${tile}&infoformat=application/json&${more}`,
          { path: '/wmts' },
        )
        assert.equal(status, 200, text)
        return JSON.parse(text).features.map((one: { properties: { name: string } }) => one.properties.name)
      }
      assert.deepEqual(await named('i=198&j=20'), ['left'])
      assert.deepEqual(await named('i=199&j=20'), ['right'])
      assert.deepEqual(await named('i=70&j=28'), ['left', 'nearer'])
      assert.deepEqual(await named('i=70&j=28&buffer=200'), ['left', 'nearer', 'further', 'line'])
    })

    it('tells what is wrong by the codes of WMS', async () => {
      const refused: [query: string, code: string, status: number][] = [
        [wide.replace('default:all', 'default:none'), 'LayerNotDefined', 404],
        [wide.replace('styles=', 'styles=none'), 'StyleNotDefined', 404],
        [wide.replace('CRS:84', 'EPSG:0'), 'InvalidCRS', 400],
        [wide.replace('image/png', 'image/bmp'), 'InvalidFormat', 400],
        [wide.replace('width=600', 'width=60000'), 'InvalidParameterValue', 400],
        [wide.replace('bbox=-5,-5,55,45', 'bbox=5,5,5,5'), 'InvalidParameterValue', 400],
        [wide.replace('bbox=-5,-5,55,45', 'bbox=a,b,c,d'), 'InvalidParameterValue', 400],
        [wide.replace('request=GetMap&', ''), 'MissingParameterValue', 400],
        [wide.replace('GetMap', 'GetNothing'), 'OperationNotSupported', 400],
        [`${wide}&styles=a,b`.replace('styles=&', ''), 'InvalidParameterValue', 400],
      ]
      for (const [query, code, status] of refused) {
        const answer = await ask(query)
        assert.equal(answer.status, status, `${query} ${answer.text}`)
        assert.match(answer.text, new RegExp(`code="${code}"`), query)
        assert.match(answer.type, /^text\/xml/)
      }
      const older = await ask(wide.replace('version=1.3.0&crs=CRS:84', 'version=1.1.1&srs=EPSG:0'))
      assert.match(older.text, /code="InvalidSRS"/)
      assert.match(older.type, /^application\/vnd\.ogc\.se_xml/)
    })

    it('names no file, no address and no driver, whatever is asked', async () => {
      const hostile = [
        'map=/etc/passwd',
        'map_layer[l0p0]=data+/etc/passwd',
        'map.layer[l0p0].data=x',
        'mapext=1',
        'sld=http://127.0.0.1:1/',
        'SLD_BODY=%3Csld/%3E',
        'qstring=1',
        'mode=browse',
        '%00=1',
        `x=${'y'.repeat(5000)}`,
      ]
      const { bytes: expected } = await ask(wide)
      for (const more of hostile) {
        const { status, bytes, text } = await ask(`${wide}&${more}`)
        assert.equal(status, 200, text)
        assert.ok(bytes.equals(expected), more)
      }
    })

    it('shows nobody what is not for them, in words that tell nothing of it', async () => {
      const closed = await ask(wide, { isAnonymous: true })
      const absent = await ask(wide.replace('default:all', 'default:nil'), { isAnonymous: true })
      assert.equal(closed.status, 404)
      assert.equal(closed.text, absent.text.replace('default:nil', 'default:all'))
      const open = (await ask('service=WMS&request=GetCapabilities', { isAnonymous: true })).text
      assert.ok(!open.includes('default:all'))
      const known = (await ask('service=WMS&request=GetCapabilities')).text
      assert.match(known, /<Name>default:all<\/Name>/)
      const ofWorkspace = (
        await ask('service=WMS&request=GetCapabilities&version=1.1.1', { path: '/default/wms' })
      ).text
      assert.match(ofWorkspace, /<Name>all<\/Name>/)
    })

    it('has the legend of a layer', async () => {
      const { type, bytes } = await ask(
        'service=WMS&request=GetLegendGraphic&layer=default:all&format=image/png',
      )
      assert.equal(type, 'image/png')
      assert.ok(((await sharp(bytes).metadata()).height ?? 0) > 50)
    })
  })
}
