import { rm } from 'node:fs/promises'
import { explain, Failure, notFound } from '../../errors/errors.ts'
import type { EventBus } from '../../events/events.ts'
import type { FileStore } from '../../file-store/file-store.ts'
import type { StoredFile } from '../../file-store/stored-files.ts'
import type { Logger } from '../../log/logger.ts'
import type { Clock } from '../../time/clock.ts'
import { retryEnded } from '../../workers/retry-ended.ts'
import { WorkQueue } from '../../workers/work-queue.ts'
import { FileRecords } from './file-records.ts'
import type { GeneratedFile } from './generated-file.ts'
import { OwnRecord } from './own-record.ts'
import { StoredFileRecords, type StoredKind } from './stored-file-records.ts'

/** Dependencies for creating files. */
interface GeneratedFilesDeps<Layer> {
  findLayer(id: number): Promise<Layer | undefined>
  /** Errors for refusing a further file. */
  refuse: Record<'tooMany' | 'full', () => Failure>
  events: EventBus
  clock: Clock
  log: Pick<Logger, 'warn'>
}

interface MadeFilesLimits {
  folder: string
  kind: 'downloads' | 'exports'
  /** Set if finished files are in the file store, and their records in the catalogue. */
  stored?: Pick<StoredKind, 'database' | 'files' | 'redirects'>
  /** Maximum total size. */
  maxBytes: number
  /** Maximum number of concurrent files, and of waiting ones. */
  atATime: number
  mostWaiting: number
  /** Maximum number of large files created concurrently: the other slots are for small ones. */
  heavyAtATime: number
  /** Maximum number of retained files; absent: unlimited. */
  mostKept?: number
  /** Maximum number of running and queued files per owner; absent: unlimited. */
  mostOfOne?: number
  /** Maximum duration of creating a file after its start; absent: unlimited. */
  longestMs?: number
}

/** One file to create. */
export interface MakeTask<Made extends GeneratedFile> {
  record: Made
  path: string
  /** A folder that does not exist yet, and is removed when the file is complete. */
  workPath: string
  onProgress(progress: number, total: number): void
  /** Throws if the file may not reach this size. */
  checkSize(sizeBytes: number): void
  /** Maximum size of the file. */
  roomBytes: number
}

/** Creates a file: resolves when the file at `path` is complete. Errors are stored in the record. */
export type MakeFile<Made extends GeneratedFile> = (
  task: MakeTask<Made>,
  signal: AbortSignal,
) => Promise<Partial<Made> & { sizeBytes: number }>

/** A request to create a file: what, how, and for whom. */
export interface FileOrder<Made extends GeneratedFile> {
  requested: NewFile<Made>
  make: MakeFile<Made>
  /** Files are counted per owner. */
  owner: string
  /** True if creating it takes much longer than most files. */
  isHeavy: boolean
  /** Retention in milliseconds; default a day. */
  keptMs?: number
}

/** Initial properties of a new file, depending on its kind. */
type NewFile<Made extends GeneratedFile> = Omit<
  Made,
  'id' | 'state' | 'progress' | 'total' | 'createdAt' | 'expiresAt' | 'seenMs'
>

const usuallyKeptMs = 24 * 3_600_000
const saveEveryMs = 1000
const sweepEveryMs = 10 * 60_000
const removedDelayMs = 500

/** A finished file in the file store. */
export interface StoredDownload {
  file: StoredFile
  store: FileStore
  /** True if clients are sent to a signed address. */
  redirects: boolean
}

/** Records in a folder, or in the catalogue. */
type Records<Made extends GeneratedFile> = Pick<FileRecords<Made>, keyof FileRecords<Made>>

interface Running {
  stop: AbortController
  /** Resolves with the reason if there is no file. */
  ended: Promise<unknown>
  owner: string
}

/**
 * Files created from layers on request, in the background, and retained for a day, or as long as their layer.
 */
export class GeneratedFiles<Made extends GeneratedFile, Layer> {
  readonly #deps: GeneratedFilesDeps<Layer>
  readonly #limits: MadeFilesLimits
  readonly #records: Records<Made>
  readonly #stored: MadeFilesLimits['stored']
  readonly #queue: WorkQueue
  readonly #running = new Map<string, Running>()
  readonly #stopListening: () => void
  #sweepTimer: NodeJS.Timeout | undefined

  constructor(deps: GeneratedFilesDeps<Layer>, limits: MadeFilesLimits) {
    this.#deps = deps
    this.#limits = limits
    const { stored, kind, folder } = limits
    this.#stored = stored
    this.#records =
      stored === undefined ? new FileRecords(folder) : new StoredFileRecords({ ...stored, kind, folder })
    const { atATime: limit, heavyAtATime: heavyLimit, mostWaiting: count } = limits
    this.#queue = new WorkQueue({ limit, heavyLimit, maxWaiting: { count, refuse: deps.refuse.tooMany } })
    this.#stopListening = deps.events.on('layer.removed', () => this.#sweepIn(removedDelayMs))
  }

  /** Removes expired files, and those left by a killed process. */
  async start(): Promise<void> {
    await this.#sweep()
  }

  /** Throws the refusal errors. */
  async begin({
    requested: newFile,
    make,
    owner,
    isHeavy,
    keptMs = usuallyKeptMs,
  }: FileOrder<Made>): Promise<Made> {
    const { refuse, clock } = this.#deps
    const { mostWaiting, maxBytes, mostKept = Number.POSITIVE_INFINITY } = this.#limits
    if (this.#queue.waiting >= mostWaiting || this.#hasTooMany(owner)) throw refuse.tooMany()
    if ((await this.#records.count()) >= mostKept) throw refuse.tooMany()
    if ((await this.#records.sizeBytes()) >= maxBytes) throw refuse.full()
    const now = clock.now().getTime()
    // TypeScript cannot infer that the omitted properties are complete.
    const record = {
      ...newFile,
      id: this.#records.newId(),
      state: 'PENDING',
      progress: 0,
      total: 1,
      createdAt: new Date(now).toISOString(),
      expiresAt: new Date(now + keptMs).toISOString(),
      seenMs: Date.now(),
    } as unknown as Made
    const stop = new AbortController()
    const saved = this.#records.save(record)
    const ended = saved
      .then(() => this.#run(record, make, { signal: stop.signal, owner, isHeavy }))
      .finally(() => this.#running.delete(record.id))
    this.#running.set(record.id, { stop, ended, owner })
    ended.catch(() => undefined)
    await saved
    return record
  }

  /**
   * Resolves when the file is complete or the signal aborts; immediately if this process does not work on it.
   * Throws the reason if there is no file.
   */
  async wait(id: string, signal: AbortSignal): Promise<void> {
    const running = this.#running.get(id)
    if (running === undefined || signal.aborted) return
    const left = Promise.withResolvers<undefined>()
    const leave = (): void => left.resolve(undefined)
    signal.addEventListener('abort', leave, { once: true })
    try {
      const error = await Promise.race([running.ended, left.promise])
      if (error !== undefined) throw error
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  /** Throws `Failure` (`not-found`) if there is none, or if its layer was deleted. */
  async get(id: string): Promise<{ record: Made; layer: Layer }> {
    const found = await this.find(id)
    if (found === undefined) throw unknownDownload(id)
    return found
  }

  /** The same; undefined instead of an error. */
  async find(id: string): Promise<{ record: Made; layer: Layer } | undefined> {
    const record = await this.#records.find(id)
    if (record === undefined || this.#hasExpired(record)) return undefined
    const layer = await this.#deps.findLayer(record.layerId)
    return layer && { record, layer }
  }

  /** Returns the path of the finished file; undefined while there is none. */
  filePath(record: GeneratedFile): string | undefined {
    return record.state === 'COMPLETE' ? this.#records.filePath(record) : undefined
  }

  /** Returns the finished file and its store where it is in the file store; undefined: it is at `filePath`. */
  async findStored(record: GeneratedFile): Promise<StoredDownload | undefined> {
    if (this.#stored === undefined || record.state !== 'COMPLETE') return undefined
    const file = await this.#records.findStored(record)
    const { files, redirects } = this.#stored
    return file === undefined ? undefined : { file, store: files.store, redirects }
  }

  /** Cancels running work and removes the file. */
  async remove(id: string): Promise<void> {
    const running = this.#running.get(id)
    running?.stop.abort(new Error('The file was cancelled'))
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

  #hasTooMany(owner: string): boolean {
    const { mostOfOne = Number.POSITIVE_INFINITY } = this.#limits
    return [...this.#running.values()].filter((one) => one.owner === owner).length >= mostOfOne
  }

  /** The result is always stored in the record. Returns the reason if there is no file; throws nothing. */
  async #run(
    first: Made,
    make: MakeFile<Made>,
    { signal, ...share }: { signal: AbortSignal; owner: string; isHeavy: boolean },
  ): Promise<unknown> {
    const own = new OwnRecord(this.#records, first)
    const timer = setInterval(() => void own.save().catch(() => undefined), saveEveryMs).unref()
    const gone = own.gone
    try {
      const both = AbortSignal.any([signal, gone])
      const work = (): Promise<void> => retryEnded(() => this.#make(own, make, both), { signal: both })
      await this.#queue.run(work, { ...share, signal: both })
      return undefined
    } catch (error) {
      const failed: Pick<GeneratedFile, 'state' | 'message'> = { state: 'ERROR', message: explain(error) }
      own.change(failed as Partial<Made>)
      const isExpected = error instanceof Failure || signal.aborted || gone.aborted
      if (!isExpected) this.#deps.log.warn({ err: error, file: first.id }, 'a file was not made')
      return error
    } finally {
      clearInterval(timer)
      await own
        .save()
        .catch((error: unknown) => this.#deps.log.warn({ err: error }, 'a file was not written down'))
    }
  }

  async #make(own: OwnRecord<Made>, make: MakeFile<Made>, signal: AbortSignal): Promise<void> {
    const change = (values: Partial<GeneratedFile>): void => own.change(values as Partial<Made>)
    change({ state: 'RUNNING' })
    const { maxBytes, longestMs } = this.#limits
    const roomBytes = maxBytes - (await this.#records.sizeBytes())
    const workPath = this.#records.workPath(own.record)
    const task: MakeTask<Made> = {
      record: own.record,
      path: this.#records.filePath(own.record),
      workPath,
      roomBytes,
      onProgress: (progress, total) => change({ progress, total }),
      checkSize: (sizeBytes) => {
        if (sizeBytes > roomBytes) throw this.#deps.refuse.full()
      },
    }
    const late = longestMs === undefined ? undefined : AbortSignal.timeout(longestMs)
    try {
      const limited = late === undefined ? signal : AbortSignal.any([signal, late])
      const made = await make(task, limited)
      await this.#records.keep(own.record, limited)
      own.change({ ...made, state: 'COMPLETE', total: own.record.progress })
    } catch (error) {
      throw late?.aborted === true && !signal.aborted ? tookTooLong(longestMs ?? 0) : error
    } finally {
      await rm(workPath, { recursive: true, force: true })
    }
  }

  #hasExpired({ expiresAt }: GeneratedFile): boolean {
    return Date.parse(expiresAt) <= this.#deps.clock.now().getTime()
  }

  #sweepIn(delayMs: number): void {
    clearTimeout(this.#sweepTimer)
    this.#sweepTimer = setTimeout(() => void this.#sweep(), delayMs).unref()
  }

  async #sweep(): Promise<void> {
    try {
      for (const record of await this.#records.list()) {
        const isGone = (await this.#deps.findLayer(record.layerId)) === undefined
        if (isGone || this.#hasExpired(record)) await this.remove(record.id)
      }
      await this.#records.removeStrays()
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'files that nobody needs may be left')
    }
    this.#sweepIn(sweepEveryMs)
  }
}

/** The error for a missing download, whatever the reason. */
export function unknownDownload(id: string): Failure {
  return notFound('unknown-download', `There is no download "${id}", or not any more`)
}

function tookTooLong(longestMs: number): Failure {
  const text = `The file took longer than ${longestMs / 60_000} minutes: ask for less of the layer`
  return new Failure('unavailable', 'download-timeout', text)
}

function stopping(): Error {
  return new Error('The server was stopped while it made the file: ask for it anew')
}
