import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type {
  ConfigurationTarget,
  ImportProgress,
  ImportReport,
} from '../../packages/geonode-migration/index.ts'
import { importConfiguration } from '../../packages/geonode-migration/index.ts'
import type { PrivacyMode } from '../core/config/monitoring-settings.ts'
import { conflict } from '../core/errors/errors.ts'
import type { Clock } from '../core/time/clock.ts'
import { startThread } from '../core/workers/start-thread.ts'
import type { WorkerHandle } from '../core/workers/worker-handle.ts'
import type { SeriesLocation, Services } from '../monitoring/index.ts'
import type { ImportThreadData, ImportThreadWork } from './geonode-import-thread.ts'

export interface GeoNodeImportDeps {
  location: SeriesLocation
  /** Parent folder of the staging folders. */
  folder: string
  privacy: PrivacyMode
  services: Pick<Services, 'list'> & ConfigurationTarget['services']
  checks: ConfigurationTarget['checks']
  clock: Clock
}

const folderPrefix = 'loading-'
const dayMs = 24 * 3600 * 1000
const thread = new URL('./geonode-import-thread.ts', import.meta.url)

/** Imports dumps of GeoNode's monitoring, one at a time, each in a thread of its own. */
export class GeoNodeImport {
  readonly #deps: GeoNodeImportDeps
  #progress: ImportProgress | undefined

  constructor(deps: GeoNodeImportDeps) {
    this.#deps = deps
  }

  /** Returns the progress of the running import; undefined if none is running. */
  progress(): ImportProgress | undefined {
    return this.#progress
  }

  /**
   * Imports a dump completely or not at all; `receive` writes the dump to the path that it is given. The same dump
   * again changes nothing.
   *
   * @throws `Failure` `bad-dump` if the dump is invalid, and `load-running` while another dump is imported.
   */
  async load(receive: (path: string) => Promise<void>, signal: AbortSignal): Promise<ImportReport> {
    if (this.#progress !== undefined)
      throw conflict('load-running', 'Another dump is being loaded: wait for it')
    this.#progress = { phase: 'receiving', done: 0 }
    try {
      return await this.#loadInFolder(receive, signal)
    } finally {
      this.#progress = undefined
    }
  }

  async #loadInFolder(receive: (path: string) => Promise<void>, signal: AbortSignal): Promise<ImportReport> {
    const folder = await mkdtemp(join(this.#deps.folder, folderPrefix))
    try {
      await removeOldFolders(this.#deps.folder)
      const path = join(folder, 'dump')
      await receive(path)
      return await this.#loadFile({ path, stagingPath: join(folder, 'staging.sqlite') }, signal)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  async #loadFile(
    files: Pick<ImportThreadData, 'path' | 'stagingPath'>,
    signal: AbortSignal,
  ): Promise<ImportReport> {
    const { location, privacy, clock } = this.#deps
    const now = clock.now().getTime()
    const data: ImportThreadData = { location, privacy, now, ...files }
    const worker = startThread<ImportThreadWork>(thread, { data })
    try {
      return await this.#run(worker, now, signal)
    } finally {
      await worker.end()
    }
  }

  async #run(
    worker: WorkerHandle<ImportThreadWork>,
    now: number,
    signal: AbortSignal,
  ): Promise<ImportReport> {
    const { services } = this.#deps
    const limits = { signal, graceMs: 0 }
    const configured = (await services.list()).map(({ id, name, type }) => ({ id, name, type }))
    const onNotice = (progress: ImportProgress): void => {
      this.#progress = progress
    }
    const prepared = await worker.call('prepare', configured, { ...limits, onNotice })
    const { digest, importedBefore } = prepared
    if (importedBefore !== undefined)
      return { digest, isRepeated: true, importedAt: new Date(importedBefore).toISOString(), models: [] }
    this.#progress = { phase: 'publishing', done: 0 }
    const configuration = await importConfiguration(this.#deps, prepared)
    await worker.call('publish', { digest, services: configuration.services }, limits)
    await worker.call('close', undefined, limits)
    const importedAt = new Date(now).toISOString()
    return { digest, isRepeated: false, importedAt, models: configuration.models }
  }
}

/** Removes the folders that a killed server left. */
async function removeOldFolders(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(folderPrefix)) continue
    const path = join(parent, name)
    const { mtimeMs } = await stat(path)
    if (Date.now() - mtimeMs > dayMs) await rm(path, { recursive: true, force: true })
  }
}
