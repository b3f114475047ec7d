import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import sharp from 'sharp'
import type { ImporterClient } from '../../support/importer-client.ts'
import { startImporter } from '../../support/importer-client.ts'
import { untilTagged, untilUnchanged } from '../../support/known-answers.ts'
import { importRaster } from '../../support/rasters.ts'
import { until } from '../../support/until.ts'

async function serve(test: TestContext): Promise<ImporterClient> {
  const client = await startImporter(test)
  const created = await client.call('POST', '?exec=true', {
    import: { data: { type: 'file', file: client.provide('geojson/countries.geojson') } },
  })
  assert.equal(created.json.import?.state, 'COMPLETE', created.text)
  return client
}

async function get({ server }: ImporterClient, url: string, headers: Record<string, string> = server.admin) {
  return server.app.inject({ method: 'GET', url, headers })
}

async function putStyle({ server }: ImporterClient, name: string, rules: string): Promise<void> {
  const head =
    '<StyledLayerDescriptor version="1.0.0" xmlns="http://www.opengis.net/sld" xmlns:ogc="http://www.opengis.net/ogc">'
  const body = `${head}<NamedLayer><Name>a</Name><UserStyle><FeatureTypeStyle>${rules}</FeatureTypeStyle></UserStyle></NamedLayer></StyledLayerDescriptor>`
  const reply = await server.app.inject({
    method: 'POST',
    url: `/rest/styles?name=${name}`,
    headers: { ...server.admin, 'content-type': 'application/vnd.ogc.sld+xml' },
    payload: body,
  })
  assert.ok(reply.statusCode < 300, reply.body)
}

const fill =
  '<PolygonSymbolizer><Fill><CssParameter name="fill">#ff0000</CssParameter></Fill></PolygonSymbolizer>'
const rule = (title: string, more = ''): string => `<Rule><Title>${title}</Title>${more}${fill}</Rule>`

describe('the legend of a layer', () => {
  it('is SVG, PNG and JSON with a line for each rule, its scales and its symbol', async (test) => {
    const client = await serve(test)
    await putStyle(
      client,
      'two',
      rule('Large', '<MaxScaleDenominator>50000</MaxScaleDenominator>') + rule('Others'),
    )
    const json = JSON.parse((await get(client, '/tiles/default:countries/legend.json?style=two')).body)
    assert.deepEqual(
      json.entries.map(({ title, maxScale }: { title: string; maxScale?: number }) => [title, maxScale]),
      [
        ['Large', 50_000],
        ['Others', undefined],
      ],
    )
    assert.match(json.entries[0].symbol, /^<svg .*fill="#ff0000"/)
    assert.deepEqual([json.leftOut, json.messages], [0, []])
    const svg = await get(client, '/tiles/default:countries/legend.svg?style=two')
    assert.match(String(svg.headers['content-type']), /^image\/svg\+xml/)
    assert.match(svg.body, /Large/)
    assert.match(svg.body, /1:50,000/)
    const [plain, double] = await Promise.all(
      ['legend.png', 'legend@2x.png'].map(async (name) =>
        sharp((await get(client, `/tiles/default:countries/${name}?style=two`)).rawPayload).metadata(),
      ),
    )
    assert.equal(double?.width, (plain?.width ?? 0) * 2)
  })

  it('says what it leaves out, and lets no text out of its place', async (test) => {
    const client = await serve(test)
    const hostile = '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&amp;&#x202e;'
    const many = Array.from({ length: 300 }, (_, index) =>
      rule(`${index} ${hostile} ${'w'.repeat(400)}`),
    ).join('')
    await putStyle(client, 'many', many)
    const json = JSON.parse((await get(client, '/tiles/default:countries/legend.json?style=many')).body)
    assert.equal(json.entries.length, 200)
    assert.equal(json.leftOut, 100)
    assert.match(json.messages.join(), /100 further lines/)
    const svg = (await get(client, '/tiles/default:countries/legend.svg?style=many')).body
    assert.ok(!svg.includes('<script'))
    assert.equal((await get(client, '/tiles/default:countries/legend.png?style=many')).statusCode, 200)
  })

  it('is 304 for who has it, 404 for a style of none, and nobody learns of a layer that is not for them', async (test) => {
    const client = await serve(test)
    const url = '/tiles/default:countries/legend.svg'
    const { etag } = (await untilTagged(() => get(client, url))).headers
    await untilUnchanged(() => get(client, url, { ...client.server.admin, 'if-none-match': String(etag) }))
    assert.equal((await get(client, `${url}?style=none`)).statusCode, 404)
    await putStyle(client, 'inside', rule('Inside'))
    await client.server.app.inject({
      method: 'PUT',
      url: '/rest/layers/default:countries',
      headers: client.server.admin,
      payload: { layer: { public: true } },
    })
    for (const name of ['legend.json', 'thumbnail.png']) {
      const path = `/tiles/default:countries/${name}`
      assert.equal((await get(client, path, {})).statusCode, 200)
      assert.equal((await get(client, `${path}?style=inside`)).statusCode, 200)
      assert.equal((await get(client, `${path}?style=inside`, {})).statusCode, 404)
    }
    await client.server.app.inject({
      method: 'PUT',
      url: '/rest/layers/default:countries',
      headers: client.server.admin,
      payload: { layer: { public: false } },
    })
    for (const name of [
      'legend.svg',
      'legend.png',
      'legend@2x.png',
      'legend.json',
      'thumbnail.png',
      'thumbnail.webp',
      '0/0/0.png',
      '0/0/0.webp',
    ]) {
      const answers = await Promise.all(
        ['countries', 'nothing'].map((layer) => get(client, `/tiles/default:${layer}/${name}`, {})),
      )
      const output = answers.map(({ statusCode, body }) => [
        statusCode,
        body.replaceAll(/countries|nothing/g, 'layer'),
      ])
      assert.deepEqual(output[0], output[1], name)
      assert.equal(answers[0]?.statusCode, 404, name)
    }
  })

  it('of a raster has the colours of its values with their unit', async (test) => {
    const client = await startImporter(test)
    client.provide('raster/world.byte.tif')
    await importRaster(client, 'world.byte.tif')
    const symbol =
      '<RasterSymbolizer><ColorMap type="ramp"><ColorMapEntry color="#000080" quantity="0"/><ColorMapEntry color="#ffffff" quantity="1" label="land"/></ColorMap></RasterSymbolizer>'
    await putStyle(client, 'ramp', `<Rule><Title>Land</Title>${symbol}</Rule>`)
    const json = JSON.parse((await get(client, '/tiles/default:world_byte/legend.json?style=ramp')).body)
    assert.deepEqual(json.entries[0].ramp.stops, [
      { value: 0, color: '#000080', opacity: 1 },
      { value: 1, color: '#ffffff', opacity: 1, label: 'land' },
    ])
    // A legend waits only briefly for the values of a raster: a later request gets a legend with values.
    const usualValues = async (): Promise<number[]> => {
      const { entries } = JSON.parse((await get(client, '/tiles/default:world_byte/legend.json')).body)
      return entries[0].ramp.stops.map(({ value }: { value: number }) => value)
    }
    await until(async () => (await usualValues()).at(-1) !== 255)
    assert.deepEqual(await usualValues(), [0, 1])
  })
})

describe('the thumbnail of a layer', () => {
  /** Share of the cells that are not of the ground. */
  async function drawnShare(picture: Buffer): Promise<number> {
    const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true })
    let drawn = 0
    for (let at = 0; at < data.length; at += 3) {
      const [red = 0, green = 0, blue = 0] = data.subarray(at, at + 3)
      if (Math.abs(red - 0xf3) + Math.abs(green - 0xf5) + Math.abs(blue - 0xf7) > 40) drawn += 1
    }
    return drawn / (info.width * info.height)
  }

  it('shows its features or its raster in the size that is asked for', async (test) => {
    const client = await serve(test)
    client.provide('raster/RGB.byte.tif')
    await importRaster(client, 'RGB.byte.tif')
    for (const [layer, least] of [
      ['countries', 0.15],
      ['RGB_byte', 0.3],
    ] as const) {
      const reply = await get(client, `/tiles/default:${layer}/thumbnail.png?width=240&height=180`)
      assert.equal(reply.statusCode, 200, reply.body.slice(0, 300))
      const { width, height, format } = await sharp(reply.rawPayload).metadata()
      assert.deepEqual([width, height, format], [240, 180, 'png'])
      const share = await drawnShare(reply.rawPayload)
      assert.ok(share > least, `${layer} ${share}`)
    }
    const webp = await get(client, '/tiles/default:countries/thumbnail.webp')
    assert.deepEqual((await sharp(webp.rawPayload).metadata()).format, 'webp')
    assert.equal((await get(client, '/tiles/default:countries/thumbnail.png?width=10')).statusCode, 400)
  })

  it('shows a layer of one point, and an empty frame for a layer without rows', async (test) => {
    const client = await startImporter(test)
    const folder = join(client.server.dataDir, 'incoming')
    const feature = (coordinates: number[] | null) => ({
      type: 'Feature',
      properties: { a: 1 },
      geometry: coordinates === null ? null : { type: 'Point', coordinates },
    })
    const layers = { one: [feature([12.5, 41.9])], nowhere: [feature(null)] }
    for (const [name, features] of Object.entries(layers)) {
      writeFileSync(join(folder, `${name}.geojson`), JSON.stringify({ type: 'FeatureCollection', features }))
      await client.call('POST', '?exec=true', { import: { data: { type: 'file', file: `${name}.geojson` } } })
    }
    const one = await get(client, '/tiles/default:one/thumbnail.png')
    assert.equal(one.statusCode, 200, one.body.slice(0, 200))
    const share = await drawnShare(one.rawPayload)
    assert.ok(share > 0.0003 && share < 0.02, String(share))
  })
})

describe('the sprite of marks', () => {
  it('names icons that lie in its picture, for everybody', async (test) => {
    const { server } = await startImporter(test)
    for (const [name, ratio] of [
      ['marks', 1],
      ['marks@2x', 2],
    ] as const) {
      const json = await server.app.inject({ method: 'GET', url: `/tiles/sprites/${name}.json` })
      assert.equal(json.statusCode, 200)
      const icons = JSON.parse(json.body) as Record<
        string,
        { x: number; y: number; width: number; height: number; pixelRatio: number }
      >
      for (const known of [
        'circle',
        'square',
        'triangle',
        'star',
        'cross',
        'x',
        'pentagon',
        'hexagon',
        'arrow',
        'pin',
      ])
        assert.ok(known in icons, known)
      const png = await server.app.inject({ method: 'GET', url: `/tiles/sprites/${name}.png` })
      const { width, height } = await sharp(png.rawPayload).metadata()
      for (const icon of Object.values(icons)) {
        assert.ok(icon.x + icon.width <= (width ?? 0) && icon.y + icon.height <= (height ?? 0))
        assert.equal(icon.pixelRatio, ratio)
      }
    }
  })
})
