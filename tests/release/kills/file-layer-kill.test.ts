import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gdal } from '../../support/rasters.ts'
import type { TestServer } from '../../support/server.ts'
import { startServer } from '../../support/server.ts'
import type { WriterRow } from '../../support/shapefile-writer.ts'
import { writeShapefile } from '../../support/shapefile-writer.ts'
import { temporaryData } from '../../support/terrane-process.ts'
import type { VersionResponse } from '../../support/version-client.ts'

const sizes = { base: 20_000, added: 30_000 }
const wgs84 =
  'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]'

function* rowsOf(name: keyof typeof sizes): Generator<WriterRow> {
  for (let number = 0; number < sizes[name]; number += 1)
    yield {
      shape: { parts: [[(number % 1000) / 10, Math.floor(number / 1000) / 10]] },
      values: [name, number],
    }
}

/** The import root with a layer's file of each kind, and the rows that are loaded into such layers. */
function writeSources(dataDir: string): string {
  const folder = join(dataDir, 'incoming')
  mkdirSync(folder, { recursive: true })
  for (const name of ['base', 'added'] as const)
    writeShapefile(join(folder, `${name}.shp`), {
      shapeType: 1,
      fields: [
        { name: 'part', type: 'C', width: 8 },
        { name: 'number', type: 'N', width: 9 },
      ],
      rows: rowsOf(name),
      prj: wgs84,
    })
  gdal('ogr2ogr', '-q', '-f', 'GPKG', join(folder, 'base.gpkg'), join(folder, 'base.shp'))
  return folder
}

const extensionsOf = { Shapefile: ['shp', 'shx', 'dbf', 'prj'], GeoPackage: ['gpkg'] }
type FileType = keyof typeof extensionsOf

/**
 * Time of the kill: a share of the duration of the load, or `committing` for the moment of the commit. This
 * table is the seed of a run.
 */
const rounds: { type: FileType; mode: 'REPLACE' | 'APPEND'; death: number | 'committing' }[] = [
  { type: 'Shapefile', mode: 'APPEND', death: 0.13 },
  { type: 'Shapefile', mode: 'REPLACE', death: 0.55 },
  { type: 'Shapefile', mode: 'APPEND', death: 'committing' },
  { type: 'GeoPackage', mode: 'REPLACE', death: 0.27 },
  { type: 'GeoPackage', mode: 'APPEND', death: 0.81 },
  { type: 'GeoPackage', mode: 'REPLACE', death: 'committing' },
]

async function create(server: TestServer, file: string): Promise<number> {
  const { status, json, text } = await server.call('POST', '/rest/imports', {
    import: { data: { type: 'file', file } },
  })
  assert.equal(status, 201, text)
  return Number(json.import?.id)
}

async function countOf(server: TestServer, layer: string): Promise<number> {
  const { json } = await server.call('GET', `/ogc/collections/default:${layer}/items?limit=1`)
  return Number(json.numberMatched)
}

/** Publishes a file in place and creates an import into its layer. Returns its id and the published paths. */
async function prepare(server: TestServer, folder: string, layer: string, round: (typeof rounds)[number]) {
  const extensions = extensionsOf[round.type]
  for (const ext of extensions) copyFileSync(join(folder, `base.${ext}`), join(folder, `${layer}.${ext}`))
  const published = await create(server, `${layer}.${extensions[0]}`)
  const named = { task: { layer: { name: layer } } }
  assert.equal((await server.call('PUT', `/rest/imports/${published}/tasks/0`, named)).status, 200)
  assert.equal((await server.call('POST', `/rest/imports/${published}`)).status, 204)
  assert.equal(await countOf(server, layer), sizes.base)
  const id = await create(server, 'added.shp')
  const task = { updateMode: round.mode, layer: { name: layer } }
  const put = await server.call('PUT', `/rest/imports/${id}/tasks/0`, { task })
  assert.equal(put.status, 200, put.text)
  return { id, paths: extensions.map((ext) => join(folder, `${layer}.${ext}`)) }
}

async function reportedVersions(server: TestServer, layer: string): Promise<unknown[]> {
  const { json } = await server.call('GET', `/rest/layers/default:${layer}/versions`)
  const { versions } = json as unknown as { versions: VersionResponse[] }
  return versions.map((response) => [response.cause, response.import, response.mode])
}

function ownFolders(dataDir: string, layer: string): string[] {
  const folder = join(dataDir, 'stores', 'default')
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith(`${layer}_`)) : []
}

describe('a server that is killed while it loads into a layer over a file left in place', () => {
  it('serves the file or the whole new layer, comes to its end by itself, and never touches the file', async (t) => {
    const dataDir = temporaryData(t)
    const folder = writeSources(dataDir)
    let server = await startServer(t, dataDir)
    const warm = await prepare(server, folder, 'warm', { type: 'Shapefile', mode: 'APPEND', death: 0 })
    const began = performance.now()
    assert.equal((await server.call('POST', `/rest/imports/${warm.id}`)).status, 204)
    const tookMs = performance.now() - began
    assert.equal(await countOf(server, 'warm'), sizes.base + sizes.added)

    for (const [number, round] of rounds.entries()) {
      const layer = `layer${number}`
      const { id, paths } = await prepare(server, folder, layer, round)
      const before = paths.map((path) => readFileSync(path))
      const after = round.mode === 'APPEND' ? sizes.base + sizes.added : sizes.added
      const until = await server.watch(id)
      await server.call('POST', `/rest/imports/${id}?async=true`)
      await (typeof round.death === 'number' ? sleep(round.death * tookMs) : until(/committing/))
      await server.kill()

      const where = `${round.type}, ${round.mode}, ${round.death}`
      server = await startServer(t, dataDir)
      const shown = await countOf(server, layer)
      assert.ok([sizes.base, after].includes(shown), `${where}: ${shown} features are shown`)
      const done = await server.importIn(id, ['COMPLETE', 'COMPLETE_ERROR', 'PENDING'])
      assert.equal(done.state, 'COMPLETE', `${where}: ${JSON.stringify(done)}`)
      assert.equal(await countOf(server, layer), after, where)
      for (const [index, path] of paths.entries())
        assert.deepEqual(readFileSync(path), before[index], `${where}: ${path} was changed`)
      assert.deepEqual(
        await reportedVersions(server, layer),
        [
          ['import', id, round.mode],
          ['import', id - 1, 'CREATE'],
        ],
        where,
      )
      assert.equal(ownFolders(dataDir, layer).length, 1, `${where}: ${ownFolders(dataDir, layer).join()}`)
    }
    await server.stop()
  })
})
