import assert from 'node:assert/strict'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { databaseFile } from '../../../src/core/config/settings.ts'
import { snapshotName } from '../../../src/stores/postgis/identifiers.ts'
import { testCluster } from '../postgres.ts'
import type { TestServer } from '../server.ts'
import { startServer } from '../server.ts'
import type { Cleanup } from '../terrane-process.ts'
import { temporaryData } from '../terrane-process.ts'
import type { Part } from './part-files.ts'
import { contentOf, rowCount, writeParts } from './part-files.ts'
import type { KillReport, KillSession } from './session.ts'
import { endImport, killAt, momentOf, nameOf, seededRandom, shownCount } from './session.ts'
import type { Content, KillTarget } from './targets.ts'
import { geoPackageTarget, postgisTarget } from './targets.ts'

/** Creates a store of each type that accepts loads, with functions to inspect it. */
export const killTargets: Record<string, (dataDir: string) => Promise<KillTarget>> = {
  GeoPackage: async (dataDir) => {
    const folder = join(dataDir, 'stores', 'file')
    mkdirSync(folder, { recursive: true })
    return geoPackageTarget(join(folder, 'file.gpkg'))
  },
  PostGIS: async () => postgisTarget(await (await testCluster()).createDatabase()),
}

type Mode = 'CREATE' | 'REPLACE' | 'APPEND'

export interface Load {
  mode: Mode
  layer: string
  part: Part
}

/** Creates an import of one task, ready to run. */
export async function prepareLoad(server: TestServer, target: KillTarget, load: Load): Promise<number> {
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

export async function runImport(server: TestServer, id: number): Promise<void> {
  await server.call('POST', `/rest/imports/${id}?async=true`)
}

/** A server with an empty store. */
export async function startWithStore(t: Cleanup, type: string) {
  const dataDir = temporaryData(t)
  const server = await startServer(t, dataDir)
  const target = await killTargets[type]?.(dataDir)
  if (target === undefined) throw new Error(`No function inspects a store of type ${type} after a kill`)
  const { name, definition } = target
  const workspace = await server.call('POST', '/rest/workspaces', { workspace: { name } })
  assert.equal(workspace.status, 201, workspace.text)
  const store = await server.call('POST', `/rest/workspaces/${name}/datastores`, { dataStore: definition })
  assert.equal(store.status, 201, store.text)
  return { dataDir, server, target }
}

/** A server with the layer `places` in a store, and how long its load took. */
export async function startWithLayer(t: Cleanup, type: string, parts: readonly Part[]) {
  const started = await startWithStore(t, type)
  const { dataDir, server, target } = started
  writeParts(join(dataDir, 'incoming'), parts)
  const id = await prepareLoad(server, target, { mode: 'CREATE', layer: 'places', part: 'a' })
  const began = performance.now()
  await runImport(server, id)
  await server.importIn(id, ['COMPLETE'])
  return { ...started, tookMs: performance.now() - began }
}

/**
 * Returns the load with this number: loads replace the layer `places` and append to it, and create new
 * layers.
 */
function loadOf(number: number): Load {
  const places = { layer: 'places' }
  if (number % 5 === 4) return { mode: 'CREATE', layer: `new_${number}`, part: 'c' }
  if (number % 5 === 1 || number % 5 === 2) return { mode: 'APPEND', ...places, part: 'c' }
  return { mode: 'REPLACE', ...places, part: number % 5 === 0 ? 'b' : 'a' }
}

function contentAfter(load: Load, before: Content | undefined): Content {
  const added = contentOf(load.part)
  if (load.mode !== 'APPEND') return added
  const [name = '', facts] = Object.entries(added)[0] ?? []
  const old = before?.[name]
  const { rows = 0, sum = 0, geometries = 0 } = facts ?? {}
  return { ...before, [name]: { rows: rows + (old?.rows ?? 0), sum: sum + (old?.sum ?? 0), geometries } }
}

/** Returns the ids of stored layer states that the catalogue knows. */
export function knownStates(dataDir: string): string[] {
  const db = new DatabaseSync(join(dataDir, databaseFile), { readOnly: true, timeout: 10_000 })
  try {
    const rows = db.prepare("select kept from layer_contents where form = 'kept'").all()
    const states = rows.map(({ kept }) => JSON.parse(String(kept)) as { state?: { id: string } })
    return states.flatMap(({ state }) => (state === undefined ? [] : [state.id]))
  } finally {
    db.close()
  }
}

/** Returns the tables with previous states of layers that the catalogue knows. */
export function keptTables(dataDir: string): Set<string> {
  return new Set(knownStates(dataDir).map(snapshotName))
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/**
 * Kills servers in the middle of loads into a store of a type, and inspects the store before and after each
 * restart.
 */
export async function killLoads(t: Cleanup, type: string, session: KillSession): Promise<KillReport> {
  const started = await startWithLayer(t, type, ['a', 'b', 'c'])
  const { dataDir, target, tookMs } = started
  const random = seededRandom(session.seed)
  const report = { before: 0, after: 0 }
  const tables = ['places']
  let { server } = started
  for (let number = 0; number < session.kills; number += 1) {
    const load = loadOf(number)
    const before = await target.content(load.layer)
    const after = contentAfter(load, before)
    const id = await prepareLoad(server, target, load)
    const moment = momentOf(number, session, random, tookMs)
    await killAt(server, id, moment)

    const where = `kill ${number}, ${load.mode} ${nameOf(moment)}`
    const found = await target.content(load.layer)
    const isOld = isSame(found, before)
    assert.ok(
      isOld || isSame(found, after),
      `${where}: ${JSON.stringify(found)} is neither ${JSON.stringify(before)} nor ${JSON.stringify(after)}`,
    )
    report[isOld ? 'before' : 'after'] += 1

    server = await startServer(t, dataDir)
    if (load.mode === 'CREATE') tables.unshift(load.layer)
    if (load.layer === 'places') {
      const counts = [before, after].map(rowCount)
      const shown = await shownCount(server, `${target.name}:places`)
      assert.ok(counts.includes(shown), `${where}: ${shown} features are shown, not ${counts.join(' or ')}`)
    }
    await endImport(server, id, where)
    assert.deepEqual(await target.content(load.layer), after, where)
    await target.assertClean(tables.toSorted(), keptTables(dataDir))
    assert.equal(
      await shownCount(server, `${target.name}:places`),
      rowCount(await target.content('places')),
      where,
    )
  }
  assert.deepEqual(readdirSync(join(dataDir, 'uploads')), [])
  await server.stop()
  return report
}
