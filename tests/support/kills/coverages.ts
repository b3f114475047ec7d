import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProtocolStep } from '../../../src/core/process/protocol-steps.ts'
import { zipOf } from '../archives.ts'
import { createCatalogDatabase } from '../catalog-database.ts'
import { makeGranule } from '../mosaics.ts'
import type { Cleanup } from '../terrane-process.ts'
import { temporaryData } from '../terrane-process.ts'
import { patienceMs } from '../until.ts'
import type { VersionResponse } from '../version-client.ts'
import { MortalServer } from './mortal-server.ts'
import type { KillReport, KillSession } from './session.ts'
import { endImport, seededRandom } from './session.ts'
import { inOrder } from './version-rounds.ts'

const granuleCount = 3

export interface CoverageSetting {
  kind: 'raster' | 'mosaic'
  /** The granules of a mosaic are in a GeoPackage if the catalogue is in SQLite, otherwise in PostGIS. */
  catalogue: 'SQLite' | 'PostgreSQL'
}

interface CoverageRound {
  deed: 'remove' | 'restore' | 'prune'
  step: ProtocolStep
  again?: ProtocolStep
}

const commitSteps = [
  'restore.kept',
  'commit.prepared',
  'restore.noted',
  'restore.announced',
  'commit.recorded',
  'commit.done',
  'restore.committed',
] as ProtocolStep[]

/** Every deed with each of its steps. */
function roundsOf({ kind }: CoverageSetting): CoverageRound[] {
  const removed: ProtocolStep[] = ['delete.noted', 'delete.aside', 'delete.told']
  const restored: ProtocolStep[] = ['restore.asked', 'restore.published', 'restore.returned']
  const rows = kind === 'mosaic' ? commitSteps : []
  return [
    ...removed.map((step): CoverageRound => ({ deed: 'remove', step })),
    ...removed.map((step): CoverageRound => ({ deed: 'remove', step, again: 'delete.finished' })),
    ...[...restored, ...rows].map((step): CoverageRound => ({ deed: 'restore', step })),
    ...(['prune.told', 'prune.dropped'] as const).map((step): CoverageRound => ({ deed: 'prune', step })),
  ]
}

/** One raster or mosaic across all restarts of its server. */
class KilledCoverage {
  readonly #server: MortalServer
  readonly #dataDir: string
  readonly #kind: CoverageSetting['kind']
  readonly #path = '/rest/layers/default:tiles'
  #shown = ''
  #number = 0

  constructor(server: MortalServer, dataDir: string, kind: CoverageSetting['kind']) {
    this.#server = server
    this.#dataDir = dataDir
    this.#kind = kind
  }

  async begin(): Promise<void> {
    await this.#server.start()
    await this.#import()
  }

  async round({ deed, step, again }: CoverageRound): Promise<boolean> {
    const where = `${this.#kind}, ${deed} killed behind ${step}${again === undefined ? '' : `, then behind ${again}`}`
    if (deed !== 'remove') await this.#expect(200, 'DELETE', `${this.#path}?recurse=true`)
    const version = deed === 'remove' ? 0 : ((await this.#versions())[0]?.version ?? 0)
    const path = `${this.#path}/versions/${version}`
    if (deed === 'prune') await this.#removeVersions(version)
    const isDead = await this.#server.dieAt(step, () => {
      if (deed === 'remove') return this.#server.now.call('DELETE', `${this.#path}?recurse=true`)
      return deed === 'restore'
        ? this.#server.now.call('POST', `${path}/restore`, {})
        : this.#server.now.call('DELETE', path)
    })
    if (isDead) await this.#server.start(again)
    if (deed === 'remove') await this.#takeBack(where)
    else if (deed === 'restore') await this.#waitUntilBack(where)
    else await this.#pruneRest(where)
    assert.equal(await this.#read(), this.#shown, `${where}: it shows something else`)
    this.#assertFiles(where)
    return isDead
  }

  async #takeBack(where: string): Promise<void> {
    const [deleted] = await this.#versions()
    assert.equal(deleted?.cause, 'delete', `${where}: ${JSON.stringify(deleted)}`)
    assert.ok(deleted.restorable, `${where}: ${deleted.reason}`)
    assert.deepEqual(this.#files('default'), [], `${where}: files of the deleted layer are in their place`)
    await this.#expect(200, 'POST', `${this.#path}/versions/${deleted.version}/restore`, {})
  }

  /** A restore that was requested continues after a restart. */
  async #waitUntilBack(where: string): Promise<void> {
    const deadline = performance.now() + patienceMs
    while ((await this.#server.now.call('GET', this.#path)).status !== 200) {
      assert.ok(performance.now() < deadline, `${where}: it has not come back`)
      await sleep(50)
    }
  }

  /** Removes the versions that the kill left, then imports a new layer. */
  async #pruneRest(where: string): Promise<void> {
    await this.#removeVersions()
    assert.deepEqual(this.#files('.kept'), [], `${where}: files of versions that are gone are left`)
    await this.#import()
  }

  async #removeVersions(but?: number): Promise<void> {
    const answer = await this.#server.now.call('GET', `${this.#path}/versions`)
    const { versions = [] } = answer.json as unknown as { versions?: VersionResponse[] }
    for (const { version } of versions)
      if (version !== but) await this.#expect(200, 'DELETE', `${this.#path}/versions/${version}`)
  }

  #assertFiles(where: string): void {
    assert.equal(this.#files('default').length, this.#kind === 'raster' ? 1 : granuleCount, where)
    assert.deepEqual(this.#files('.kept'), [], where)
  }

  #files(folder: string): string[] {
    const path = join(this.#dataDir, 'stores', folder)
    const entries = existsSync(path) ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : []
    return entries.filter((name) => name.endsWith('.tif'))
  }

  async #import(): Promise<void> {
    this.#number += 1
    const data =
      this.#kind === 'raster'
        ? { type: 'file', file: 'tiles.zip' }
        : { type: 'mosaic', file: 'tiles.zip', time: { mode: 'auto' } }
    await this.#writeSource()
    const created = await this.#expect(201, 'POST', '/rest/imports', { import: { data } })
    const id = Number(created.json.import?.id)
    await this.#expect(200, 'PUT', `/rest/imports/${id}/tasks/0`, { task: { layer: { name: 'tiles' } } })
    await this.#server.now.call('POST', `/rest/imports/${id}`)
    await endImport(this.#server.now, id, 'the first load')
    this.#shown = await this.#read()
  }

  async #writeSource(): Promise<void> {
    const folder = join(this.#dataDir, 'incoming')
    mkdirSync(folder, { recursive: true })
    const count = this.#kind === 'raster' ? 1 : granuleCount
    const entries: Record<string, Buffer> = {}
    for (let day = 0; day < count; day += 1) {
      const path = join(this.#dataDir, 'tile.tif')
      makeGranule(path, { column: this.#number * 10 + day })
      entries[this.#kind === 'raster' ? 'tiles.tif' : `tile_2020010${day + 1}.tif`] = readFileSync(path)
    }
    writeFileSync(join(folder, 'tiles.zip'), await zipOf(entries))
  }

  /** Reads what clients get, without the parts that differ between versions. */
  async #read(): Promise<string> {
    const collection = '/ogc/collections/default:tiles'
    if (this.#kind === 'mosaic') {
      const { json } = await this.#expect(200, 'GET', `${collection}/granules?limit=100`)
      const { features } = json as unknown as { features: { id: number; properties: object }[] }
      return JSON.stringify(features.map(({ id, properties }) => [id, properties]))
    }
    const { text } = await this.#expect(200, 'GET', `${collection}/file/tiles.tif`)
    return createHash('sha256').update(text).digest('hex')
  }

  async #versions(): Promise<VersionResponse[]> {
    const { json } = await this.#expect(200, 'GET', `${this.#path}/versions`)
    return (json as unknown as { versions: VersionResponse[] }).versions
  }

  async #expect(status: number, method: string, path: string, body?: unknown) {
    const answer = await this.#server.now.call(method, path, body)
    assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`)
    return answer
  }
}

/** Kills servers at named steps of what they do to a deleted raster or mosaic: it comes back whole, or goes whole. */
export async function killCoverages(
  t: Cleanup,
  setting: CoverageSetting,
  { seed, kills }: KillSession,
): Promise<KillReport> {
  const dataDir = temporaryData(t)
  const env: Record<string, string> =
    setting.catalogue === 'SQLite' ? {} : { TERRANE_DATABASE_URL: await createCatalogDatabase() }
  const server = new MortalServer(t, dataDir, env)
  const coverage = new KilledCoverage(server, dataDir, setting.kind)
  await coverage.begin()
  const report: KillReport = { before: 0, after: 0 }
  for (const round of inOrder(roundsOf(setting), seededRandom(seed)).slice(0, kills))
    report[(await coverage.round(round)) ? 'after' : 'before'] += 1
  await server.stop()
  return report
}
