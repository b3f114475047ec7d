import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { after, before, describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { RangeResponse, Source } from 'pmtiles'
import { PMTiles, tileIdToZxy, zxyToTileId } from 'pmtiles'
import { defined } from '../../../src/core/values/defined.ts'
import type { TestApp } from '../../support/app.ts'
import { basicAuth, createTestApp } from '../../support/app.ts'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import { until } from '../../support/until.ts'
import type { Points } from '../../support/versioned-layers.ts'
import { importPoints, versionOf } from '../../support/versioned-layers.ts'

const points: Points = Array.from({ length: 500 }, (_, at) => [`p${at}`, -179 + at * 0.7, 80 * Math.sin(at)])
const maxZoom = 4

interface Download {
  id: string
  state: string
  progress: number
  total: number
  sizeBytes?: number
  href?: string
  message?: string
}

type Tiles = Map<string, Buffer>

function clientOf(server: TestApp) {
  const send = (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object, headers = server.admin) =>
    server.app.inject({ method, url, headers, ...defined({ payload }) })
  const ask = async (layer: string, expected: object): Promise<Download> => {
    const reply = await send('POST', `/rest/layers/${layer}/exports`, { export: expected })
    assert.equal(reply.statusCode, 202, reply.body)
    const { download } = reply.json<{ download: Download }>()
    assert.match(String(reply.headers.location), new RegExp(`/rest/downloads/${download.id}$`))
    assert.match(download.id, /^[0-9a-f]{32}$/)
    return download
  }
  const show = async (id: string): Promise<Download> => {
    const reply = await send('GET', `/rest/downloads/${id}`)
    assert.equal(reply.statusCode, 200, reply.body)
    return reply.json<{ download: Download }>().download
  }
  const ended = async (id: string): Promise<Download> => {
    await until(async () => !['PENDING', 'RUNNING'].includes((await show(id)).state))
    return show(id)
  }
  const fileOf = async (id: string): Promise<Buffer> =>
    (await send('GET', `/rest/downloads/${id}/file`)).rawPayload
  return { send, ask, show, ended, fileOf }
}

/** Every tile that `/tiles` gives, down to the deepest zoom; none is left out. */
async function servedTiles(
  server: TestApp,
  layer: string,
  [minZoom, deepest] = [0, maxZoom],
): Promise<Tiles> {
  const tiles: Tiles = new Map()
  for (let z = minZoom ?? 0; z <= (deepest ?? 0); z += 1)
    for (let x = 0; x < 2 ** z; x += 1)
      for (let y = 0; y < 2 ** z; y += 1) {
        const url = `/tiles/${layer}/${z}/${x}/${y}.mvt`
        const { statusCode, rawPayload } = await server.app.inject({ url, headers: server.admin })
        if (statusCode === 200) tiles.set(`${z}/${x}/${y}`, rawPayload)
      }
  return tiles
}

function mbtilesIn(path: string): Tiles {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    const rows = db.prepare('SELECT * FROM tiles').all()
    return new Map(
      rows.map((row) => {
        const z = Number(row['zoom_level'])
        const key = `${z}/${row['tile_column']}/${2 ** z - 1 - Number(row['tile_row'])}`
        return [key, gunzipSync(row['tile_data'] as Uint8Array)]
      }),
    )
  } finally {
    db.close()
  }
}

class BytesSource implements Source {
  readonly #bytes: Buffer
  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }
  getKey(): string {
    return 'bytes'
  }
  async getBytes(offset: number, length: number): Promise<RangeResponse> {
    const part = this.#bytes.subarray(offset, offset + length)
    return { data: new Uint8Array(part).buffer }
  }
}

async function pmtilesIn(bytes: Buffer, expected: Iterable<string>): Promise<Tiles> {
  const archive = new PMTiles(new BytesSource(bytes))
  const tiles: Tiles = new Map()
  for (const key of expected) {
    const [z = 0, x = 0, y = 0] = key.split('/').map(Number)
    const found = await archive.getZxy(z, x, y)
    if (found !== undefined) tiles.set(key, Buffer.from(found.data))
  }
  return tiles
}

function everyKey(): string[] {
  const last = zxyToTileId(maxZoom + 1, 0, 0)
  return Array.from({ length: last }, (_, id) => tileIdToZxy(id).join('/'))
}

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'terrane-exports-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const shapes = {
  'SQLite and GeoPackage': async () => ({}),
  'PostgreSQL and PostGIS': async () => ({ TERRANE_DATABASE_URL: await createCatalogDatabase() }),
}

for (const [name, environment] of Object.entries(shapes))
  describe(`exports over ${name}`, () => {
    let server: TestApp
    let served: Tiles
    before(async () => {
      server = await createTestApp({ env: await environment() })
      await importPoints(server, { name: 'dots', points })
      served = await servedTiles(server, 'default:dots')
      assert.ok(served.size > 100)
    })
    after(() => server.close())

    it('are MBTiles with every tile as it is served, which GDAL and sqlite3 read', async (t) => {
      const { ask, ended, fileOf } = clientOf(server)
      const { id } = await ask('default:dots', { format: 'mbtiles', maxZoom })
      const done = await ended(id)
      assert.equal(done.state, 'COMPLETE', done.message)
      const path = join(folder(t), 'dots.mbtiles')
      writeFileSync(path, await fileOf(id))
      assert.equal(done.sizeBytes, readFileSync(path).length)
      assert.deepEqual(sorted(mbtilesIn(path)), sorted(served))
      const output = execFileSync('ogrinfo', ['-ro', '-so', '-oo', 'ZOOM_LEVEL=0', path, 'dots'], {
        encoding: 'utf8',
      })
      assert.match(output, /Feature Count: 500/)
      const count = execFileSync('sqlite3', [path, 'SELECT count(*) FROM tiles'], { encoding: 'utf8' })
      assert.equal(Number(count), served.size)
    })

    it('are PMTiles with every tile as it is served, by ranges, and with nothing else', async () => {
      const { ask, ended, fileOf, send } = clientOf(server)
      const { id } = await ask('default:dots', { format: 'pmtiles', maxZoom })
      const done = await ended(id)
      assert.equal(done.state, 'COMPLETE', done.message)
      const bytes = await fileOf(id)
      assert.deepEqual(sorted(await pmtilesIn(bytes, everyKey())), sorted(served))
      const archive = new PMTiles(new BytesSource(bytes))
      const { numAddressedTiles, minZoom, maxZoom: deepest, clustered } = await archive.getHeader()
      assert.deepEqual([numAddressedTiles, minZoom, deepest, clustered], [served.size, 0, maxZoom, true])
      const { vector_layers: layers } = (await archive.getMetadata()) as { vector_layers: unknown }
      assert.deepEqual(layers, [{ id: 'dots', fields: { name: 'String' }, minzoom: 0, maxzoom: maxZoom }])
      const headers = { ...server.admin, range: 'bytes=0-6' }
      const part = await send('GET', `/rest/downloads/${id}/file`, undefined, headers)
      assert.deepEqual([part.statusCode, part.body], [206, 'PMTiles'])
    })

    it('hold the zooms and the box that were asked for', async (t) => {
      const { ask, ended, fileOf } = clientOf(server)
      const { id } = await ask('default:dots', {
        format: 'mbtiles',
        minZoom: 3,
        maxZoom: 4,
        bbox: [0, 0, 90, 66],
      })
      assert.equal((await ended(id)).state, 'COMPLETE')
      const path = join(folder(t), 'part.mbtiles')
      writeFileSync(path, await fileOf(id))
      const inside = [...served].filter(([key]) => {
        const [z = 0, x = 0, y = 0] = key.split('/').map(Number)
        const isSelected = z === 3 || z === 4
        return (
          isSelected && x >= 2 ** (z - 1) - 1 && x <= 0.75 * 2 ** z && y >= 2 ** (z - 2) && y <= 2 ** (z - 1)
        )
      })
      const found = mbtilesIn(path)
      assert.ok(found.size > 4)
      for (const [key, tile] of found) assert.deepEqual(tile, served.get(key))
      for (const [key] of inside.filter(([key]) => key === '3/5/3' || key === '4/9/6'))
        assert.ok(found.has(key))
      for (const key of found.keys()) assert.ok(new Map(inside).has(key), key)
    })
  })

function sorted(tiles: Tiles): [string, string][] {
  return [...tiles].map(([key, bytes]): [string, string] => [key, bytes.toString('base64')]).sort()
}

describe('an export', () => {
  it('is refused where it makes no sense, with the reason', async (t) => {
    const server = await serving(t)
    const { send } = clientOf(server)
    const wrong = [
      [{ format: 'zip' }, 400],
      [{ format: 'pmtiles', maxZoom: 23 }, 400],
      [{ format: 'pmtiles', minZoom: 5, maxZoom: 4 }, 400],
      [{ format: 'pmtiles', bbox: [0, 10, 5, 5] }, 400],
      [{ format: 'pmtiles', bbox: [0, 10, 500, 20] }, 400],
    ] as const
    for (const [expected, status] of wrong)
      assert.equal(
        (await send('POST', '/rest/layers/default:dots/exports', { export: expected })).statusCode,
        status,
      )
    const unknown = await send('POST', '/rest/layers/default:none/exports', { export: { format: 'pmtiles' } })
    assert.equal(unknown.json<{ code: string }>().code, 'unknown-layer')
    for (const id of ['none', '0'.repeat(32), '..%2F..%2Fsecret']) {
      const reply = await send('GET', `/rest/downloads/${id}`)
      assert.equal(reply.json<{ code: string }>().code, 'unknown-download')
    }
  })

  it('asks for rights at each fetch, and is gone with its layer', async (t) => {
    const server = await serving(t)
    const { ask, ended, send } = clientOf(server)
    const nobody = {} as typeof server.admin
    await send('POST', '/rest/security/users', {
      user: { name: 'reader', password: 'long-enough-password', role: 'user' },
    })
    const reader = basicAuth('reader', 'long-enough-password')
    const { id } = await ask('default:dots', { format: 'pmtiles', maxZoom: 2 })
    await ended(id)
    const of = async (path: string, headers = server.admin): Promise<number> =>
      (await send('GET', `/rest/downloads/${id}${path}`, undefined, headers)).statusCode
    for (const path of ['', '/file']) {
      assert.deepEqual([await of(path), await of(path, reader), await of(path, nobody)], [200, 200, 404])
    }
    const publish = (isPublic: boolean) =>
      server.app.inject({
        method: 'PUT',
        url: '/rest/layers/default:dots',
        headers: server.admin,
        payload: { layer: { public: isPublic } },
      })
    await publish(true)
    assert.equal(await of('/file', nobody), 200)
    await publish(false)
    assert.equal(await of('/file', nobody), 404)
    assert.equal((await send('DELETE', `/rest/downloads/${id}`, undefined, reader)).statusCode, 403)
    await send('DELETE', '/rest/layers/default:dots')
    assert.equal(await of('/file'), 404)
    await until(() => filesOf(server).length === 0)
  })

  it('is cancelled by DELETE, and leaves nothing', async (t) => {
    const server = await serving(t)
    const { ask, send, show } = clientOf(server)
    const { id } = await ask('default:dots', { format: 'mbtiles', maxZoom: 14 })
    await until(async () => (await show(id)).progress > 20)
    assert.equal((await send('DELETE', `/rest/downloads/${id}`)).statusCode, 200)
    assert.equal((await send('GET', `/rest/downloads/${id}`)).statusCode, 404)
    await until(() => filesOf(server).length === 0)
  })

  it('is of one version, begun anew where the layer changes meanwhile', async (t) => {
    const server = await serving(t)
    const { ask, show, ended, fileOf } = clientOf(server)
    const { id } = await ask('default:dots', { format: 'pmtiles', maxZoom: 7 })
    await until(async () => (await show(id)).progress > 20)
    await importPoints(server, { name: 'dots', mode: 'REPLACE', points: points.slice(0, 100) })
    const done = await ended(id)
    assert.equal(done.state, 'COMPLETE', done.message)
    const served = await servedTiles(server, 'default:dots', [0, 2])
    const archive = new PMTiles(new BytesSource(await fileOf(id)))
    assert.equal(
      String(((await archive.getMetadata()) as { version: string }).version),
      String(await versionOf(server, 'default:dots')),
    )
    const found = await pmtilesIn(await fileOf(id), served.keys())
    assert.deepEqual(sorted(found), sorted(served))
  })

  it('is made by the next start of a server that was stopped meanwhile', async (t) => {
    const dataDir = folder(t)
    const first = await createTestApp({ dataDir })
    await importPoints(first, { name: 'dots', points })
    const { ask, show } = clientOf(first)
    const { id } = await ask('default:dots', { format: 'pmtiles', maxZoom: 7 })
    await until(async () => (await show(id)).progress > 20)
    await first.close()
    const second = await createTestApp({ dataDir })
    t.after(() => second.close())
    const { ended, fileOf } = clientOf(second)
    const done = await ended(id)
    assert.equal(done.state, 'COMPLETE', done.message)
    const served = await servedTiles(second, 'default:dots', [0, 2])
    const found = await pmtilesIn(await fileOf(id), served.keys())
    assert.deepEqual(sorted(found), sorted(served))
    assert.deepEqual(filesOf(second), [`${id}.pmtiles`])
  })

  it('stops at the limit of the disk', async (t) => {
    const server = await serving(t, { TERRANE_MAX_EXPORTS: '20KiB' })
    const { ask, ended } = clientOf(server)
    const { id } = await ask('default:dots', { format: 'mbtiles', maxZoom: 7 })
    const { state, message } = await ended(id)
    assert.equal(state, 'ERROR')
    assert.match(String(message), /TERRANE_MAX_EXPORTS/)
    assert.deepEqual(
      filesOf(server).filter((one) => !one.endsWith('.json')),
      [],
    )
  })
})

async function serving(t: TestContext, env: Record<string, string> = {}): Promise<TestApp> {
  const server = await createTestApp({ env })
  t.after(() => server.close())
  await importPoints(server, { name: 'dots', points })
  return server
}

function filesOf(server: TestApp): string[] {
  return readdirSync(join(server.dataDir, 'maps', 'exports'))
}
