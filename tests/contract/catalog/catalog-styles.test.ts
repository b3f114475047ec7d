import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { configurationClient, publishPoints } from '../../support/configuration.ts'

let terrane: TestApp
before(async () => {
  terrane = await createTestApp()
  await createWorkspace('maps')
})
after(() => terrane.close())

const { send, read, createWorkspace } = configurationClient(() => terrane)

const sld = `<?xml version="1.0"?>
<StyledLayerDescriptor version="1.0.0" xmlns="http://www.opengis.net/sld"><NamedLayer/></StyledLayerDescriptor>`
const sldType = 'application/vnd.ogc.sld+xml'
const mapLibreType = 'application/vnd.maplibre.style+json'

describe('styles', () => {
  it('for each geometry type are there from the start and stay', async () => {
    const names = (await read('/styles')).styles.style.map((one: { name: string }) => one.name)
    for (const name of ['point', 'line', 'polygon', 'generic']) assert.ok(names.includes(name), name)
    assert.equal((await send('DELETE', '/styles/point?recurse=true')).json().code, 'default-style')
  })

  it('are created from an SLD document, and given back letter by letter', async () => {
    const created = await send('POST', '/styles?name=roads', sld, { 'content-type': sldType })
    assert.equal(created.statusCode, 201, created.body)
    assert.equal((await read('/styles/roads')).style.format, 'sld')
    for (const [url, accept] of [
      ['/styles/roads.sld', '*/*'],
      ['/styles/roads', sldType],
    ] as const) {
      const reply = await send('GET', url, undefined, { accept })
      assert.equal(reply.body, sld)
      assert.match(String(reply.headers['content-type']), /^application\/vnd\.ogc\.sld\+xml/)
    }
    const converted = await send('GET', '/styles/roads', undefined, { accept: mapLibreType })
    assert.equal(converted.statusCode, 200)
    assert.equal(converted.json().version, 8)
    assert.match(String(converted.headers['content-type']), /maplibre/)
    const other = await send('GET', '/styles/point.sld')
    assert.match(other.body, /<StyledLayerDescriptor version="1.0.0".*<WellKnownName>circle</s)
    assert.equal((await send('GET', '/styles/roads.qml')).statusCode, 404)
  })

  it('are created from a MapLibre document, nulls and all, by either way', async () => {
    const document = { version: 8, sources: {}, layers: [], metadata: { a: [null] } }
    const text = JSON.stringify(document)
    const raw = await send('POST', '/styles?name=libre', text, { 'content-type': mapLibreType })
    assert.equal(raw.statusCode, 201)
    const wrapped = await send('POST', '/styles', { style: { name: 'libre2', format: 'maplibre', document } })
    assert.equal(wrapped.statusCode, 201)
    for (const name of ['libre', 'libre2'])
      assert.equal((await send('GET', `/styles/${name}`, undefined, { accept: mapLibreType })).body, text)
  })

  it('are created by name first and given their document afterwards', async () => {
    const created = await send('POST', '/styles', { style: { name: 'later', filename: 'later.sld' } })
    assert.equal(created.statusCode, 201)
    assert.equal((await send('PUT', '/styles/later', sld, { 'content-type': sldType })).statusCode, 200)
    assert.equal((await send('GET', '/styles/later.sld')).body, sld)
  })

  it('are refused when the document is not what it says', async () => {
    const bad: [string, string][] = [
      [sldType, '<html/>'],
      [sldType, 'StyledLayerDescriptor'],
      [sldType, `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${sld.slice(sld.indexOf('<Styled'))}`],
      [mapLibreType, '{"version":7,"layers":[]}'],
      [mapLibreType, '{'],
    ]
    for (const [type, text] of bad)
      assert.equal(
        (await send('POST', '/styles?name=bad', text, { 'content-type': type })).statusCode,
        400,
        text,
      )
    assert.equal((await send('POST', '/styles', sld, { 'content-type': sldType })).statusCode, 400)
    assert.equal((await send('POST', '/styles?name=roads', sld, { 'content-type': sldType })).statusCode, 409)
  })

  it('that a layer uses are deleted only with recurse, which gives the layer a default', async () => {
    await send('POST', '/styles?name=used', sld, { 'content-type': sldType })
    await publishPoints(terrane, 'maps', 'styled')
    await send('PUT', '/layers/maps:styled', { layer: { style: { name: 'used' } } })
    const refused = await send('DELETE', '/styles/used')
    assert.equal(refused.json().code, 'style-in-use')
    assert.match(refused.json().detail, /maps:styled/)
    assert.equal((await send('DELETE', '/styles/used?recurse=true')).statusCode, 200)
    assert.equal((await read('/layers/maps:styled')).layer.defaultStyle.name, 'point')
  })

  it('of one workspace stand beside the global ones', async () => {
    const url = '/workspaces/maps/styles'
    assert.equal((await send('POST', `${url}?name=local`, sld, { 'content-type': sldType })).statusCode, 201)
    assert.deepEqual(
      (await read(url)).styles.style.map((one: { name: string }) => one.name),
      ['local'],
    )
    assert.equal((await send('GET', '/styles/local')).statusCode, 404)
    assert.equal((await send('DELETE', `${url}/local`)).statusCode, 200)
  })
})

describe('what is said of a style when it is kept', () => {
  const document = (symbolizer: string) =>
    `<StyledLayerDescriptor version="1.0.0"><NamedLayer><UserStyle><FeatureTypeStyle><Rule>${symbolizer}</Rule></FeatureTypeStyle></UserStyle></NamedLayer></StyledLayerDescriptor>`
  const graphic = (inner: string) => `<PointSymbolizer><Graphic>${inner}</Graphic></PointSymbolizer>`

  it('is what of it is not understood, and which language does not say what', async () => {
    const star = graphic(
      '<Mark><WellKnownName>star</WellKnownName></Mark><Displacement><DisplacementX>1</DisplacementX></Displacement>',
    )
    const label = '<TextSymbolizer><Label><PropertyName>a</PropertyName></Label></TextSymbolizer>'
    const created = await send('POST', '/styles?name=told', document(star + label), {
      'content-type': sldType,
    })
    assert.equal(created.statusCode, 201, created.body)
    const output = created.json().style.messages.map((one: { message: string }) => one.message)
    assert.deepEqual(output, [
      'Not understood, so not drawn: a Displacement of a Graphic',
      'Not said as MapLibre: the mark star, drawn as a circle',
      'Not in legends or thumbnails as it is said: labels: the legend shows their letters, thumbnails nothing',
    ])
    const plain = document('<LineSymbolizer/>')
    const changed = await send('PUT', '/styles/told', plain, { 'content-type': sldType })
    assert.equal(changed.json().style.messages, undefined)
    assert.equal((await send('GET', '/styles/told.qml')).statusCode, 200)
    const se = await send('GET', '/styles/told', undefined, { accept: 'application/vnd.ogc.se+xml' })
    assert.match(String(se.headers['content-type']), /^application\/vnd\.ogc\.se\+xml/)
    assert.match(se.body, /version="1.1.0".*<se:LineSymbolizer>/s)
  })

  it('is a refusal with the place, where a document is broken inside or endless', async () => {
    const bad: [string, RegExp][] = [
      [`${document('<LineSymbolizer>').slice(0, -30)}`, /not well-formed XML: 1:/],
      [document('<a>'.repeat(200)), /deeper than 100 elements in line 1/],
      [document('<Rule/>'.repeat(100_001)), /more than 100000 elements: the first beyond stands in line 1/],
    ]
    for (const [text, message] of bad) {
      const reply = await send('POST', '/styles?name=bad', text, { 'content-type': sldType })
      assert.equal(reply.statusCode, 400)
      assert.equal(reply.json().code, 'invalid-style')
      assert.match(reply.json().detail, message)
    }
    const layers = Array.from({ length: 5001 }, (_, id) => ({ id: `l${id}`, type: 'line' }))
    const many = JSON.stringify({ version: 8, sources: {}, layers })
    const refused = await send('POST', '/styles?name=bad', many, { 'content-type': mapLibreType })
    assert.match(refused.json().detail, /5001 rules: at most 5000/)
  })
})
