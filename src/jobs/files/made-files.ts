import { rm } from 'node:fs/promises'
import type { Clock } from '../../lib/clock.ts'
import { explain, Failure, notFound } from '../../lib/errors.ts'
import type { EventBus } from '../../lib/events.ts'
import type { Logger } from '../../lib/logger.ts'
import { retryEnded } from '../../lib/workers/retry-ended.ts'
import { WorkQueue } from '../../lib/workers/work-queue.ts'
import { FileRecords } from './file-records.ts'
import type { MadeFile } from './made-file.ts'
import { OwnRecord } from './own-record.ts'

/** What the files are made with. */
interface MadeFilesNeeds<Layer> {
  findLayer(id: number): Promise<Layer | undefined>
  /** Why one more is refused. */
  refuse: Record<'tooMany' | 'full', () => Failure>
  events: EventBus
  clock: Clock
  log: Pick<Logger, 'warn'>
}

interface MadeFilesLimits {
  folder: string
  /** Most that all of them may take together. */
  maxBytes: number
  /** At a time; others wait, this many at most. */
  atATime: number
  mostWaiting: number
  /** Large files among those that are made at a time: the rest is kept for small ones. */
  heavyAtATime: number
  /** Most that are kept; absent: any number. */
  mostKept?: number
  /** Most that are made or wait for one who asks; absent: any number. */
  mostOfOne?: number
  /** Longest that one may take when its turn has come; absent: any time. */
  longestMs?: number
}

/** One file to be made. */
export interface MakeTask<Made extends MadeFile> {
  record: Made
  path: string
  /** A folder that does not exist yet, and goes when the file is there. */
  workPath: string
  onProgress(progress: number, total: number): void
  /** Throws where this file may not grow to a size. */
  checkSize(sizeBytes: number): void
  /** What it may grow to at most. */
  roomBytes: number
}

/** Makes a file: ends when it stands at `path`. What it throws is told on the record. */
export type MakeFile<Made extends MadeFile> = (
  task: MakeTask<Made>,
  signal: AbortSignal,
) => Promise<Partial<Made> & { sizeBytes: number }>

/** What is to be made, how, and for whom. */
export interface FileOrder<Made extends MadeFile> {
  wanted: NewFile<Made>
  make: MakeFile<Made>
  /** Whose files are counted together. */
  owner: string
  /** Whether making it takes much longer than making most files. */
  isHeavy: boolean
  /** How long it is kept; default a day. */
  keptMs?: number
}

/** What the kind of file says of a new one. */
type NewFile<Made extends MadeFile> = Omit<
  Made,
  'id' | 'state' | 'progress' | 'total' | 'createdAt' | 'expiresAt' | 'seenMs'
>

const usuallyKeptMs = 24 * 3_600_000
const saveEveryMs = 1000
const sweepEveryMs = 10 * 60_000
const removedDelayMs = 500

interface Running {
  stop: AbortController
  /** Gives why there is no file. */
  ended: Promise<unknown>
  owner: string
}

/** Files that are made of layers on request, in the background, and kept for a day, or as long as their layer. */
export class MadeFiles<Made extends MadeFile, Layer> {
  readonly #needs: MadeFilesNeeds<Layer>
  readonly #limits: MadeFilesLimits
  readonly #records: FileRecords<Made>
  readonly #queue: WorkQueue
  readonly #running = new Map<string, Running>()
  readonly #stopListening: () => void
  #sweepTimer: NodeJS.Timeout | undefined

  constructor(needs: MadeFilesNeeds<Layer>, limits: MadeFilesLimits) {
    this.#needs = needs
    this.#limits = limits
    this.#records = new FileRecords(limits.folder)
    const { atATime: limit, heavyAtATime: heavyLimit, mostWaiting: count } = limits
    this.#queue = new WorkQueue({ limit, heavyLimit, maxWaiting: { count, refuse: needs.refuse.tooMany } })
    this.#stopListening = needs.events.on('layer.removed', () => this.#sweepIn(removedDelayMs))
  }

  /** Removes what has expired, and what a process that was killed has left. */
  async start(): Promise<void> {
    await this.#sweep()
  }

  /** Throws the refusals. */
  async begin({ wanted, make, owner, isHeavy, keptMs = usuallyKeptMs }: FileOrder<Made>): Promise<Made> {
    const { refuse, clock } = this.#needs
    const { mostWaiting, maxBytes, mostKept = Number.POSITIVE_INFINITY } = this.#limits
    if (this.#queue.waiting >= mostWaiting || this.#hasTooMany(owner)) throw refuse.tooMany()
    if ((await this.#records.count()) >= mostKept) throw refuse.tooMany()
    if ((await this.#records.sizeBytes()) >= maxBytes) throw refuse.full()
    const now = clock.now().getTime()
    // TypeScript does not see that these are all that is left out of it.
    const record = {
      ...{ ...wanted, id: this.#records.newId(), state: 'PENDING', progress: 0, total: 1 },
      ...{ createdAt: new Date(now).toISOString(), expiresAt: new Date(now + keptMs).toISOString() },
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

  /** Ends when it is there or the signal aborts; at once where this process does not work on it. Throws why there is none. */
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

  /** Throws `Failure` (`not-found`) where there is none, or its layer is gone. */
  async get(id: string): Promise<{ record: Made; layer: Layer }> {
    const found = await this.find(id)
    if (found === undefined) throw unknownDownload(id)
    return found
  }

  /** The same; undefined where `get` throws. */
  async find(id: string): Promise<{ record: Made; layer: Layer } | undefined> {
    const record = await this.#records.find(id)
    if (record === undefined || this.#hasExpired(record)) return undefined
    const layer = await this.#needs.findLayer(record.layerId)
    return layer && { record, layer }
  }

  /** Where the finished file stands; undefined while there is none. */
  filePath(record: MadeFile): string | undefined {
    return record.state === 'COMPLETE' ? this.#records.filePath(record) : undefined
  }

  /** Ends the work where it is under way, and removes the file. */
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

  /** Everything stands on the record in the end; gives why there is no file, and throws nothing. */
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
      const failed: Pick<MadeFile, 'state' | 'message'> = { state: 'ERROR', message: explain(error) }
      own.change(failed as Partial<Made>)
      const isExpected = error instanceof Failure || signal.aborted || gone.aborted
      if (!isExpected) this.#needs.log.warn({ err: error, file: first.id }, 'a file was not made')
      return error
    } finally {
      clearInterval(timer)
      await own
        .save()
        .catch((error: unknown) => this.#needs.log.warn({ err: error }, 'a file was not written down'))
    }
  }

  async #make(own: OwnRecord<Made>, make: MakeFile<Made>, signal: AbortSignal): Promise<void> {
    const change = (values: Partial<MadeFile>): void => own.change(values as Partial<Made>)
    change({ state: 'RUNNING' })
    const { maxBytes, longestMs } = this.#limits
    const roomBytes = maxBytes - (await this.#records.sizeBytes())
    const workPath = this.#records.workPath(own.record)
    const task: MakeTask<Made> = {
      ...{ record: own.record, path: this.#records.filePath(own.record), workPath, roomBytes },
      onProgress: (progress, total) => change({ progress, total }),
      checkSize: (sizeBytes) => {
        if (sizeBytes > roomBytes) throw this.#needs.refuse.full()
      },
    }
    const late = longestMs === undefined ? undefined : AbortSignal.timeout(longestMs)
    try {
      const made = await make(task, late === undefined ? signal : AbortSignal.any([signal, late]))
      own.change({ ...made, state: 'COMPLETE', total: own.record.progress })
    } catch (error) {
      throw late?.aborted === true && !signal.aborted ? tookTooLong(longestMs ?? 0) : error
    } finally {
      await rm(workPath, { recursive: true, force: true })
    }
  }

  #hasExpired({ expiresAt }: MadeFile): boolean {
    return Date.parse(expiresAt) <= this.#needs.clock.now().getTime()
  }

  #sweepIn(delayMs: number): void {
    clearTimeout(this.#sweepTimer)
    this.#sweepTimer = setTimeout(() => void this.#sweep(), delayMs).unref()
  }

  async #sweep(): Promise<void> {
    try {
      for (const record of await this.#records.list()) {
        const isGone = (await this.#needs.findLayer(record.layerId)) === undefined
        if (isGone || this.#hasExpired(record)) await this.remove(record.id)
      }
      await this.#records.removeStrays()
    } catch (error) {
      this.#needs.log.warn({ err: error }, 'files that nobody needs may be left')
    }
    this.#sweepIn(sweepEveryMs)
  }
}

/** What is told of a download that is not there, whatever it was. */
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
