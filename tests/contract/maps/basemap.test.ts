import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { VectorTile } from '@mapbox/vector-tile'
import { validateStyleMin } from '@maplibre/maplibre-gl-style-spec'
import { PbfReader } from 'pbf'
import { loadSettings } from '../../../src/core/config/settings.ts'
import { createTestApp } from '../../support/app.ts'

async function start(test: TestContext, env: Record<string, string> = {}) {
  const server = await createTestApp({ env })
  test.after(() => server.close())
  return (url: string, headers: Record<string, string> = {}) => server.app.inject({ url, headers })
}

interface Style {
  sources: Record<string, { tiles?: string[] }>
  layers: { id: string }[]
}

describe('the background map', () => {
  it('has a light and a dark style of the same layers that MapLibre takes, and names nothing elsewhere', async (test) => {
    const get = await start(test)
    const { basemap } = (await get('/assets/basemap.json')).json<{ basemap: Record<string, string> }>()
    assert.equal(basemap['kind'], 'own')
    const styles = await Promise.all(
      ['light', 'dark'].map(async (theme) => {
        const reply = await get(new URL(basemap[theme] ?? '').pathname)
        assert.equal(reply.statusCode, 200)
        assert.equal(reply.headers['access-control-allow-origin'], '*')
        const style = reply.json<Style>()
        // MapLibre draws the glyphs itself, which the validator does not know.
        const faults = validateStyleMin(style as never).filter(({ message }) => !/glyphs/.test(message))
        assert.deepEqual(faults, [])
        assert.deepEqual(reply.body.match(/https?:\/\/(?!localhost)[^"/]+/g), null)
        return style
      }),
    )
    const [light, dark] = styles.map(({ layers }) => layers.map(({ id }) => id))
    assert.deepEqual(light, dark)
    assert.equal(light?.at(-1), basemap['dataBefore'])
    const german = await get('/assets/basemap/light.json?language=de')
    assert.match(german.body, /name_de/)
  })

  it('has tiles for everyone, packed or not, that never change under their address', async (test) => {
    const get = await start(test)
    const style = (await get('/assets/basemap/light.json')).json<Style>()
    const address = new URL(style.sources['background']?.tiles?.[0] ?? '')
    assert.match(address.search, /^\?v=[0-9a-f]{8}$/)
    const [packed, plain] = await Promise.all([
      get('/assets/basemap/5/16/10.mvt', { 'accept-encoding': 'gzip' }),
      get('/assets/basemap/5/16/10.mvt', { 'accept-encoding': 'identity' }),
    ])
    assert.equal(packed.headers['content-encoding'], 'gzip')
    assert.equal(plain.headers['content-encoding'], undefined)
    assert.match(String(plain.headers['cache-control']), /immutable/)
    assert.deepEqual(gunzipSync(packed.rawPayload), plain.rawPayload)
    const { layers } = new VectorTile(new PbfReader(plain.rawPayload))
    assert.deepEqual(Object.keys(layers).sort(), ['labels', 'land', 'lines'])
    const names = Array.from(
      { length: layers['labels']?.length ?? 0 },
      (_, at) => layers['labels']?.feature(at).properties,
    )
    assert.ok(names.some((one) => one?.['name'] === 'Germany' && one['name_de'] === 'Deutschland'))
    assert.equal((await get('/assets/basemap/5/0/12.mvt')).statusCode, 204)
    for (const wrong of ['6/0/0', '1/2/0', '0/0/1'])
      assert.equal((await get(`/assets/basemap/${wrong}.mvt`)).statusCode, 404)
    for (const wrong of ['x/0/0', '-1/0/0'])
      assert.equal((await get(`/assets/basemap/${wrong}.mvt`)).statusCode, 400)
    let bytes = 0
    for (const tile of ['0/0/0', '1/1/0', '2/2/1', '3/4/2', '4/8/5', '5/16/10'])
      bytes += (await get(`/assets/basemap/${tile}.mvt`, { 'accept-encoding': 'gzip' })).rawPayload.length
    assert.ok(bytes < 250_000, `${bytes} bytes from the world to a country`)
  })

  it('may be of somebody else, whom alone the pages may ask, or water alone', async (test) => {
    const elsewhere = await start(test, { TERRANE_BASEMAP: 'https://maps.example.org/style.json?key=1' })
    const { basemap } = (await elsewhere('/assets/basemap.json')).json<{ basemap: Record<string, string> }>()
    assert.deepEqual(
      [basemap['kind'], basemap['light']],
      ['other', 'https://maps.example.org/style.json?key=1'],
    )
    for (const path of ['/', '/app']) {
      const page = await elsewhere(path, { accept: 'text/html' })
      const policy = String(page.headers['content-security-policy'])
      if (page.statusCode === 200)
        assert.match(policy, /connect-src 'self' https:\/\/maps\.example\.org;/, path)
    }
    const off = await start(test, { TERRANE_BASEMAP: 'off' })
    const style = (await off('/assets/basemap/dark.json')).json<Style>()
    assert.deepEqual(style.sources, {})
    assert.deepEqual(
      style.layers.map(({ id }) => id),
      ['background-water'],
    )
    const own = await start(test)
    const policy = String(
      (await own('/app', { accept: 'text/html' })).headers['content-security-policy'] ?? '',
    )
    assert.doesNotMatch(policy, /https?:/)
    for (const wrong of ['on', 'ftp://a.example.org/', 'https://user:secret@a.example.org/'])
      assert.throws(() => loadSettings({ TERRANE_BASEMAP: wrong }), /TERRANE_BASEMAP/)
  })
})
