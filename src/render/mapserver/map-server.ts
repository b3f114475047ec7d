import { join } from 'node:path'
import { Failure } from '../../core/errors/errors.ts'
import { findProgram } from '../../core/process/process.ts'
import { WorkPool } from '../../core/workers/work-pool.ts'
import { WorkerEnded } from '../../core/workers/worker-handle.ts'
import { safeConfig } from '../../formats/index.ts'
import type { CachedMapFiles } from './cached-map-files.ts'
import type { MapServerHandlers, MapServerPrograms, MapServerRequest } from './map-server-process.ts'
import { startMapServer } from './map-server-process.ts'

/** Location in Debian's `cgi-mapserver`, besides the PATH. */
const mapservPaths = ['mapserv', '/usr/lib/cgi-bin/mapserv']
/** Processes that draw at the same time. */
const processes = 4
/** Processes that may draw large layers at the same time; the others are reserved for small ones. */
const heavyProcesses = 2
const kept = 1
const surplusMs = 60_000
const drawMs = 20_000

/**
 * Draws with MapServer processes, as many drawings at a time as processes; a process that hangs or dies costs
 * one request.
 */
export class MapServer {
  readonly #files: CachedMapFiles
  readonly #pool: WorkPool<MapServerHandlers>
  #programs: MapServerPrograms | undefined

  constructor(files: CachedMapFiles, { onError }: { onError(error: unknown): void }) {
    this.#files = files
    this.#pool = new WorkPool<MapServerHandlers>({
      start: (options) => startMapServer({ programs: this.#required(), ...this.#surroundings() }, options),
      limit: processes,
      heavyLimit: heavyProcesses,
      kept,
      surplusMs,
      onEnd: onError,
      maxWaiting: { count: 200, refuse: tooBusy },
    })
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  /** Returns the package that must be installed for maps; undefined if none is missing. */
  async missing(): Promise<string | undefined> {
    const found = await findPrograms()
    this.#programs = 'missing' in found ? undefined : found
    return 'missing' in found ? found.missing : undefined
  }

  /**
   * Draws a map. `resource` names its layers; `isHeavy` is true if it may read many rows. Throws `Failure`
   * (`no-map-server`, `too-busy`, `too-slow`), and an `Error` with MapServer's message.
   */
  async draw(
    request: MapServerRequest,
    options: { resource: string; isHeavy: boolean; signal: AbortSignal },
  ): Promise<Buffer> {
    if (this.#programs === undefined) await this.missing()
    this.#required()
    const draw = (): Promise<Buffer> => this.#pool.call('draw', request, { ...options, deadlineMs: drawMs })
    // A process may have died since its last request: tries another one once.
    return draw().catch((error: unknown) => {
      if (error instanceof WorkerEnded && !options.signal.aborted) return draw()
      throw error
    })
  }

  #required(): MapServerPrograms {
    if (this.#programs !== undefined) return this.#programs
    throw new Failure(
      'unavailable',
      'no-map-server',
      'Pictures of maps are drawn by MapServer, which is not installed here: install the Debian packages cgi-mapserver and spawn-fcgi',
    )
  }

  #surroundings(): { folder: string; env: Record<string, string> } {
    const env = { ...safeConfig, MAPSERVER_CONFIG_FILE: this.#files.configuration }
    return { folder: join(this.#files.folder, 's'), env }
  }
}

async function findFirst(names: readonly string[]): Promise<string | undefined> {
  for (const name of names) {
    const found = await findProgram(name)
    if (found !== undefined) return found
  }
  return undefined
}

async function findPrograms(): Promise<MapServerPrograms | { missing: string }> {
  const mapserv = await findFirst(mapservPaths)
  const spawner = await findFirst(['spawn-fcgi'])
  const limiter = await findFirst(['prlimit'])
  const binder = await findFirst(['setpriv'])
  if (mapserv === undefined) return { missing: 'cgi-mapserver' }
  if (spawner === undefined) return { missing: 'spawn-fcgi' }
  if (limiter === undefined || binder === undefined) return { missing: 'util-linux' }
  return { mapserv, spawner, limiter, binder }
}

function tooBusy(): Failure {
  return new Failure('unavailable', 'too-busy', 'Too many maps are being drawn: try again soon', {
    retryAfterSeconds: 2,
  })
}
