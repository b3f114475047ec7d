import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { until } from '../../support/until.ts'
import { ask, versionsOf } from '../../support/version-client.ts'
import { addVersionStores } from '../../support/version-stores.ts'
import type { Points } from '../../support/versioned-layers.ts'
import { importPoints } from '../../support/versioned-layers.ts'

const pointsOf = (generation: string, count: number): Points =>
  Array.from({ length: count }, (_, at) => [`${generation}${at}`, at * 3, at * 2])
const styleOf = (radius: number): object => ({
  version: 8,
  name: 'own',
  sources: {},
  layers: [{ id: 'all', type: 'circle', source: 's', paint: { 'circle-radius': radius } }],
})

interface Feature {
  id: number | string
  properties: { name: string }
}

async function get(server: TestApp, url: string): Promise<object> {
  for (;;) {
    const { status, json, text } = await ask(server, 'GET', url)
    if (status === 503) continue
    assert.equal(status, 200, `${url}: ${text}`)
    return json
  }
}

async function tileAt(server: TestApp, url: string): Promise<Buffer> {
  const reply = await server.app.inject({ url, headers: server.admin })
  assert.equal(reply.statusCode, 200, reply.body)
  return reply.rawPayload
}

function namesIn(tile: Buffer, layer: string): string[] {
  const shown = new VectorTile(new PbfReader(tile)).layers[layer]
  return Array.from({ length: shown?.length ?? 0 }, (_, at) =>
    String(shown?.feature(at).properties.name),
  ).sort()
}

async function exported(server: TestApp, layer: string, version: number): Promise<Map<string, Buffer>> {
  const body = { export: { format: 'mbtiles', maxZoom: 2, version } }
  const { status, json, text } = await ask(server, 'POST', `/rest/layers/${layer}/exports`, body)
  assert.equal(status, 202, text)
  const { download } = json as unknown as { download: { id: string; version: number } }
  assert.equal(download.version, version)
  const state = async (): Promise<string> => {
    const shown = (await get(server, `/rest/downloads/${download.id}`)) as { download: { state: string } }
    return shown.download.state
  }
  await until(async () => !['PENDING', 'RUNNING'].includes(await state()))
  assert.equal(await state(), 'COMPLETE')
  const folder = mkdtempSync(join(tmpdir(), 'terrane-versions-'))
  try {
    const path = join(folder, 'a.mbtiles')
    writeFileSync(path, await tileAt(server, `/rest/downloads/${download.id}/file`))
    const db = new DatabaseSync(path, { readOnly: true })
    const rows = db
      .prepare('SELECT zoom_level AS z, tile_column AS x, tile_row AS y, tile_data AS data FROM tiles')
      .all()
    db.close()
    return new Map(
      rows.map(({ z, x, y, data }) => [
        `${z}/${x}/${2 ** Number(z) - 1 - Number(y)}`,
        gunzipSync(data as Uint8Array),
      ]),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('versions that are looked at', () => {
  let server: TestApp
  before(async () => {
    server = await createTestApp()
    await addVersionStores(server)
    const style = { name: 'own', format: 'maplibre', document: styleOf(3) }
    const made = await ask(server, 'POST', '/rest/workspaces/default/styles', { style })
    assert.equal(made.status, 201, made.text)
  })
  after(() => server.close())

  for (const store of ['file', 'table']) {
    it(`show items, single features, tiles, TileJSON, map, legend, thumbnail and export alike, in store ${store}`, async () => {
      const name = `seen_${store}`
      const layer = `default:${name}`
      const generations = { 1: pointsOf('a', 5), 3: pointsOf('b', 9) }
      const pictures = async (query = ''): Promise<unknown[]> => {
        const files = ['legend.svg', 'legend.png', 'thumbnail.png?width=64', 'thumbnail.webp']
        const replies = files.map(async (file) => {
          const url = `/tiles/${layer}/${file}${file.includes('?') ? query.replace('?', '&') : query}`
          const reply = await server.app.inject({ url, headers: server.admin })
          assert.equal(reply.statusCode, 200, `${url}: ${reply.body}`)
          if (query !== '') assert.equal(reply.headers['cache-control'], 'private, no-cache')
          return reply.rawPayload.toString('base64')
        })
        return Promise.all(replies)
      }
      await importPoints(server, { name, store, points: generations[1] })
      const drawn: Record<string, unknown[]> = { 1: await pictures() }
      const used = await ask(server, 'PUT', `/rest/layers/${layer}`, {
        layer: { defaultStyle: { name: 'own' } },
      })
      assert.equal(used.status, 200, used.text)
      await importPoints(server, { name, store, mode: 'REPLACE', points: generations[3] })
      drawn[3] = await pictures()
      const put = await ask(server, 'PUT', '/rest/workspaces/default/styles/own', {
        style: { format: 'maplibre', document: styleOf(store === 'file' ? 7 : 9) },
      })
      assert.equal(put.status, 200, put.text)
      await importPoints(server, { name, store, mode: 'REPLACE', points: pointsOf('c', 2) })
      const [latest] = await versionsOf(server, layer)
      assert.equal(latest?.version, 5)
      for (const [version, points] of Object.entries(generations)) {
        const names = points.map(([one]) => one).sort()
        const items = `/ogc/collections/${layer}/items`
        const { features } = (await get(server, `${items}?version=${version}`)) as { features: Feature[] }
        assert.deepEqual(features.map(({ properties }) => properties.name).sort(), names)
        for (const { id, properties } of features) {
          const one = (await get(server, `${items}/${id}?version=${version}`)) as Feature
          assert.deepEqual([one.id, one.properties], [id, properties])
        }
        const none = await ask(server, 'GET', `${items}/4711?version=${version}`)
        assert.equal(none.status, 404, none.text)
        const reported = (await get(server, `/tiles/${layer}?version=${version}`)) as {
          tiles: string[]
          bounds: number[]
        }
        const address = new URL(reported.tiles[0] ?? '')
        assert.equal(address.search, `?version=${version}`)
        assert.ok((reported.bounds[2] ?? 0) >= 3 * (points.length - 1))
        const whole = await exported(server, layer, Number(version))
        assert.ok(whole.size > 1)
        assert.deepEqual(await pictures(`?version=${version}`), drawn[version])
        for (const [place, bytes] of whole) {
          const [z = '', x = '', y = ''] = place.split('/')
          const path = decodeURIComponent(address.pathname)
          const url = path.replace('{z}', z).replace('{x}', x).replace('{y}', y)
          assert.deepEqual(await tileAt(server, `${url}?version=${version}`), bytes, place)
        }
        assert.deepEqual(namesIn(whole.get('0/0/0') ?? Buffer.alloc(0), name), names)
      }
      const present = await pictures()
      assert.deepEqual(await pictures('?version=5'), present)
      for (const before of Object.values(drawn))
        for (const [at, picture] of before.entries()) assert.notEqual(picture, present[at])
      for (const file of ['0/0/0.png', '0/0/0.webp', 'layer.qlr']) {
        const refused = await ask(server, 'GET', `/tiles/${layer}/${file}?version=1`)
        assert.equal(refused.status, 400, refused.text)
        assert.match(refused.text, /version is not supported here/)
      }
      const radiusAt = async (version: number): Promise<unknown> => {
        const map = (await get(server, `/tiles/${layer}/style.json?version=${version}`)) as {
          layers: { paint?: Record<string, unknown> }[]
          sources: Record<string, { url: string }>
        }
        const [source] = Object.values(map.sources)
        assert.match(source?.url ?? '', new RegExp(`[?]version=${version}$`))
        return map.layers.map(({ paint }) => paint?.['circle-radius']).find((one) => one !== undefined)
      }
      const before = await radiusAt(3)
      assert.notEqual(before, await radiusAt(5))
      assert.notEqual(await radiusAt(1), before)
    })
  }

  it('are for users alone, and of one layer', async () => {
    await importPoints(server, { name: 'plain', store: 'file' })
    for (const url of [
      '/ogc/collections/default:plain/items/1?version=1',
      '/tiles/default:plain?version=1',
      '/tiles/default:plain/style.json?version=1',
      '/tiles/default:plain/legend.svg?version=1',
      '/tiles/default:plain/thumbnail.png?version=1',
    ]) {
      const reply = await server.app.inject({ url })
      assert.ok([401, 404].includes(reply.statusCode), `${url}: ${reply.statusCode}`)
    }
    const many = await ask(server, 'GET', '/tiles/default:plain,default:seen_file?version=1')
    assert.equal(many.status, 400, many.text)
    const unknown = await ask(server, 'POST', '/rest/layers/default:plain/exports', {
      export: { format: 'mbtiles', version: 7 },
    })
    assert.equal(unknown.status, 404, unknown.text)
  })
})
