import type { Layers } from '../../catalog/doors/layers.ts'
import type { LayerRecord } from '../../catalog/records.ts'
import type { Clock } from '../../lib/clock.ts'
import { explain, Failure, invalid, notFound } from '../../lib/errors.ts'
import type { EventBus } from '../../lib/events.ts'
import type { Logger } from '../../lib/logger.ts'
import { WorkQueue } from '../../lib/workers/work-queue.ts'
import type { EarlierVersions } from '../earlier/earlier-versions.ts'
import type { Maps } from '../maps.ts'
import type { ExportFormat } from './archive.ts'
import { earlierSource } from './earlier-source.ts'
import type { ExportRecord } from './export-records.ts'
import { ExportRecords } from './export-records.ts'
import type { Bounds, VisitProgress } from './visit-tiles.ts'
import { writeArchive } from './write-archive.ts'

/** What is asked for. */
export interface ExportWish {
  format: ExportFormat
  minZoom: number
  maxZoom: number
  bbox?: Bounds
  /** Which version of the layer; absent: the present one. */
  version?: number
}

interface ExportNeeds {
  maps: Pick<Maps, 'tile' | 'requireTiles'>
  layers: Pick<Layers, 'findById' | 'versionOf' | 'isStill'>
  earlier: Pick<EarlierVersions, 'at' | 'tile'>
  events: EventBus
  clock: Clock
  log: Pick<Logger, 'warn'>
}

interface ExportLimits {
  folder: string
  /** Most that all exported files may take together. */
  maxBytes: number
}

/** At a time; others wait. */
const atATime = 2
const mostWaiting = 20
const mostTiles = 5_000_000
const keptMs = 24 * 3_600_000
const saveEveryMs = 1000
const sweepEveryMs = 10 * 60_000
const removedDelayMs = 500

/** Files of all tiles of a layer, made on request and kept for a day. */
export class Exports {
  readonly #needs: ExportNeeds
  readonly #maxBytes: number
  readonly #records: ExportRecords
  readonly #queue = new WorkQueue({
    limit: atATime,
    maxWaiting: { count: mostWaiting, refuse: () => tooManyExports() },
  })
  readonly #running = new Map<string, { stop: AbortController; ended: Promise<void> }>()
  readonly #stopListening: () => void
  #sweepTimer: NodeJS.Timeout | undefined

  constructor(needs: ExportNeeds, { folder, maxBytes }: ExportLimits) {
    this.#needs = needs
    this.#maxBytes = maxBytes
    this.#records = new ExportRecords(folder)
    this.#stopListening = needs.events.on('layer.removed', () => this.#sweepIn(removedDelayMs))
  }

  /** Removes what has expired, and what a process that was killed has left. */
  async start(): Promise<void> {
    await this.#sweep()
  }

  /** Throws `Failure`: `no-tiles`, `too-many-exports`, `exports-full`. */
  async begin(layer: LayerRecord, wish: ExportWish, user: string): Promise<ExportRecord> {
    if (wish.version === undefined) await this.#needs.maps.requireTiles(layer)
    if (this.#queue.waiting >= mostWaiting) throw tooManyExports()
    if ((await this.#records.sizeBytes()) >= this.#maxBytes) throw full(this.#maxBytes)
    const now = this.#needs.clock.now().getTime()
    const record: ExportRecord = {
      ...{ id: this.#records.newId(), layerId: layer.id, workspace: layer.workspace, layer: layer.name },
      ...{ ...wish, user, state: 'PENDING', progress: 0, total: 1, seenMs: Date.now() },
      createdAt: new Date(now).toISOString(),
      expiresAt: new Date(now + keptMs).toISOString(),
    }
    await this.#records.save(record)
    const stop = new AbortController()
    const ended = this.#run(record, stop.signal).finally(() => this.#running.delete(record.id))
    this.#running.set(record.id, { stop, ended })
    return record
  }

  /** Throws `Failure` (`not-found`) where there is none, or its layer is gone. */
  async get(id: string): Promise<{ record: ExportRecord; layer: LayerRecord }> {
    const record = await this.#records.find(id)
    const layer = record === undefined ? undefined : await this.#needs.layers.findById(record.layerId)
    const isOver = record !== undefined && this.#hasExpired(record)
    if (record === undefined || layer === undefined || isOver) throw unknownDownload(id)
    return { record, layer }
  }

  /** Where the finished file stands; undefined while there is none. */
  filePath(record: ExportRecord): string | undefined {
    return record.state === 'COMPLETE' ? this.#records.filePath(record) : undefined
  }

  /** Ends the work where it is under way, and removes the file. */
  async remove(id: string): Promise<void> {
    const running = this.#running.get(id)
    running?.stop.abort(new Error('The export was cancelled'))
    await running?.ended
    await this.#records.remove(id)
  }

  async close(): Promise<void> {
    clearTimeout(this.#sweepTimer)
    this.#stopListening()
    this.#queue.close(stopping())
    for (const { stop } of this.#running.values()) stop.abort(stopping())
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
  }

  /** Everything stands on the record in the end; nothing is thrown. */
  async #run(first: ExportRecord, signal: AbortSignal): Promise<void> {
    const own = new OwnRecord(this.#records, first)
    const timer = setInterval(() => void own.save().catch(() => undefined), saveEveryMs).unref()
    const gone = own.gone
    try {
      const both = AbortSignal.any([signal, gone])
      await this.#queue.run(() => this.#write(own, both), { signal: both })
    } catch (error) {
      own.change({ state: 'ERROR', message: explain(error) })
      const isExpected = error instanceof Failure || signal.aborted || gone.aborted
      if (!isExpected) this.#needs.log.warn({ err: error, export: first.id }, 'an export failed')
    } finally {
      clearInterval(timer)
      await own
        .save()
        .catch((error: unknown) => this.#needs.log.warn({ err: error }, 'an export was not written down'))
    }
  }

  async #write(own: OwnRecord, signal: AbortSignal): Promise<void> {
    own.change({ state: 'RUNNING' })
    const { layerId, format, minZoom, maxZoom, bbox, version } = own.record
    const others = await this.#records.sizeBytes()
    const wish = { layerId, format, minZoom, maxZoom, ...(bbox && { bbox }), mostTiles }
    const checkSize = (sizeBytes: number): void => {
      if (others + sizeBytes > this.#maxBytes) throw full(this.#maxBytes)
    }
    const onProgress = ({ visited, known }: VisitProgress): void =>
      own.change({ progress: visited, total: known })
    const path = this.#records.filePath(own.record)
    const needs = { ...this.#needs, ...(version === undefined ? {} : earlierSource(this.#needs, version)) }
    const sizeBytes = await writeArchive({ ...needs, checkSize }, { ...wish, path }, onProgress, signal)
    own.change({ state: 'COMPLETE', sizeBytes, total: own.record.progress })
  }

  #hasExpired({ expiresAt }: ExportRecord): boolean {
    return Date.parse(expiresAt) <= this.#needs.clock.now().getTime()
  }

  #sweepIn(delayMs: number): void {
    clearTimeout(this.#sweepTimer)
    this.#sweepTimer = setTimeout(() => void this.#sweep(), delayMs).unref()
  }

  async #sweep(): Promise<void> {
    try {
      for (const record of await this.#records.list()) {
        const isGone = (await this.#needs.layers.findById(record.layerId)) === undefined
        if (isGone || this.#hasExpired(record)) await this.remove(record.id)
      }
      await this.#records.removeStrays()
    } catch (error) {
      this.#needs.log.warn({ err: error }, 'exported files that nobody needs may be left')
    }
    this.#sweepIn(sweepEveryMs)
  }
}

/** The record of an export that this process works on. */
class OwnRecord {
  record: ExportRecord
  readonly #records: ExportRecords
  readonly #gone = new AbortController()
  #saved: Promise<void> = Promise.resolve()

  constructor(records: ExportRecords, record: ExportRecord) {
    this.#records = records
    this.record = record
  }

  /** Aborts when somebody has removed the record. */
  get gone(): AbortSignal {
    return this.#gone.signal
  }

  change(values: Partial<ExportRecord>): void {
    this.record = { ...this.record, ...values }
  }

  /** One after the other: the last is the one that stays. */
  save(): Promise<void> {
    this.#saved = this.#saved.catch(() => undefined).then(() => this.#saveNow())
    return this.#saved
  }

  async #saveNow(): Promise<void> {
    if (this.#gone.signal.aborted) return
    if ((await this.#records.find(this.record.id)) === undefined) {
      this.#gone.abort(new Error('The export was cancelled'))
      return
    }
    await this.#records.save({ ...this.record, seenMs: Date.now() })
  }
}

export { type ExportRecord, exportStates } from './export-records.ts'

function unknownDownload(id: string): Error {
  return notFound('unknown-download', `There is no download "${id}", or not any more`)
}

function tooManyExports(): Failure {
  const text = 'Too many exports wait already: try again later'
  return new Failure('tooMany', 'too-many-exports', text, { retryAfterSeconds: 60 })
}

function full(maxBytes: number): Failure {
  const text = `Exported files may fill ${maxBytes} bytes altogether, which TERRANE_MAX_EXPORTS sets: delete one, or ask for fewer zooms`
  return invalid('exports-full', text)
}

function stopping(): Error {
  return new Error('The server was stopped while it made the file: ask for it anew')
}
