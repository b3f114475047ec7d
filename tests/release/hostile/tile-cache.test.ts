import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { CacheFolder } from '../../../src/render/cache/cache-folder.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import { madeUpTile } from '../../support/made-up-tiles.ts'
import { fileDatabase, storeParameters } from '../../support/postgis-store.ts'
import { until } from '../../support/until.ts'
import { importPoints, pointsJson } from '../../support/versioned-layers.ts'

/** Asynchronous, so that the server in this process continues: the duration of its file checks matters. */
const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..', '..')

function folderOf(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'terrane-tile-cache-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

async function namesIn(server: TestApp, layer: string): Promise<string[]> {
  const url = `/tiles/default:${layer}/0/0/0.mvt`
  const { statusCode, rawPayload, body } = await server.app.inject({ url, headers: server.admin })
  assert.equal(statusCode, 200, body)
  const found = new VectorTile(new PbfReader(rawPayload)).layers[layer]
  assert.ok(found)
  return Array.from({ length: found.length }, (_, at) => String(found.feature(at).properties.name)).sort()
}

async function untilNames(server: TestApp, layer: string, expected: string[]): Promise<void> {
  let names: string[] = []
  await until(async () => {
    names = await namesIn(server, layer)
    return names.length >= expected.length
  })
  assert.deepEqual(names, expected)
}

describe('the cache of tiles under hardship', () => {
  it('holds whole tiles or none after it was killed in the middle of writing', async (t) => {
    const folder = folderOf(t)
    let found = 0
    // A slow writer stores few tiles in each round.
    for (let round = 0; round < 6 || found <= 100; round += 1) {
      const writer = spawn(process.execPath, [
        join(root, 'tests', 'support', 'keep-tiles-until-killed.ts'),
        folder,
      ])
      await once(writer.stdout, 'data')
      await sleep(30 + 60 * round)
      writer.kill('SIGKILL')
      await once(writer, 'exit')
      const problems: string[] = []
      const cache = new CacheFolder({ root: folder, onProblem: (what) => problems.push(what) })
      for (let number = 0; number < 4000; number += 1) {
        const { key, tile } = madeUpTile(number)
        const [kept] = cache.find([key])
        if (kept === undefined) continue
        found += 1
        assert.deepEqual(kept.counts, tile.counts)
        assert.ok(Buffer.from(kept.bytes).equals(tile.bytes))
      }
      cache.close()
      assert.deepEqual(problems, [])
    }
  })

  it('is shared by two servers, and neither shows what the other has replaced or removed', async (t) => {
    const dataDir = folderOf(t)
    const env = { TERRANE_DATABASE_URL: await createCatalogDatabase() }
    const [one, two] = [await createTestApp({ dataDir, env }), await createTestApp({ dataDir, env })]
    t.after(() => Promise.all([one.close(), two.close()]))
    await importPoints(one, { name: 'dots', points: [['0', 1, 2]] })
    for (let generation = 1; generation <= 4; generation += 1) {
      const [writer, reader] = generation % 2 === 0 ? [one, two] : [two, one]
      await Promise.all([namesIn(one, 'dots'), namesIn(two, 'dots')])
      await sleep(60)
      await importPoints(writer, { name: 'dots', mode: 'REPLACE', points: [[`${generation}`, 1, 2]] })
      for (const server of [reader, writer, reader])
        assert.deepEqual(await namesIn(server, 'dots'), [`${generation}`])
    }
    const versions = new Set(
      readdirSync(join(dataDir, 'maps'), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.mbtiles'))
        .map((name) => name.split('/').at(-1)?.split('-')[0]),
    )
    assert.ok(versions.size <= 1, [...versions].join(' '))
    await two.app.inject({ method: 'DELETE', url: '/rest/layers/default:dots', headers: two.admin })
    const gone = await one.app.inject({ url: '/tiles/default:dots/0/0/0.mvt', headers: one.admin })
    assert.equal(gone.statusCode, 404)
  })

  it('shows what ogr2ogr and psql have written, at once', async (t) => {
    const server = await createTestApp()
    t.after(() => server.close())
    const url = await fileDatabase()
    for (const [name, type, connectionParameters] of [
      ['file', 'GeoPackage', { database: join(server.dataDir, 'stores', 'own.gpkg') }],
      ['table', 'PostGIS', storeParameters(url)],
    ] as const) {
      const payload = { dataStore: { name, type, connectionParameters } }
      const made = {
        method: 'POST',
        url: '/rest/workspaces/default/datastores',
        headers: server.admin,
      } as const
      assert.equal((await server.app.inject({ ...made, payload })).statusCode, 201)
      await importPoints(server, { name, store: name, points: [['a', 1, 2]] })
    }
    const more = join(server.dataDir, 'more.geojson')
    for (let round = 0; round < 3; round += 1) {
      const known = ['a', ...Array.from({ length: round }, (_, at) => `b${at}`)]
      for (const layer of ['file', 'table']) {
        assert.deepEqual(await namesIn(server, layer), known)
        assert.deepEqual(await namesIn(server, layer), known)
      }
      writeFileSync(more, pointsJson([[`b${round}`, 3, 4]]))
      const gpkg = join(server.dataDir, 'stores', 'own.gpkg')
      await run('ogr2ogr', ['-append', '-nln', 'file', gpkg, more])
      await untilNames(server, 'file', [...known, `b${round}`])
      const insert = `insert into "table" (name, geom) values ('b${round}', st_setsrid(st_point(3, 4), 4326))`
      const columns = "select f_geometry_column from geometry_columns where f_table_name = 'table'"
      const column = (await run('psql', ['-qXtA', '-d', url, '-c', columns])).stdout.trim()
      await run('psql', ['-qX', '-d', url, '-c', insert.replace('geom', `"${column}"`)])
      await untilNames(server, 'table', [...known, `b${round}`])
    }
  })
})
