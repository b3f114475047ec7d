import { join } from 'node:path'
import { conflict, explain, Failure } from '../../core/errors/errors.ts'
import { FormatError } from '../../formats/worker.ts'
import type { PreviewPlan } from './plan-preview.ts'
import type { PreviewWorkers } from './preview-workers.ts'
import type { Counted, RowsFile, ScanNotice } from './scan-rows.ts'

interface PreviewScanDeps {
  workers: Pick<PreviewWorkers, 'scan'>
  /** Folder of the files; their names begin with `name`. */
  folder: string
  name: string
  maxBytes: number
  /** Removes a file of rows and everything derived from it. */
  remove(path: string): Promise<void>
}

/** One preview of all rows of a task, shared by all its clients. */
export class PreviewScan {
  readonly planned: PreviewPlan
  readonly begunMs = performance.now()
  /** Time of the last request. */
  usedMs = performance.now()
  counted: Counted | undefined
  file: RowsFile | undefined
  /** Error that ended it early. */
  error: unknown
  readonly #deps: PreviewScanDeps
  readonly #abort = new AbortController()
  readonly #done: Promise<void>
  readonly #firstCounted = Promise.withResolvers<void>()
  readonly #firstFile = Promise.withResolvers<void>()
  #isDone = false

  constructor(planned: PreviewPlan, deps: PreviewScanDeps) {
    this.planned = planned
    this.#deps = deps
    this.#done = this.#run()
  }

  get isDone(): boolean {
    return this.#isDone
  }

  /** Resolves with the first statistics, or with all of them. Throws the error if there are none. */
  async waitCounted(isWhole: boolean): Promise<void> {
    await (isWhole ? this.#done : this.#firstCounted.promise)
    this.#throwError()
  }

  /** Resolves with the first file, or when it is known that there is none. */
  async waitFile(): Promise<void> {
    await this.#firstFile.promise
    this.#throwError()
  }

  /** Stops it and removes its files. */
  async drop(): Promise<void> {
    this.#abort.abort(dropped())
    await this.#done
    for (const path of Object.values(this.#paths())) await this.#deps.remove(path)
    this.file = undefined
  }

  async #run(): Promise<void> {
    const { workers, maxBytes } = this.#deps
    const { plan } = this.planned
    try {
      this.counted = await workers.scan(
        { plan, paths: this.#paths(), maxBytes },
        { signal: this.#abort.signal, onNotice: (notice) => this.#take(notice) },
      )
    } catch (error) {
      this.error = asFailure(error)
    } finally {
      this.#isDone = true
      this.#firstCounted.resolve()
      this.#firstFile.resolve()
    }
  }

  #take(notice: ScanNotice): void {
    if ('counted' in notice) {
      // The second pass counts from zero: the earlier counts are shown until it has passed them.
      if (notice.counted.isWhole || notice.counted.rows >= (this.counted?.rows ?? 0))
        this.counted = notice.counted
      this.#firstCounted.resolve()
      return
    }
    this.file = notice.file
    this.#firstFile.resolve()
  }

  #throwError(): void {
    if (this.error !== undefined) throw this.error
  }

  #paths(): { first: string; whole: string } {
    const { folder, name } = this.#deps
    return { first: join(folder, `${name}-first.gpkg`), whole: join(folder, `${name}.gpkg`) }
  }
}

/** The error for clients that still wait. They can request again, but may get other rows. */
function dropped(): Failure {
  const text = 'The task or its preview options changed before the rows were read: repeat the request'
  return new Failure('unavailable', 'preview-not-ready', text, { retryAfterSeconds: 1 })
}

/** Reports an error in the data to the client, with the text that a run would report. */
export function asFailure(error: unknown): unknown {
  return error instanceof FormatError ? conflict('unreadable-data', explain(error), { cause: error }) : error
}
