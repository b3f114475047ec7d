import assert from 'node:assert/strict'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Content, KillTarget } from '../support/kill-targets.ts'
import { geoPackageTarget, postgisTarget } from '../support/kill-targets.ts'
import { testCluster } from '../support/postgres.ts'
import type { TestServer } from '../support/server.ts'
import { startServer } from '../support/server.ts'
import type { WriterRow } from '../support/shapefile-writer.ts'
import { writeShapefile } from '../support/shapefile-writer.ts'
import { temporaryData } from '../support/terrane-process.ts'

const kills = 20
const seed = 20260729
const wgs84 =
  'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]'

/** What is loaded, by the name of the file and of the attribute `part` in each of its rows. */
const sizes = { a: 30_000, b: 40_000, c: 15_000, long: 300_000 }
type Part = keyof typeof sizes

function contentOf(...parts: Part[]): Content {
  return Object.fromEntries(
    parts.map((part) => [
      part,
      { rows: sizes[part], sum: (sizes[part] * (sizes[part] - 1)) / 2, geometries: sizes[part] },
    ]),
  )
}

/** Numbers from 0 to 1, the same in each run (a linear congruential generator modulo 2^32). */
function seededRandom(start: number): () => number {
  let state = start
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

function* rowsOf(part: Part): Generator<WriterRow> {
  for (let number = 0; number < sizes[part]; number += 1) {
    const point = [(number % 1000) / 10, Math.floor(number / 1000) / 10]
    yield { shape: { parts: [point] }, values: [part, number] }
  }
}

function writeSources(dataDir: string): void {
  const folder = join(dataDir, 'incoming')
  mkdirSync(folder, { recursive: true })
  for (const part of Object.keys(sizes) as Part[])
    writeShapefile(join(folder, `${part}.shp`), {
      shapeType: 1,
      fields: [
        { name: 'part', type: 'C', width: 4 },
        { name: 'number', type: 'N', width: 9 },
      ],
      rows: rowsOf(part),
      prj: wgs84,
    })
}

async function makeTargets(server: TestServer, dataDir: string): Promise<KillTarget[]> {
  const database = await (await testCluster()).createDatabase()
  const targets = [geoPackageTarget(join(dataDir, 'stores', 'file', 'file.gpkg')), postgisTarget(database)]
  mkdirSync(join(dataDir, 'stores', 'file'), { recursive: true })
  for (const { name, definition } of targets) {
    const workspace = await server.call('POST', '/rest/workspaces', { workspace: { name } })
    assert.equal(workspace.status, 201, workspace.text)
    const store = await server.call('POST', `/rest/workspaces/${name}/datastores`, { dataStore: definition })
    assert.equal(store.status, 201, store.text)
  }
  return targets
}

type Mode = 'CREATE' | 'REPLACE' | 'APPEND'

interface Load {
  mode: Mode
  layer: string
  part: Part
}

/** Creates an import of one task, ready to run. */
async function prepare(server: TestServer, target: KillTarget, load: Load): Promise<number> {
  const created = await server.call('POST', '/rest/imports', {
    import: {
      targetWorkspace: { workspace: { name: target.name } },
      targetStore: { dataStore: { name: target.name } },
      data: { type: 'file', file: `${load.part}.shp` },
    },
  })
  assert.equal(created.status, 201, created.text)
  const id = Number(created.json.import?.id)
  const put = await server.call('PUT', `/rest/imports/${id}/tasks/0`, {
    task: { updateMode: load.mode, layer: { name: load.layer, nativeName: load.layer } },
  })
  assert.equal(put.status, 200, put.text)
  return id
}

async function run(server: TestServer, ids: number[]): Promise<void> {
  await Promise.all(ids.map((id) => server.call('POST', `/rest/imports/${id}?async=true`)))
}

function assertOneOf(found: Content | undefined, allowed: (Content | undefined)[], where: string): void {
  const isAllowed = allowed.some((one) => JSON.stringify(one) === JSON.stringify(found))
  assert.ok(isAllowed, `${where}: ${JSON.stringify(found)} is none of ${JSON.stringify(allowed)}`)
}

function contentAfter(load: Load, before: Content | undefined): Content {
  const added = contentOf(load.part)
  if (load.mode !== 'APPEND') return added
  const [name = '', facts] = Object.entries(added)[0] ?? []
  const old = before?.[name]
  const { rows = 0, sum = 0, geometries = 0 } = facts ?? {}
  return {
    ...before,
    [name]: { rows: rows + (old?.rows ?? 0), sum: sum + (old?.sum ?? 0), geometries },
  }
}

/** One load after another: the layer `places` is replaced and added to, and new layers are made. */
function loadOf(number: number): Load {
  const places = { layer: 'places' }
  if (number % 5 === 4) return { mode: 'CREATE', layer: `new_${number}`, part: 'c' }
  if (number % 5 === 1 || number % 5 === 2) return { mode: 'APPEND', ...places, part: 'c' }
  return { mode: 'REPLACE', ...places, part: number % 5 === 0 ? 'b' : 'a' }
}

/** The most features that a page names while a load is taken up again. */
async function shownCount(server: TestServer, target: KillTarget): Promise<number> {
  const { json } = await server.call('GET', `/ogc/collections/${target.name}:places/items?limit=1`)
  return Number(json.numberMatched)
}

function rowCount(content: Content | undefined): number {
  return Object.values(content ?? {}).reduce((sum, { rows }) => sum + rows, 0)
}

/** A server with the layer `places` in both stores, and how long its load took. */
async function startWithLayers(t: TestContext) {
  const dataDir = temporaryData(t)
  writeSources(dataDir)
  const server = await startServer(t, dataDir)
  const targets = await makeTargets(server, dataDir)
  const load: Load = { mode: 'CREATE', layer: 'places', part: 'a' }
  const ids = []
  for (const target of targets) ids.push(await prepare(server, target, load))
  const started = performance.now()
  await run(server, ids)
  for (const id of ids) await server.importIn(id, ['COMPLETE'])
  return { dataDir, server, targets, tookMs: performance.now() - started }
}

describe('a server that is killed during loads', () => {
  it('leaves each store as it was or as it is meant to be, and ends each import by itself', async (t) => {
    const { dataDir, server: first, targets, tookMs } = await startWithLayers(t)
    const random = seededRandom(seed)
    const tables = ['places']
    let server = first
    for (let number = 0; number < kills; number += 1) {
      const load = loadOf(number)
      const before = await Promise.all(targets.map((target) => target.content(load.layer)))
      const ids: number[] = []
      for (const target of targets) ids.push(await prepare(server, target, load))
      // Two of five are killed around the commit of one of the two, the others evenly over the load.
      const watched = number % 5 === 0 || number % 5 === 2 ? ids[Math.floor(random() * 2)] : undefined
      const moment = watched === undefined ? ((number + random()) / kills) * tookMs : random() * 60
      const until = watched === undefined ? undefined : await server.watch(watched)
      const running = run(server, ids).catch(() => undefined)
      await until?.(/"phase":"committing"/)
      await sleep(moment)
      await server.kill()
      await running

      const where = `kill ${number}, ${load.mode} ${moment.toFixed()} ms after ${watched === undefined ? 'the start' : 'the commit began'}`
      const after = targets.map((_, index) => contentAfter(load, before[index]))
      for (const [index, target] of targets.entries())
        assertOneOf(
          await target.content(load.layer),
          [before[index], after[index]],
          `${where}, ${target.name}`,
        )

      server = await startServer(t, dataDir)
      if (load.mode === 'CREATE') tables.unshift(load.layer)
      for (const [index, target] of targets.entries()) {
        const id = ids[index] ?? -1
        const counts = [before[index], after[index]].map(rowCount)
        if (load.layer === 'places') {
          const shown = await shownCount(server, target)
          assert.ok(
            counts.includes(shown),
            `${where}: ${shown} features are shown, not ${counts.join(' or ')}`,
          )
        }
        const state = (await server.call('GET', `/rest/imports/${id}`)).json.import?.state
        // Killed before the run was written down, it is still to be asked for.
        if (String(state) === 'READY' || String(state) === 'PENDING') await run(server, [id])
        const done = await server.importIn(id, ['COMPLETE', 'COMPLETE_ERROR'])
        assert.equal(done.state, 'COMPLETE', `${where}: ${JSON.stringify(done)}`)
        assert.deepEqual(await target.content(load.layer), after[index], `${where}, ${target.name}`)
        await target.assertClean(tables.toSorted())
      }
      for (const target of targets)
        assert.equal(await shownCount(server, target), rowCount(await target.content('places')), where)
    }
    assert.deepEqual(readdirSync(join(dataDir, 'uploads')), [])
    await server.stop()
  })

  it('gives a load up that dies with the server three times, with the reason, and runs it when asked', async (t) => {
    const { dataDir, server: first, targets } = await startWithLayers(t)
    const load: Load = { mode: 'REPLACE', layer: 'places', part: 'long' }
    const old = contentOf('a')
    let server = first
    for (const target of targets) {
      const id = await prepare(server, target, load)
      await run(server, [id])
      for (let death = 0; death < 3; death += 1) {
        while (!(await isLoading(server, id))) await sleep(5)
        await server.kill()
        server = await startServer(t, dataDir)
      }
      const ended = await server.importIn(id, ['COMPLETE', 'COMPLETE_ERROR'])
      assert.equal(ended.state, 'COMPLETE_ERROR', JSON.stringify(ended))
      assert.match(String(ended.tasks?.[0]?.errorMessage), /3 times and the server died/)
      assert.deepEqual(await target.content('places'), old)
      await target.assertClean(['places'])
      await run(server, [id])
      await server.importIn(id, ['COMPLETE'])
      assert.deepEqual(await target.content('places'), contentOf('long'))
      await target.assertClean(['places'])
    }
    await server.stop()
  })
})

/** Whether this server is at an import's task: RUNNING it may still be from the one before. */
async function isLoading(server: TestServer, id: number): Promise<boolean> {
  const { json } = await server.call('GET', `/rest/imports/${id}/tasks/0/progress`)
  assert.notEqual(String(json.state), 'COMPLETE', 'the load ended before the server could be killed')
  return String(json.state) === 'RUNNING' && String(json.phase) !== 'waiting'
}
