import { deserialize, serialize } from 'node:v8'
import type { Database } from '../../db/connection.ts'
import { explain, Failure, notFound } from '../../errors/errors.ts'
import type { EventBus } from '../../events/events.ts'
import type { Logger } from '../../log/logger.ts'
import type { Clock } from '../../time/clock.ts'
import { defined } from '../../values/defined.ts'
import { packError, unpackError } from '../../workers/error-codec.ts'
import { retryEnded } from '../../workers/retry-ended.ts'
import type { JobContext, JobHandler, JobPayload, Jobs } from '../jobs.ts'
import { jobPriorities, maintenanceLane } from '../jobs.ts'
import { FileFolder } from './file-folder.ts'
import { FileRecords } from './file-records.ts'
import type { GeneratedFile } from './generated-file.ts'
import type { AttemptPaths, ResultFiles } from './result-files.ts'
import { type ResultStore, type StoredResult, StoredResults } from './stored-results.ts'

/** Dependencies for creating files. */
interface GeneratedFilesDeps<Made extends GeneratedFile, Layer, Request> {
  database: Database
  jobs: Jobs
  findLayer(id: number): Promise<Layer | undefined>
  make: MakeFile<Made, Request>
  /** Errors for refusing a further file. */
  refuse: Record<'tooMany' | 'full', () => Failure>
  events: EventBus
  clock: Clock
  log: Pick<Logger, 'warn'>
}

interface GeneratedFilesLimits {
  /** Name of the collection; part of the names of its jobs. */
  collection: string
  folder: string
  /** Set if finished files are in the file store. */
  store?: ResultStore
  /** Maximum total size. */
  maxBytes: number
  /** Maximum number of files that one server makes at the same time, and of waiting ones. */
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
type MakeFile<Made extends GeneratedFile, Request> = (
  request: Request,
  task: MakeTask<Made>,
  signal: AbortSignal,
) => Promise<Partial<Made> & { sizeBytes: number }>

/** A request to create a file, with its owner. */
interface FileOrder<Made extends GeneratedFile, Request> {
  requested: NewFile<Made>
  /** Data for the server that creates the file: numbers, texts, bytes, arrays and objects of them. */
  request: Request
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
  'id' | 'state' | 'progress' | 'total' | 'createdAt' | 'expiresAt'
>

const usuallyKeptMs = 24 * 3_600_000
const saveEveryMs = 1000
const sweepEverySeconds = 600
const removedDelayMs = 500
/** Maximum wait of a removal for another server to stop its work. */
const longestStopMs = 10_000

/**
 * Files created from layers on request, by jobs of any server, and retained for a day, or as long as their layer. A
 * file whose server was stopped or killed is created again.
 */
export class GeneratedFiles<Made extends GeneratedFile, Layer, Request> {
  readonly #deps: GeneratedFilesDeps<Made, Layer, Request>
  readonly #limits: GeneratedFilesLimits
  readonly #records: FileRecords<Made>
  readonly #results: ResultFiles
  /** Set if finished files are in the file store; otherwise `#files` is a folder. */
  readonly #stored: StoredResults | undefined
  /** Records of the files that this process creates, with their present progress. */
  readonly #running = new Map<string, Made>()
  readonly #stopListening: () => void
  #sweepTimer: NodeJS.Timeout | undefined

  constructor(deps: GeneratedFilesDeps<Made, Layer, Request>, limits: GeneratedFilesLimits) {
    this.#deps = deps
    this.#limits = limits
    this.#records = new FileRecords(deps.database, limits.collection)
    const folder = new FileFolder(limits.folder)
    const { store, collection } = limits
    this.#stored = store && new StoredResults(deps.database, store, collection, folder)
    this.#results = this.#stored ?? folder
    this.#stopListening = deps.events.on('layer.removed', () => this.#sweepSoon())
    this.#registerJobs()
  }

  /** Creates the record of a file and queues its job. Throws the refusal errors. */
  async begin({ requested, request, owner, isHeavy, keptMs }: FileOrder<Made, Request>): Promise<Made> {
    const { refuse, database, jobs } = this.#deps
    if ((await this.#results.sizeBytes()) >= this.#limits.maxBytes) throw refuse.full()
    const record = this.#newRecord(requested, keptMs)
    await database.transaction(async (db) => {
      const counts = await this.#records.count(db, owner)
      if (this.#isTooMany(counts)) throw refuse.tooMany()
      const payload = { id: record.id, request: serialize(request).toString('base64') }
      // Fair queue: the more files an owner waits for, the lower the priority of the next one.
      const priority = jobPriorities.interactive - Math.min(counts.ofOwner, jobPriorities.interactive - 1)
      const kind = this.#jobKind(isHeavy)
      const jobId = await jobs.enqueue(db, { kind, key: '', payload, priority })
      await this.#records.insert(db, record, { jobId, owner })
    })
    jobs.wake()
    return record
  }

  /** Resolves when the file is complete or the signal aborts. Throws the reason if there is no file. */
  async wait(id: string, signal: AbortSignal): Promise<void> {
    const row = await this.#records.find(id)
    if (row === undefined || signal.aborted) return
    try {
      await this.#deps.jobs.wait(row.jobId, signal)
    } catch (error) {
      if (signal.aborted) return
      throw error
    }
    const failure = (await this.#records.find(id))?.record.failure
    if (failure !== undefined) throw unpackError(failure)
  }

  /** Throws `Failure` (`not-found`) if there is none, or if its layer was deleted. */
  async get(id: string): Promise<{ record: Made; layer: Layer }> {
    const found = await this.find(id)
    if (found === undefined) throw unknownDownload(id)
    return found
  }

  /** The same; undefined instead of an error. */
  async find(id: string): Promise<{ record: Made; layer: Layer } | undefined> {
    const stored = (await this.#records.find(id))?.record
    if (stored === undefined || this.#hasExpired(stored)) return undefined
    const layer = await this.#deps.findLayer(stored.layerId)
    return layer && { record: this.#running.get(id) ?? stored, layer }
  }

  /** Returns the path of the finished file; undefined while there is none. */
  filePath(record: GeneratedFile): string | undefined {
    return record.state === 'COMPLETE' ? this.#results.filePath(record) : undefined
  }

  /** Returns the finished file in the file store; undefined if it is at `filePath`. */
  async findStored({ id }: Pick<GeneratedFile, 'id'>): Promise<StoredResult | undefined> {
    if (this.#stored === undefined) return undefined
    const key = (await this.#records.find(id))?.fileKey
    return key ? this.#stored.find(key) : undefined
  }

  /** Cancels running work, on any server, and removes the file. */
  async remove(id: string): Promise<void> {
    const row = await this.#records.find(id)
    if (row === undefined) return
    const { jobs } = this.#deps
    await this.#records.remove(id)
    await jobs.cancel(row.jobId)
    await jobs.wait(row.jobId, AbortSignal.timeout(longestStopMs)).catch(() => undefined)
    await this.#results.remove(row.record)
  }

  close(): void {
    clearTimeout(this.#sweepTimer)
    this.#stopListening()
  }

  #registerJobs(): void {
    const { collection, atATime, heavyAtATime } = this.#limits
    const lane = { name: collection, limit: atATime, heavyLimit: heavyAtATime }
    const make = (isHeavy: boolean): JobHandler => ({
      lane,
      isHeavy,
      stopsAtOnce: true,
      run: (payload, context) => this.#run(payload, context),
      abandoned: (payload, reason) => this.#abandon(payload, reason),
      subjectOf: ({ id }) => `${collection} ${id}`,
    })
    const sweepKind = `${collection}.sweep`
    const sweep: JobHandler = {
      lane: maintenanceLane,
      run: () => this.#sweep(),
      abandoned: async () => undefined,
    }
    this.#deps.jobs.register(
      { [this.#jobKind(false)]: make(false), [this.#jobKind(true)]: make(true), [sweepKind]: sweep },
      [{ name: sweepKind, kind: sweepKind, everySeconds: sweepEverySeconds }],
    )
  }

  #jobKind(isHeavy: boolean): string {
    return `${this.#limits.collection}.${isHeavy ? 'make-large' : 'make'}`
  }

  #newRecord(requested: NewFile<Made>, keptMs = usuallyKeptMs): Made {
    const now = this.#deps.clock.now().getTime()
    // TypeScript cannot infer that the omitted properties are complete.
    return {
      ...requested,
      id: this.#results.newId(),
      state: 'PENDING',
      progress: 0,
      total: 1,
      createdAt: new Date(now).toISOString(),
      expiresAt: new Date(now + keptMs).toISOString(),
    } as unknown as Made
  }

  #isTooMany({ all, waiting, ofOwner }: Awaited<ReturnType<FileRecords<Made>['count']>>): boolean {
    const { mostWaiting, mostKept = Infinity, mostOfOne = Infinity } = this.#limits
    return waiting >= mostWaiting || all >= mostKept || ofOwner >= mostOfOne
  }

  /** Creates the file. The result is always stored in the record; throws only if the job is to run again. */
  async #run({ id, request }: JobPayload, { signal }: JobContext): Promise<void> {
    const row = await this.#records.find(String(id))
    if (row === undefined || row.record.state === 'COMPLETE') return
    // `begin` has serialized the request in this form.
    const order = deserialize(Buffer.from(String(request), 'base64')) as Request
    const begun: Partial<GeneratedFile> = { state: 'RUNNING', progress: 0, total: 1 }
    // An administrator may repeat a job that has failed.
    const record: Made = { ...row.record, ...begun, message: undefined, failure: undefined }
    this.#running.set(record.id, record)
    const stopSaving = await this.#saveRegularly(record.id)
    try {
      await retryEnded(() => this.#makeOnce(order, record.id, signal), { signal })
    } catch (error) {
      if (signal.aborted) throw error
      await this.#fail(record.id, error)
    } finally {
      stopSaving()
      this.#running.delete(record.id)
    }
  }

  /** Other servers read the progress in the database. */
  async #saveRegularly(id: string): Promise<() => void> {
    const save = async (): Promise<void> => {
      const record = this.#running.get(id)
      if (record !== undefined) await this.#records.saveProgress(record)
    }
    await save()
    if (this.#deps.database.kind === 'sqlite') return () => undefined
    const timer = setInterval(() => void save().catch(() => undefined), saveEveryMs).unref()
    return () => clearInterval(timer)
  }

  async #makeOnce(request: Request, id: string, signal: AbortSignal): Promise<void> {
    const { maxBytes, longestMs } = this.#limits
    const record = this.#change(id, {})
    const paths = await this.#results.beginAttempt(record)
    const late = longestMs === undefined ? undefined : AbortSignal.timeout(longestMs)
    try {
      const task = this.#task(record, paths, maxBytes - (await this.#results.sizeBytes()))
      const both = late === undefined ? signal : AbortSignal.any([signal, late])
      const made = await this.#deps.make(request, task, both)
      signal.throwIfAborted()
      const { progress: total } = this.#change(id, {})
      const complete: Made = { ...this.#change(id, {}), ...defined({ ...made, state: 'COMPLETE', total }) }
      await this.#results.complete(paths, complete, (written) => this.#records.save(complete, written), both)
    } catch (error) {
      throw late?.aborted === true && !signal.aborted ? tookTooLong(longestMs ?? 0) : error
    } finally {
      await this.#results.endAttempt(paths)
    }
  }

  #task(record: Made, paths: AttemptPaths, roomBytes: number): MakeTask<Made> {
    return {
      ...paths,
      record,
      roomBytes,
      onProgress: (progress, total) => {
        this.#change(record.id, { progress, total } as Partial<Made>)
      },
      checkSize: (sizeBytes) => {
        if (sizeBytes > roomBytes) throw this.#deps.refuse.full()
      },
    }
  }

  #change(id: string, values: Partial<Made>): Made {
    const before = this.#running.get(id)
    if (before === undefined) throw new Error(`File ${id} is not being made`)
    const record = { ...before, ...defined(values) }
    this.#running.set(id, record)
    return record
  }

  async #fail(id: string, error: unknown): Promise<void> {
    if (!(error instanceof Failure)) this.#deps.log.warn({ err: error, file: id }, 'a file was not made')
    const failure = { ...packError(error), stack: undefined, cause: undefined }
    const failed: Partial<GeneratedFile> = { state: 'ERROR', message: explain(error), failure }
    await this.#records.save(this.#change(id, failed as Partial<Made>))
  }

  async #abandon({ id }: JobPayload, reason: string): Promise<void> {
    const record = (await this.#records.find(String(id)))?.record
    if (record === undefined) return
    const message = `The file was not made: ${reason}. Ask for it anew`
    const failure = packError(new Failure('unavailable', 'download-failed', message))
    await this.#records.save({
      ...record,
      state: 'ERROR',
      message,
      failure: { ...failure, stack: undefined },
    })
  }

  #hasExpired({ expiresAt }: GeneratedFile): boolean {
    return Date.parse(expiresAt) <= this.#deps.clock.now().getTime()
  }

  #sweepSoon(): void {
    clearTimeout(this.#sweepTimer)
    const sweep = (): void =>
      void this.#sweep().catch((error: unknown) =>
        this.#deps.log.warn({ err: error }, 'files that nobody needs may be left'),
      )
    this.#sweepTimer = setTimeout(sweep, removedDelayMs).unref()
  }

  /** Removes expired files, files of deleted layers, and files left by killed processes. */
  async #sweep(): Promise<void> {
    for (const { record } of await this.#records.list()) {
      const isGone = (await this.#deps.findLayer(record.layerId)) === undefined
      if (isGone || this.#hasExpired(record)) await this.remove(record.id)
    }
    await this.#results.removeStrays((await this.#records.list()).map(({ record }) => record))
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
