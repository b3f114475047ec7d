import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { configurationClient, publishPoints } from '../../support/configuration.ts'
import { untilTagged, untilUnchanged } from '../../support/known-answers.ts'

let terrane: TestApp
before(async () => {
  terrane = await createTestApp()
  await createWorkspace('city')
  await publishPoints(terrane, 'city', 'trees')
})
after(() => terrane.close())

const { send, createWorkspace } = configurationClient(() => terrane)
const sldType = 'application/vnd.ogc.sld+xml'

function get(url: string, headers: Record<string, string> = terrane.admin) {
  return terrane.app.inject({ method: 'GET', url, headers })
}

describe('GET /tiles/<layer>/style.json', () => {
  it('is a whole style of the layer: its tiles as source, its own style as layers', async () => {
    const reply = await get('/tiles/city:trees/style.json')
    assert.equal(reply.statusCode, 200, reply.body)
    const style = reply.json()
    assert.equal(style.version, 8)
    assert.equal(style.sources.trees.type, 'vector')
    assert.match(style.sources.trees.url, /\/tiles\/city:trees$/)
    assert.deepEqual(style.layers, [
      {
        id: 'point',
        type: 'circle',
        source: 'trees',
        'source-layer': 'trees',
        filter: ['==', ['geometry-type'], 'Point'],
        paint: {
          'circle-radius': 5,
          'circle-color': '#2b6cb0',
          'circle-stroke-color': '#ffffff',
          'circle-stroke-width': 1,
        },
      },
    ])
    assert.equal(style.center.length, 2)
    assert.ok(!('glyphs' in style))
  })

  it('is drawn by another style by name, and compares values in the types that tiles have', async () => {
    const document = `<StyledLayerDescriptor version="1.0.0"><NamedLayer><UserStyle><FeatureTypeStyle><Rule>
      <Filter><PropertyIsEqualTo><PropertyName>pop</PropertyName><Literal>007</Literal></PropertyIsEqualTo></Filter>
      <PointSymbolizer><Graphic><Mark><WellKnownName>star</WellKnownName></Mark></Graphic></PointSymbolizer>
    </Rule></FeatureTypeStyle></UserStyle></NamedLayer></StyledLayerDescriptor>`
    const created = await send('POST', '/styles?name=stars', document, { 'content-type': sldType })
    assert.equal(created.statusCode, 201)
    const style = (await get('/tiles/city:trees/style.json?style=stars')).json()
    assert.deepEqual(style.layers[0].filter, ['==', ['get', 'pop'], 7])
    assert.deepEqual(style.metadata, { 'terrane:not-converted': ['the mark star, drawn as a circle'] })
  })

  it('is a 404 for what is not there or not public, and a 304 for who has it', async () => {
    assert.equal((await get('/tiles/city:none/style.json')).json().code, 'unknown-layer')
    assert.equal((await get('/tiles/city:trees/style.json?style=none')).json().code, 'unknown-style')
    const [hidden, absent] = [
      await get('/tiles/city:trees/style.json', {}),
      await get('/tiles/city:none/style.json', {}),
    ]
    assert.equal(hidden.statusCode, 404)
    assert.equal(hidden.json().code, absent.json().code)
    const { etag } = (await untilTagged(() => get('/tiles/city:trees/style.json'))).headers
    const known = { ...terrane.admin, 'if-none-match': String(etag) }
    await untilUnchanged(() => get('/tiles/city:trees/style.json', known))
  })

  it('shows the anonymous no style that draws nothing public', async () => {
    await send('PUT', '/workspaces/city', { workspace: { public: true } })
    await send('PUT', '/layers/city:trees', { layer: { public: true } })
    assert.equal((await get('/tiles/city:trees/style.json', {})).statusCode, 200)
    assert.equal((await get('/tiles/city:trees/style.json?style=stars', {})).json().code, 'unknown-style')
  })
})
