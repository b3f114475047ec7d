import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { zipOf } from '../../support/archives.ts'
import { listOf } from '../../support/importer-client.ts'
import { makeGranule } from '../../support/mosaics.ts'
import type { TestServer } from '../../support/server.ts'
import { startServer } from '../../support/server.ts'
import { temporaryData } from '../../support/terrane-process.ts'
import { until as eventually } from '../../support/until.ts'

const granules = 8

/** Writes archives of granules, each with different names. */
async function writeArchives(dataDir: string, count: number): Promise<void> {
  const folder = join(dataDir, 'incoming')
  mkdirSync(folder, { recursive: true })
  makeGranule(join(dataDir, 'tile.tif'))
  const tile = readFileSync(join(dataDir, 'tile.tif'))
  for (let archive = 0; archive < count; archive += 1) {
    const names = Array.from({ length: granules }, (_, day) => `${archive}_2020010${day + 1}.tif`)
    const entries = Object.fromEntries(names.map((name) => [name, tile]))
    writeFileSync(join(folder, `${archive}.zip`), await zipOf(entries))
  }
}

/** Loads of the mosaic `tiles`, one after the other, and the number of granules after each. */
const loads = [
  { mode: 'CREATE', count: granules },
  { mode: 'APPEND', count: granules * 2 },
  { mode: 'REPLACE', count: granules },
  { mode: 'APPEND', count: granules * 2 },
  { mode: 'REPLACE', count: granules },
  { mode: 'REPLACE', count: granules },
] as const

/**
 * Time of the kill: milliseconds after the start, just before the load commits, or just after it is
 * published.
 */
const deaths = [60, 'committing', 120, 0, 'committing', 'COMPLETE'] as const

async function prepare(server: TestServer, archive: number, mode: string): Promise<number> {
  const data = { type: 'mosaic', file: `${archive}.zip`, time: { mode: 'auto' } }
  const created = await server.call('POST', '/rest/imports', { import: { data } })
  assert.equal(created.status, 201, created.text)
  const id = Number(created.json.import?.id)
  const task = { updateMode: mode, layer: { name: 'tiles' } }
  const put = await server.call('PUT', `/rest/imports/${id}/tasks/0`, { task })
  assert.equal(put.status, 200, put.text)
  return id
}

async function runAndKill(server: TestServer, id: number, death: (typeof deaths)[number]): Promise<void> {
  const until = await server.watch(id)
  await server.call('POST', `/rest/imports/${id}?async=true`)
  if (typeof death === 'number') await sleep(death)
  else await until(new RegExp(death))
  await server.kill()
}

function granuleFiles(dataDir: string): string[] {
  const folder = join(dataDir, 'stores', 'default')
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tif'))
}

async function assertWhole(server: TestServer, dataDir: string, count: number): Promise<void> {
  const { json: layers } = await server.call('GET', '/rest/layers')
  assert.equal(listOf(layers.layers?.layer).length, 1, JSON.stringify(layers))
  const { json: collection } = await server.call('GET', '/ogc/collections/default:tiles')
  const { json: list } = await server.call('GET', '/ogc/collections/default:tiles/granules?limit=1000')
  const files = listOf<{ properties: { file: string } }>(list.features).map(
    ({ properties }) => properties.file,
  )
  assert.equal(new Set(files).size, count)
  assert.equal(files.length, count)
  assert.equal(collection.granuleCount, count)
  // After a restart the server removes replaced files in the background.
  await eventually(() => granuleFiles(dataDir).length === count).catch(() => undefined)
  assert.equal(granuleFiles(dataDir).length, count, 'files of ours are those of the index')
}

describe('a server that is killed while it loads a mosaic', () => {
  it('comes back with one layer and every granule once', async (t) => {
    const dataDir = temporaryData(t)
    await writeArchives(dataDir, loads.length)
    let server = await startServer(t, dataDir)
    for (const [archive, { mode, count }] of loads.entries()) {
      const id = await prepare(server, archive, mode)
      await runAndKill(server, id, deaths[archive] ?? 0)
      server = await startServer(t, dataDir)
      const { state, tasks } = await server.importIn(id, ['COMPLETE', 'COMPLETE_ERROR', 'PENDING'])
      assert.equal(state, 'COMPLETE', JSON.stringify(tasks))
      await assertWhole(server, dataDir, count)
    }
    await server.stop()
  })
})
