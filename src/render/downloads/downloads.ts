import { mkdir, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Permit } from '../../access/index.ts'
import type { Catalog, LayerRecord } from '../../catalog/index.ts'
import type { Database } from '../../core/db/connection.ts'
import { Failure, notFound } from '../../core/errors/errors.ts'
import type { EventBus } from '../../core/events/events.ts'
import { chargeFile } from '../../core/jobs/files/charge-file.ts'
import type { GeneratedFile } from '../../core/jobs/files/generated-file.ts'
import type { MakeTask } from '../../core/jobs/files/generated-files.ts'
import { GeneratedFiles } from '../../core/jobs/files/generated-files.ts'
import type { ResultStore } from '../../core/jobs/files/stored-results.ts'
import type { Jobs } from '../../core/jobs/jobs.ts'
import type { Logger } from '../../core/log/logger.ts'
import type { Clock } from '../../core/time/clock.ts'
import { startProcess } from '../../core/workers/start-process.ts'
import { WorkPool } from '../../core/workers/work-pool.ts'
import { findProjJson } from '../../formats/index.ts'
import { requirePermit } from '../require-permit.ts'
import type { EarlierLayer, PreviousVersions } from '../versions/previous-versions.ts'
import { convert } from './convert.ts'
import { cutRaster } from './cut-raster.ts'
import type { DownloadFormat, DownloadRequest, FormatOfFile } from './download-format.ts'
import { formatsOfFiles } from './download-format.ts'
import type { DownloadHandlers } from './download-work.ts'
import { fileColumns } from './file-columns.ts'
import { aboutText, lossesOf } from './losses.ts'
import type { RowExportRequest } from './row-export-request.ts'
import { chosenAttributes, fileSrs, planRowExport } from './row-export-request.ts'
import type { FileTerms } from './terms.ts'
import { namedTerms, termMembers, termsOf } from './terms.ts'

export {
  type DownloadFormat,
  type DownloadRequest,
  downloadFormats,
  formatsOfFiles,
} from './download-format.ts'

/** A file with the contents of a layer, as stored. Its progress counts rows. */
export interface DownloadRecord extends GeneratedFile {
  format: DownloadFormat
  /** Code of the CRS, if it has one. */
  srs?: string
  /** Losses of the file. */
  losses?: string[]
  attribution?: string
  licence?: string
  contact?: string
  owner?: string
  citation?: string
  doi?: string
}

/** Properties of a finished file. */
type Made = Pick<DownloadRecord, 'losses' | Exclude<keyof FileTerms, 'title' | 'abstract'>> & {
  sizeBytes: number
}

interface DownloadsDeps {
  permit: Permit
  catalog: Pick<Catalog, 'layers' | 'stores'>
  earlier: Pick<PreviousVersions, 'whenReady'>
  database: Database
  jobs: Jobs
  events: EventBus
  clock: Clock
  log: Pick<Logger, 'warn'>
}

interface DownloadLimits {
  folder: string
  /** Set if finished files are in the file store. */
  store?: ResultStore
  /** Maximum total size of all files. */
  maxBytes: number
}

/** Maximum number of concurrent downloads; others wait. */
const atATime = 2
const heavyAtATime = atATime - 1
/** Number of rows of a layer for which a file is created within a few seconds. */
const lightDownloadRows = 100_000
const limits = {
  atATime,
  heavyAtATime,
  mostWaiting: 40,
  mostOfOne: 4,
  mostKept: 1000,
  longestMs: 60 * 60_000,
}
const silenceMs = 10 * 60_000
const maxHeapMb = 512
/** Retention of a file that was sent directly, for clients that read ranges of it. */
const shortlyKeptMs = 15 * 60_000

/** Files with the rows of layers, optionally filtered, created on request and retained for a limited time. */
export class Downloads {
  readonly files: GeneratedFiles<DownloadRecord, LayerRecord, DownloadRequest>
  readonly #deps: DownloadsDeps
  readonly #pool = new WorkPool<DownloadHandlers>({
    start: (options) =>
      startProcess(new URL('./download-work.ts', import.meta.url), { ...options, maxHeapMb }),
    limit: atATime,
  })

  constructor(deps: DownloadsDeps, { folder, store, maxBytes }: DownloadLimits) {
    this.#deps = deps
    const { catalog, database, jobs, events, clock, log } = deps
    this.files = new GeneratedFiles(
      {
        database,
        jobs,
        events,
        clock,
        log,
        findLayer: (id) => catalog.layers.findById(id),
        make: (request, task, signal) => this.#make(request, task, signal),
        refuse: { tooMany: tooManyDownloads, full: () => full(maxBytes) },
      },
      { ...limits, collection: 'downloads', folder, store, maxBytes },
    )
  }

  /** Downloads are counted per `owner`. Throws `Failure`: `too-many-downloads`, `downloads-full`. */
  async begin(
    layer: LayerRecord,
    request: DownloadRequest,
    { user, owner, isBrief }: { user: string; owner: string; isBrief: boolean },
  ): Promise<DownloadRecord> {
    const { id: layerId, workspace, name } = layer
    const { format, version } = request
    const srs = fileSrs(layer, request)
    const rows = layer.details.featureCount
    const isHeavy = (rows ?? Number.POSITIVE_INFINITY) > lightDownloadRows
    const record = await this.files.begin({
      requested: { layerId, workspace, layer: name, format, user, version, srs },
      request,
      owner,
      isHeavy,
      keptMs: isBrief ? shortlyKeptMs : undefined,
    })
    if (isHeavy) chargeFile(rows)
    return record
  }

  async close(): Promise<void> {
    this.files.close()
    await this.#pool.close()
  }

  async #make(request: DownloadRequest, task: MakeTask<DownloadRecord>, signal: AbortSignal): Promise<Made> {
    await requirePermit(this.#deps.permit, this.#deps.catalog.layers, task.record)
    if (request.format === 'tif') return this.#cut(request, task, signal)
    const { path, workPath, record } = task
    const source = await this.#source(record, signal)
    const { layer } = source
    const format = formatsOfFiles[request.format]
    const columns = fileColumns(chosenAttributes(layer, request.properties), format.columns)
    await mkdir(workPath, { recursive: true, mode: 0o750 })
    const rows = await withProjJson(
      planRowExport(source, request, { columns: columns.columns, task }),
      signal,
    )
    const total = await this.#count(source, request, signal)
    const written = await this.#pool.call('write', rows, {
      signal,
      silenceMs,
      onNotice: (done) => task.onProgress(done, Math.max(total ?? done, done)),
    })
    task.onProgress(written.rows, written.rows)
    const losses = [
      ...lossesOf(format, columns, written, format.gdal?.isZipped === true),
      ...(rows.projJson === null ? ['The CRS, which the file does not tell'] : []),
      ...(format.terms === 'lost' ? namedTerms(rows.terms).map(([name]) => `${name} of the layer`) : []),
    ]
    if (format.gdal === undefined) await rename(rows.path, path)
    else {
      const { srs } = record
      const described = { srs, version: request.version }
      const about = aboutText(layer, described, losses, this.#deps.clock.now())
      await convert(rows, written, { ...task, about }, format.gdal, signal)
      await this.#addMetadata(format, rows.terms, task, signal)
    }
    const { size: sizeBytes } = await stat(path)
    task.checkSize(sizeBytes)
    return { sizeBytes, losses, ...termMembers(rows.terms) }
  }

  /** Adds layer metadata that GDAL does not write. */
  async #addMetadata(
    { terms: as }: FormatOfFile,
    terms: FileTerms,
    { path, workPath }: MakeTask<DownloadRecord>,
    signal: AbortSignal,
  ): Promise<void> {
    if (as === undefined || as === 'lost' || termMembers(terms) === undefined) return
    const from = join(workPath, 'without-metadata')
    await rename(path, from)
    await this.#pool.call('copyWithMetadata', { from, path, as, terms }, { signal, silenceMs })
  }

  async #cut(
    { box, srs }: DownloadRequest,
    { record, path, workPath, roomBytes, checkSize, onProgress }: MakeTask<DownloadRecord>,
    signal: AbortSignal,
  ): Promise<Made> {
    const layer = await this.#layer(record)
    const { parameters } = await this.#deps.catalog.layers.storeOf(layer)
    const cut = { layer, source: parameters.path ?? '', workPath, path, roomBytes, box, srs }
    await cutRaster(cut, signal)
    const { size: sizeBytes } = await stat(path)
    checkSize(sizeBytes)
    onProgress(1, 1)
    const isMoved = srs !== undefined && srs !== layer.details.srs
    return {
      sizeBytes,
      ...termMembers(termsOf(layer)),
      losses: isMoved ? ['Cells are those of another grid, each the nearest of the coverage'] : [],
    }
  }

  /** Returns the layer, present or at the version, and the location of its rows. */
  async #source({ layerId, version }: DownloadRecord, signal: AbortSignal): Promise<EarlierLayer> {
    const { layers, stores } = this.#deps.catalog
    const layer = await this.#layer({ layerId })
    if (version !== undefined) return this.#deps.earlier.whenReady(layer, version, signal)
    const connection = await stores.connection(await stores.get(layer.storeId))
    return { layer, connection, store: await layers.openStoreOf(layer) }
  }

  async #layer({ layerId }: Pick<DownloadRecord, 'layerId'>): Promise<LayerRecord> {
    const layer = await this.#deps.catalog.layers.findById(layerId)
    if (layer === undefined) throw notFound('unknown-layer', 'The layer does not exist any more')
    return layer
  }

  /** Returns the number of rows, if known without counting; makes sure that a file has its index. */
  async #count(
    { layer, store }: EarlierLayer,
    { box, filter }: DownloadRequest,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    await store.findTable(layer.nativeName)
    signal.throwIfAborted()
    return box === undefined && filter === undefined ? layer.details.featureCount : undefined
  }
}

/** Without a CRS, readers of GeoParquet assume longitude and latitude on WGS 84. */
async function withProjJson(rows: RowExportRequest, signal: AbortSignal): Promise<RowExportRequest> {
  if (rows.as !== 'parquet' || rows.to === 'EPSG:4326') return rows
  const found = rows.to === undefined ? undefined : await findProjJson(rows.to, signal)
  return { ...rows, projJson: found ?? null }
}

function tooManyDownloads(): Failure {
  const text = 'Too many downloads are made or kept already: try again later, or delete some'
  return new Failure('tooMany', 'too-many-downloads', text, { retryAfterSeconds: 60 })
}

function full(maxBytes: number): Failure {
  const text = `Downloads may have at most ${maxBytes} bytes in total (TERRANE_MAX_DOWNLOADS): delete one, or request less`
  return new Failure('unavailable', 'downloads-full', text)
}
