import { defined } from '../../values/defined.ts'
import type { FileRecords } from './file-records.ts'
import type { GeneratedFile } from './generated-file.ts'

/** The record of a file that this process creates. */
export class OwnRecord<Made extends GeneratedFile> {
  record: Made
  readonly #records: Pick<FileRecords<Made>, 'find' | 'save'>
  readonly #gone = new AbortController()
  #saved: Promise<void> = Promise.resolve()

  constructor(records: Pick<FileRecords<Made>, 'find' | 'save'>, record: Made) {
    this.#records = records
    this.record = record
  }

  /** Aborts when the record is removed. */
  get gone(): AbortSignal {
    return this.#gone.signal
  }

  change(values: Partial<Made>): void {
    this.record = { ...this.record, ...defined(values) }
  }

  /** Saves run in sequence: the last one wins. */
  save(): Promise<void> {
    this.#saved = this.#saved.catch(() => undefined).then(() => this.#saveNow())
    return this.#saved
  }

  async #saveNow(): Promise<void> {
    if (this.#gone.signal.aborted) return
    if ((await this.#records.find(this.record.id)) === undefined) {
      this.#gone.abort(new Error('The file was cancelled'))
      return
    }
    await this.#records.save({ ...this.record, seenMs: Date.now() })
  }
}
