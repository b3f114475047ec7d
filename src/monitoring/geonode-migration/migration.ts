import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { PrivacyMode } from '../../config/monitoring-settings.ts'
import type { Clock } from '../../lib/clock.ts'
import { conflict } from '../../lib/errors.ts'
import { findFreeName } from '../../lib/text/free-name.ts'
import type { CallLimits } from '../../lib/workers/handlers.ts'
import { startThread } from '../../lib/workers/start-thread.ts'
import type { WorkerHandle } from '../../lib/workers/worker-handle.ts'
import type { ServiceSource } from '../model/records.ts'
import type { Checks } from '../notify/configure/checks.ts'
import type { SeriesLocation } from '../series/series-database.ts'
import type { Services } from '../services/services.ts'
import type { ImportedCheck } from './imported-checks.ts'
import type { DumpService, PreparedDumpLoad } from './load-dump.ts'
import type { LoadReport, ModelReport } from './load-report.ts'
import type { DumpLoadProgress, MoveInData } from './migration-data.ts'
import type { MoveInWork } from './migration-thread.ts'

export interface MoveInDeps {
  place: SeriesLocation
  /** Parent folder of the staging folders. */
  folder: string
  privacy: PrivacyMode
  services: Services
  checks: Pick<Checks, 'adopt'>
  clock: Clock
}

const folderStart = 'loading-'
const dayMs = 24 * 3600 * 1000
const thread = new URL('./migration-thread.ts', import.meta.url)

/** Imports the data of another system's monitoring, one dump at a time, each in a thread of its own. */
export class MoveIn {
  readonly #deps: MoveInDeps
  #progress: DumpLoadProgress | undefined

  constructor(deps: MoveInDeps) {
    this.#deps = deps
  }

  /** Undefined while nothing is loaded. */
  progress(): DumpLoadProgress | undefined {
    return this.#progress
  }

  /**
   * Loads a dump, whole or not at all: `receive` writes it to the path that it is given. The same dump again changes
   * nothing. Throws `DumpError`, and `Failure` (`conflict`) while another is loaded.
   */
  async load(receive: (path: string) => Promise<void>, signal: AbortSignal): Promise<LoadReport> {
    if (this.#progress !== undefined)
      throw conflict('load-running', 'Another dump is being loaded: wait for it')
    this.#progress = { phase: 'receiving', done: 0 }
    try {
      return await this.#loadInFolder(receive, signal)
    } finally {
      this.#progress = undefined
    }
  }

  async #loadInFolder(receive: (path: string) => Promise<void>, signal: AbortSignal): Promise<LoadReport> {
    const folder = await mkdtemp(join(this.#deps.folder, folderStart))
    try {
      await removeOldFolders(this.#deps.folder)
      const path = join(folder, 'dump')
      await receive(path)
      return await this.#loadFile({ path, stagingPath: join(folder, 'staging.sqlite') }, signal)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  async #loadFile(files: Pick<MoveInData, 'path' | 'stagingPath'>, signal: AbortSignal): Promise<LoadReport> {
    const { place, privacy } = this.#deps
    const worker = startThread<MoveInWork>(thread, {
      data: { place, privacy, ...files } satisfies MoveInData,
    })
    try {
      return await this.#run(worker, { signal, graceMs: 0 })
    } finally {
      await worker.end()
    }
  }

  async #run(worker: WorkerHandle<MoveInWork>, limits: CallLimits): Promise<LoadReport> {
    const now = this.#deps.clock.now().getTime()
    const day = Math.floor(now / dayMs) * (dayMs / 1000)
    const known = (await this.#deps.services.list()).map(({ id, name, type }) => ({ id, name, type }))
    const onNotice = (progress: DumpLoadProgress): void => {
      this.#progress = progress
    }
    const prepared = await worker.call('prepare', { day, known }, { ...limits, onNotice })
    const { digest, models, loadedBefore } = prepared
    if (loadedBefore !== undefined)
      return { digest, isRepeated: true, loadedAt: new Date(loadedBefore).toISOString(), models }
    this.#progress = { phase: 'publishing', done: 0 }
    const services = await this.#makeServices(prepared)
    const added = await this.#addChecks(prepared.checks)
    await worker.call('publish', { services, now }, limits)
    await worker.call('close', undefined, limits)
    return {
      digest,
      isRepeated: false,
      loadedAt: new Date(now).toISOString(),
      models: withChecks(models, prepared.checks.length - added),
    }
  }

  /** The ids of the dump's services here, by their hidden ids: a service of the same name is the same service. */
  async #makeServices({ hosts, services }: PreparedDumpLoad): Promise<Map<number, number>> {
    for (const host of hosts) await this.#hostId(host)
    const ids = new Map<number, number>()
    for (const service of services) ids.set(service.hiddenId, await this.#serviceId(service))
    return ids
  }

  async #hostId({ name, ip }: { name: string; ip: string }): Promise<number> {
    const { services } = this.#deps
    return ((await services.findHostNamed(name)) ?? (await services.createHost({ name, ip }))).id
  }

  /** A new service is inactive: an administrator sets its source before activating it. */
  async #serviceId(service: DumpService): Promise<number> {
    const { services } = this.#deps
    const { name, type, host, checkIntervalSeconds, notes, url } = service
    const found = await services.find(name)
    if (found !== undefined && found.type === type) return found.id
    const hostId = await this.#hostId(host)
    const freeName = found === undefined ? name : await this.#freeName(`${name}-${type}`)
    const values = {
      type,
      hostId,
      checkIntervalSeconds,
      notes,
      url,
      source: sourceOf(service),
      isActive: false,
    }
    return (await services.create({ name: freeName, ...values })).id
  }

  #freeName(wanted: string): Promise<string> {
    const isTaken = async (name: string) => (await this.#deps.services.find(name)) !== undefined
    return findFreeName(wanted, isTaken, { separator: '-', first: 1 })
  }

  /** Gives how many there are now that were not there. */
  async #addChecks(checks: readonly ImportedCheck[]): Promise<number> {
    let added = 0
    for (const { addresses, ...check } of checks)
      if (await this.#deps.checks.adopt(check, addresses)) added += 1
    return added
  }
}

function sourceOf({ type, url }: DumpService): ServiceSource {
  if (type === 'mapserver' && /^https?:/.test(url)) return { kind: 'geoserver-monitor', url }
  if (type === 'hostmapserver' && /^https?:/.test(url)) return { kind: 'geoserver-status', url }
  return { kind: 'own' }
}

/** Returns the report with the number of checks whose names are already used. */
function withChecks(models: ModelReport[], taken: number): ModelReport[] {
  if (taken === 0) return models
  return models.map((one) => {
    if (one.model !== 'notificationcheck') return one
    const skipped = [...one.skipped, { reason: 'a check of that name is there', count: taken }]
    return { ...one, loaded: one.loaded - taken, skipped }
  })
}

/** Removes the folders that a killed server left. */
async function removeOldFolders(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(folderStart)) continue
    const path = join(parent, name)
    const { mtimeMs } = await stat(path)
    if (Date.now() - mtimeMs > dayMs) await rm(path, { recursive: true, force: true })
  }
}
