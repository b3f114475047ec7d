import type { Permit } from '../../access/index.ts'
import type { LayerRecord, Layers } from '../../catalog/index.ts'
import type { Database } from '../../core/db/connection.ts'
import { Failure, invalid } from '../../core/errors/errors.ts'
import type { EventBus } from '../../core/events/events.ts'
import { chargeFile } from '../../core/jobs/files/charge-file.ts'
import type { GeneratedFile } from '../../core/jobs/files/generated-file.ts'
import type { MakeTask } from '../../core/jobs/files/generated-files.ts'
import { GeneratedFiles } from '../../core/jobs/files/generated-files.ts'
import type { ResultStore } from '../../core/jobs/files/stored-results.ts'
import type { Jobs } from '../../core/jobs/jobs.ts'
import type { Logger } from '../../core/log/logger.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Maps } from '../maps.ts'
import { requirePermit } from '../require-permit.ts'
import type { PreviousVersions } from '../versions/previous-versions.ts'
import type { ExportFormat } from './archive.ts'
import { previousVersionSource } from './previous-version-source.ts'
import type { ExportBounds } from './visit-tiles.ts'
import { writeArchive } from './write-archive.ts'

/** Request for an export. */
export interface ExportRequest {
  format: ExportFormat
  minZoom: number
  maxZoom: number
  bbox?: ExportBounds
  /** Version of the layer; absent: the current one. */
  version?: number
}

/** A stored export of a layer. Its progress counts tiles. */
export interface ExportRecord extends GeneratedFile, ExportRequest {
  format: ExportFormat
}

interface ExportsDeps {
  permit: Permit
  maps: Pick<Maps, 'tile' | 'requireTiles'>
  layers: Pick<Layers, 'findById' | 'versionOf' | 'isStill'>
  earlier: Pick<PreviousVersions, 'whenReady' | 'tile'>
  database: Database
  jobs: Jobs
  events: EventBus
  clock: Clock
  log: Pick<Logger, 'warn'>
}

interface ExportLimits {
  folder: string
  /** Set if finished files are in the file store. */
  store?: ResultStore
  /** Maximum total size of all exported files. */
  maxBytes: number
}

/** Maximum number of concurrent exports; others wait. */
const atATime = 2
const heavyAtATime = atATime - 1
/** Number of rows up to which the tiles of a layer are made within a few seconds. */
const lightExportRows = 20_000
const maxWaiting = 20
const maxTiles = 5_000_000

/** Files with all tiles of a layer, created on request and retained for a day. */
export class Exports {
  readonly #deps: ExportsDeps
  readonly files: GeneratedFiles<ExportRecord, LayerRecord, null>

  constructor(deps: ExportsDeps, { folder, store, maxBytes }: ExportLimits) {
    this.#deps = deps
    const { layers, database, jobs, events, clock, log } = deps
    this.files = new GeneratedFiles(
      {
        database,
        jobs,
        events,
        clock,
        log,
        findLayer: (id) => layers.findById(id),
        make: (_, task, signal) => this.#make(task, signal),
        refuse: { tooMany: tooManyExports, full: () => full(maxBytes) },
      },
      { collection: 'exports', folder, store, maxBytes, atATime, heavyAtATime, mostWaiting: maxWaiting },
    )
  }

  /** Throws `Failure`: `no-tiles`, `too-many-exports`, `exports-full`. */
  async begin(layer: LayerRecord, request: ExportRequest, user: string): Promise<ExportRecord> {
    if (request.version === undefined) await this.#deps.maps.requireTiles(layer)
    const { id: layerId, workspace, name } = layer
    const rows = layer.details.featureCount
    const isHeavy = (rows ?? Number.POSITIVE_INFINITY) > lightExportRows
    const record = await this.files.begin({
      requested: { ...request, layerId, workspace, layer: name, user },
      request: null,
      owner: user,
      isHeavy,
    })
    if (isHeavy) chargeFile(rows)
    return record
  }

  close(): void {
    this.files.close()
  }

  async #make(
    { record, path, checkSize, onProgress }: MakeTask<ExportRecord>,
    signal: AbortSignal,
  ): Promise<{ sizeBytes: number }> {
    const { layerId, format, minZoom, maxZoom, bbox, version } = record
    await requirePermit(this.#deps.permit, this.#deps.layers, record)
    const request = { layerId, format, minZoom, maxZoom, maxTiles, path, bbox }
    const source = version === undefined ? {} : previousVersionSource(this.#deps, version)
    const needs = { ...this.#deps, ...source, checkSize }
    const onVisited = ({ visited, known }: { visited: number; known: number }): void =>
      onProgress(visited, known)
    return { sizeBytes: await writeArchive(needs, request, onVisited, signal) }
  }
}

function tooManyExports(): Failure {
  const text = 'Too many exports are waiting: try again later'
  return new Failure('tooMany', 'too-many-exports', text, { retryAfterSeconds: 60 })
}

function full(maxBytes: number): Failure {
  const text = `Exported files may have at most ${maxBytes} bytes in total (TERRANE_MAX_EXPORTS): delete one, or request fewer zooms`
  return invalid('exports-full', text)
}
