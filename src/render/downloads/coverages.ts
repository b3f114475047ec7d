import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Catalog, LayerRecord } from '../../catalog/index.ts'
import { workOwner } from '../../core/concurrency/acting.ts'
import { Failure } from '../../core/errors/errors.ts'
import { WorkQueue } from '../../core/workers/work-queue.ts'
import { FormatError } from '../../formats/worker.ts'
import type { PlacedSource, Rasters } from '../rasters/rasters.ts'
import { atTimes } from '../rasters/rasters.ts'
import type { TimeSelection } from '../rasters/time-selection.ts'
import type { CoverageGrid } from './coverage-grid.ts'
import { envelopeOf, gridOf } from './coverage-grid.ts'
import type { CoverageCut, CutFormat } from './cut-coverage.ts'
import { cutCoverage } from './cut-coverage.ts'
import { removeLeftBehind } from './remove-left-behind.ts'

export { type CoverageGrid, cornerOf, envelopeOf, windowOf } from './coverage-grid.ts'
export {
  type AxisScale,
  type CutFormat,
  cutFormats,
  type Resampling,
} from './cut-coverage.ts'

/** A request for a part of a coverage. */
export interface CoverageFileRequest extends Omit<CoverageCut, 'grid' | 'sources'> {
  /** For a mosaic: time selections of granules; undefined: the newest granules. */
  times: readonly TimeSelection[] | undefined
}

/** A file that is removed on close. */
export interface CoverageFile {
  path: string
  format: CutFormat
  close(): Promise<void>
}

interface CoveragesDeps {
  catalog: Pick<Catalog, 'layers'>
  rasters: Rasters
  folder: string
  /** Maximum size of one file, in bytes. */
  maxBytes: number
  onError(error: unknown): void
}

/** Maximum number of concurrent cuts; others wait. */
const atATime = 3
const maxQueued = 100
const longestMs = 5 * 60_000
/** Maximum number of granules per response. */
const maxGranules = 500
/** Maximum number of attempts if the coverage is replaced meanwhile. */
const maxTries = 5

/** Creates files with parts of coverages, one per request. */
export class Coverages {
  readonly #deps: CoveragesDeps
  readonly #ending = new AbortController()
  readonly #queue = new WorkQueue({ limit: atATime, maxWaiting: { count: maxQueued, refuse: tooBusy } })

  constructor(deps: CoveragesDeps) {
    this.#deps = deps
  }

  /** Removes leftover files; call once at the start, without waiting. */
  start(): void {
    removeLeftBehind(this.#deps.folder).catch(this.#deps.onError)
  }

  async close(): Promise<void> {
    this.#ending.abort(new Error('The server stops'))
  }

  /**
   * Returns the cells of a coverage at all of its times; undefined if no regular grid fits them or the CRS
   * has no code.
   */
  async grid(layer: LayerRecord, signal: AbortSignal): Promise<CoverageGrid | undefined> {
    return gridOf((await this.#deps.rasters.sources(layer, signal)).all)
  }

  /**
   * Writes the part of the grid that `plan` returns to a file, from one state of the coverage. Throws
   * `Failure`, `FormatError` and the errors of `plan`.
   */
  async cut(
    record: LayerRecord,
    plan: (layer: LayerRecord, grid: CoverageGrid | undefined) => Promise<CoverageFileRequest>,
    signal: AbortSignal,
  ): Promise<CoverageFile> {
    const { layers } = this.#deps.catalog
    let layer = record
    for (let tries = 1; ; tries += 1) {
      const before = await layers.versionOf(layer)
      const isLast = tries === maxTries
      // If changes by others cannot be detected, checks at least for changes by Terrane.
      const isSame = (): Promise<boolean> =>
        before.isCurrent ? layers.isStill(layer, before) : layers.isSettled(layer)
      let file: CoverageFile | undefined
      try {
        file = await this.#cutOnce(layer, plan, signal)
        if (isLast || (await isSame())) return file
        await file.close()
      } catch (error) {
        await file?.close()
        // Its file may have been replaced while it was read.
        if (signal.aborted || isLast || (await isSame())) throw error
      }
      layer = (await layers.find(layer.workspace, layer.name)) ?? layer
    }
  }

  async #cutOnce(
    layer: LayerRecord,
    plan: (layer: LayerRecord, grid: CoverageGrid | undefined) => Promise<CoverageFileRequest>,
    signal: AbortSignal,
  ): Promise<CoverageFile> {
    const known = await this.#deps.rasters.sources(layer, signal)
    const grid = gridOf(known.all)
    const { times, ...request } = await plan(layer, grid)
    if (grid === undefined) throw new TypeError('A coverage without a grid cannot be cut')
    const sources = takingPart(atTimes(known, times), grid, request.place)
    if (sources.length > maxGranules) throw tooManyGranules(sources.length)
    return this.#make({ ...request, grid, sources }, signal)
  }

  #make(cut: CoverageCut, signal: AbortSignal): Promise<CoverageFile> {
    const ended = AbortSignal.any([signal, this.#ending.signal])
    const work = async (): Promise<CoverageFile> => {
      const { folder, maxBytes } = this.#deps
      await mkdir(folder, { recursive: true, mode: 0o750 })
      const workPath = await mkdtemp(join(folder, 'cut-'))
      const close = (): Promise<void> => rm(workPath, { recursive: true, force: true })
      try {
        const path = join(workPath, 'coverage')
        await cutCoverage(cut, { workPath, path, roomBytes: maxBytes, timeoutMs: longestMs }, ended)
        return { path, format: cut.format, close }
      } catch (error) {
        await close()
        if (error instanceof FormatError && error.code === 'gdal-too-slow') throw tooSlow()
        throw unreadableFile(error) ?? error
      }
    }
    return this.#queue.run(work, { signal: ended, owner: workOwner(), isHeavy: true })
  }
}

/** Returns the sources with cells in the window; at least one, which defines the bands. */
function takingPart(
  sources: readonly PlacedSource[],
  grid: CoverageGrid,
  place: CoverageCut['place'],
): readonly PlacedSource[] {
  if (sources.length === 1 || 'srs' in place) return sources
  const window = envelopeOf(grid, place)
  const found = sources.filter(({ geoTransform, width, height }) => {
    const box = geoTransform && envelopeOf({ ...grid, width, height, geoTransform })
    return (
      box === undefined ||
      (box.minX < window.maxX && box.maxX > window.minX && box.minY < window.maxY && box.maxY > window.minY)
    )
  })
  return found.length === 0 ? sources.slice(-1) : found
}

function tooBusy(): Failure {
  const text = 'Too many coverages are asked for at once: try again in a moment'
  return new Failure('unavailable', 'too-busy', text, { retryAfterSeconds: 2 })
}

/** The error for a missing or broken file, or missing GDAL. */
function unreadableFile(error: unknown): Failure | undefined {
  const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT'
  if (!isGone && !(error instanceof FormatError)) return undefined
  const reason = isGone ? 'its file is gone' : error.message
  return new Failure('unavailable', 'store-file', `The coverage cannot be read: ${reason}`, { cause: error })
}

function tooSlow(): Failure {
  return new Failure(
    'unavailable',
    'too-slow',
    `The coverage took longer than ${longestMs / 1000} s: ask for less`,
  )
}

function tooManyGranules(count: number): Failure {
  return new Failure(
    'tooLarge',
    'raster-too-large',
    `${count} granules have a part in what is asked for, and one answer is made of ${maxGranules} at most: ask for a smaller part or for one time`,
  )
}
