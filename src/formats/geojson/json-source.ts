import { ByteReader } from '../../core/files/byte-reader.ts'
import { FormatError } from '../format.ts'
import { JsonScanner, JsonSyntaxError, outOfJsonBytes } from './json-scanner.ts'

/** Maximum size of a feature, in bytes. */
const longestFeature = 64 << 20

/**
 * A JSON file with a scanner: reads more when the scanner runs out of bytes, and adds the location to errors.
 */
export class JsonSource {
  readonly scanner = new JsonScanner()
  /** Number of features started so far, for messages. */
  row = 0
  /** True if the feature with this number is started but not ended. */
  isRowOpen = false
  readonly #reader: ByteReader
  readonly #path: string
  readonly #signal: AbortSignal

  private constructor(reader: ByteReader, path: string, signal: AbortSignal) {
    this.#reader = reader
    this.#path = path
    this.#signal = signal
  }

  static async open(path: string, signal: AbortSignal): Promise<JsonSource> {
    return new JsonSource(await ByteReader.open(path, { limitBytes: longestFeature }), path, signal)
  }

  async close(): Promise<void> {
    await this.#reader.close()
  }

  get isAtEnd(): boolean {
    return this.#reader.isAtEnd
  }

  /** Starts again at the first byte. */
  rewind(): void {
    this.#reader.rewind()
    this.scanner.at = 0
    this.scanner.end = 0
  }

  /**
   * Reads more, preserving the bytes from `mark` on; the scanner is then at `mark`. False at the end of the
   * file.
   */
  async more(mark: number): Promise<boolean> {
    this.#signal.throwIfAborted()
    if (this.#reader.isOverLimit(mark)) {
      const limit = `${longestFeature / (1 << 20)} MiB`
      throw new FormatError(`${this.#where(mark)}: a single feature is longer than ${limit}`, {
        code: 'too-large',
      })
    }
    const grew = await this.#reader.more(mark)
    this.scanner.bytes = this.#reader.bytes
    this.scanner.end = this.#reader.end
    this.scanner.at = 0
    return grew
  }

  /** Reads more where the file must continue. */
  async need(mark: number): Promise<void> {
    if (await this.more(mark)) return
    throw new FormatError(`${this.#where(this.scanner.end)}: the file ends too early, it is truncated`, {
      code: 'truncated',
    })
  }

  /** Runs `parse` from the position of the scanner, and repeats it with more bytes whenever it runs out. */
  async step<T>(parse: () => T): Promise<T> {
    for (;;) {
      const mark = this.scanner.at
      try {
        return parse()
      } catch (error) {
        if (error !== outOfJsonBytes) throw this.located(error)
      }
      await this.need(mark)
    }
  }

  /** Returns the next byte after white space; 0 at the end of the file. */
  async peek(): Promise<number> {
    for (;;) {
      const byte = this.scanner.space()
      if (this.scanner.at < this.scanner.end || !(await this.more(this.scanner.at))) return byte
    }
  }

  /** Returns a syntax error that names the byte offset in the file and the feature. */
  located(error: unknown): unknown {
    if (!(error instanceof JsonSyntaxError)) return error
    return new FormatError(`${this.#where(error.at)}: ${error.message}`, { code: 'bad-json', cause: error })
  }

  fail(message: string): never {
    throw new FormatError(`${this.#where(this.scanner.at)}: ${message}`, { code: 'bad-json' })
  }

  #where(at: number): string {
    const feature = this.row === 0 ? '' : `, feature ${this.row}`
    return `${this.#path.slice(this.#path.lastIndexOf('/') + 1)} is not readable at byte ${this.#reader.offset + at}${feature}`
  }
}
