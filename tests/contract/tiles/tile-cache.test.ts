import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import type { CachedTile } from '../../../src/render/cache/cached-tile.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { patienceMs, until } from '../../support/until.ts'
import type { Points } from '../../support/versioned-layers.ts'
import { importPoints, recordOf } from '../../support/versioned-layers.ts'

const points: Points = Array.from({ length: 300 }, (_, at) => [`p${at}`, -170 + at, 60 - at / 3])

function dataFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-tile-cache-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function serving(t: TestContext, options: Parameters<typeof createTestApp>[0] = {}): Promise<TestApp> {
  const server = await createTestApp(options)
  t.after(() => server.close())
  return server
}

async function tileOf(server: TestApp, name: string, [z, x, y] = [0, 0, 0]): Promise<CachedTile> {
  const query = { set: 'WebMercatorQuad', tile: { z: z ?? 0, x: x ?? 0, y: y ?? 0 } } as const
  return server.maps.tile(await recordOf(server, name), query, AbortSignal.timeout(patienceMs))
}

/** Returns the files of cached tiles of all layers. */
function filesIn(dataDir: string): string[] {
  const root = join(dataDir, 'maps')
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.mbtiles'))
    .map((name) => join(root, name))
}

function rowsIn(path: string, sql: string): unknown[] {
  const db = new DatabaseSync(path, { timeout: 3000 })
  try {
    return db.prepare(sql).all()
  } finally {
    db.close()
  }
}

async function kept(dataDir: string, count = 1): Promise<string> {
  await until(() => {
    const [path] = filesIn(dataDir)
    return path !== undefined && existsSync(path) && rowsIn(path, 'SELECT 1 FROM kept_tiles').length >= count
  })
  return filesIn(dataDir)[0] ?? ''
}

/** A GeoPackage that was just loaded into is written to once more: its log is moved into it. */
async function settle(dataDir: string): Promise<void> {
  const stores = join(dataDir, 'stores')
  await until(
    () => !readdirSync(stores, { recursive: true, encoding: 'utf8' }).some((name) => name.endsWith('-wal')),
  )
}

describe('the cache of tiles', () => {
  it('is an MBTiles file that other programs read', async (t) => {
    const dataDir = dataFolder(t)
    const server = await serving(t, { dataDir })
    await importPoints(server, { name: 'dots', points })
    const made = await tileOf(server, 'dots')
    assert.ok(made.isCurrent && made.bytes.length > 0)
    await tileOf(server, 'dots', [1, 0, 0])
    await tileOf(server, 'dots', [9, 0, 511])
    const path = await kept(dataDir, 3)
    const tiles = rowsIn(path, 'SELECT * FROM tiles ORDER BY zoom_level') as Record<string, unknown>[]
    assert.deepEqual(
      tiles.map(({ zoom_level, tile_column, tile_row }) => [zoom_level, tile_column, tile_row]),
      [
        [0, 0, 0],
        [1, 0, 1],
      ],
    )
    assert.deepEqual(gunzipSync(tiles[0]?.['tile_data'] as Uint8Array), gunzipSync(made.bytes))
    const output = execFileSync('ogrinfo', ['-ro', '-so', '-oo', 'ZOOM_LEVEL=0', path, 'dots'], {
      encoding: 'utf8',
    })
    assert.match(output, /MBTiles/)
    assert.match(output, /Feature Count: 300/)
  })

  it('gives the same tile after a restart, without the store', async (t) => {
    const dataDir = dataFolder(t)
    const first = await createTestApp({ dataDir })
    await importPoints(first, { name: 'dots', points })
    await settle(dataDir)
    const made = await tileOf(first, 'dots')
    await first.close()
    const path = filesIn(dataDir)[0] ?? ''
    const second = await serving(t, { dataDir })
    const again = await tileOf(second, 'dots')
    assert.deepEqual(again, made)
    assert.deepEqual(filesIn(dataDir), [path])
  })

  it('is made anew where it is damaged, and its tiles are right all the time', async (t) => {
    const dataDir = dataFolder(t)
    const damages: Record<string, (path: string) => void> = {
      'no database': (path) => writeFileSync(path, 'x'.repeat(10_000)),
      'cut off': (path) => truncateSync(path, statSync(path).size - 4096),
      'another tile in its place': (path) => {
        rowsIn(
          path,
          'UPDATE kept_tiles SET zoom_level = 0, tile_column = 0, tile_row = 0 WHERE zoom_level = 1 RETURNING 1',
        )
      },
      'other bytes': (path) => rowsIn(path, "UPDATE kept_tiles SET tile_data = x'1f8b' RETURNING 1"),
      'no tables': (path) => rowsIn(path, 'DROP TABLE kept_tiles'),
      empty: (path) => writeFileSync(path, ''),
    }
    const first = await createTestApp({ dataDir })
    await importPoints(first, { name: 'dots', points })
    await settle(dataDir)
    const right = (await tileOf(first, 'dots')).bytes
    await first.close()
    for (const [damage, doDamage] of Object.entries(damages)) {
      const path = await kept(dataDir)
      doDamage(path)
      const server = await createTestApp({ dataDir })
      assert.deepEqual((await tileOf(server, 'dots')).bytes, right, damage)
      assert.deepEqual((await tileOf(server, 'dots')).bytes, right, damage)
      await server.close()
      await kept(dataDir)
    }
  })

  it('loses older versions, whose tiles that were asked for most are made anew', async (t) => {
    const dataDir = dataFolder(t)
    const server = await serving(t, { dataDir })
    await importPoints(server, { name: 'dots', points })
    for (let round = 0; round < 3; round += 1) await tileOf(server, 'dots')
    await tileOf(server, 'dots', [1, 0, 0])
    const old = await kept(dataDir, 2)
    await importPoints(server, { name: 'dots', points: points.slice(9), mode: 'REPLACE' })
    await until(() => {
      const [path] = filesIn(dataDir)
      return path !== undefined && path !== old && rowsIn(path, 'SELECT 1 FROM kept_tiles').length === 2
    })
    assert.equal(existsSync(old), false)
    const { version } = await tileOf(server, 'dots')
    assert.equal(version, (await recordOf(server, 'dots')).version)
  })

  it('goes with its layer', async (t) => {
    const dataDir = dataFolder(t)
    const server = await serving(t, { dataDir })
    await importPoints(server, { name: 'dots', points })
    const { id } = await recordOf(server, 'dots')
    await tileOf(server, 'dots')
    await kept(dataDir)
    const { admin: headers } = server
    await server.app.inject({ method: 'DELETE', url: '/rest/layers/default:dots', headers })
    await until(() => !existsSync(join(dataDir, 'maps', String(id))))
  })

  it('stays below its limit, and is not there where the limit is 0', async (t) => {
    const dataDir = dataFolder(t)
    const maxBytes = 120_000
    const server = await serving(t, { dataDir, env: { TERRANE_MAX_TILES: String(maxBytes) } })
    await importPoints(server, { name: 'dots', points })
    const size = (): number => filesIn(dataDir).reduce((sum, path) => sum + statSync(path).size, 0)
    for (let at = 0; at < 700; at += 1) {
      await tileOf(server, 'dots', [8, at % 64, 64 + Math.floor(at / 64)])
      if (at % 100 === 0) await sleep(60)
    }
    await until(() => size() < maxBytes)
    await server.close()
    const without = await serving(t, { dataDir, env: { TERRANE_MAX_TILES: '0' } })
    assert.ok((await tileOf(without, 'dots')).bytes.length > 0)
    await until(() => filesIn(dataDir).length === 0)
  })

  it('makes a tile once for all who ask, and ends the work when the last has left', async (t) => {
    const server = await serving(t)
    await importPoints(server, { name: 'dots', points })
    const tiles = await Promise.all(Array.from({ length: 50 }, () => tileOf(server, 'dots')))
    for (const tile of tiles) assert.equal(tile.bytes, tiles[0]?.bytes)
    const layer = await recordOf(server, 'dots')
    const gone = AbortSignal.abort(new Error('left'))
    const query = { set: 'WebMercatorQuad', tile: { z: 2, x: 1, y: 1 } } as const
    await assert.rejects(server.maps.tile(layer, query, gone), /left/)
  })
})
