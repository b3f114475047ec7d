import { basename } from 'node:path'
import { ByteReader } from '../../core/files/byte-reader.ts'
import { FormatError } from '../format.ts'
import { transcoderOf } from '../text/charset.ts'
import { outOfXmlBytes, XmlSyntaxError } from './xml-error.ts'
import { XmlScanner } from './xml-scanner.ts'

/** Maximum size of a record or text, in bytes. */
const longest = 64 << 20

/**
 * An XML file with a scanner: reads more when the scanner runs out of bytes, and adds the location to errors.
 */
export class XmlSource {
  readonly scanner = new XmlScanner()
  /** Describes the current position for messages: `placemark 3`; empty if there is none. */
  place: () => string = () => ''
  readonly #reader: ByteReader
  readonly #name: string
  readonly #signal: AbortSignal

  private constructor(reader: ByteReader, name: string, signal: AbortSignal) {
    this.#reader = reader
    this.#name = name
    this.#signal = signal
  }

  /** Opens a file of this text encoding; the caller must close it. */
  static async open(path: string, charset: string, signal: AbortSignal): Promise<XmlSource> {
    const transcode = transcoderOf(charset)
    const options = transcode === undefined ? { limitBytes: longest } : { limitBytes: longest, transcode }
    return new XmlSource(await ByteReader.open(path, options), basename(path), signal)
  }

  async close(): Promise<void> {
    await this.#reader.close()
  }

  /**
   * Reads more where the file must continue, preserving the bytes from `mark` on; the scanner is then there.
   */
  async need(mark: number): Promise<void> {
    if (await this.#more(mark)) return
    const { end } = this.scanner
    throw new FormatError(`${this.#where(end)}: the file ends too early, it is truncated`, {
      code: 'truncated',
    })
  }

  /** Opens the root element. */
  async root(): Promise<void> {
    await this.need(0)
    const { scanner } = this
    const { bytes } = scanner
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) scanner.at = 3
    for (;;) {
      try {
        scanner.root()
        return
      } catch (error) {
        if (error !== outOfXmlBytes) throw this.located(error)
      }
      await this.need(scanner.at)
    }
  }

  /** Throws if anything follows the root element. */
  async finish(): Promise<void> {
    const { scanner } = this
    for (;;) {
      try {
        if (scanner.passMisc() !== 0) scanner.fail('There is text after the end of the root element')
        if (scanner.at < scanner.end) scanner.fail('A NUL character stands in the file')
        if (!(await this.#more(scanner.at))) return
      } catch (error) {
        if (error !== outOfXmlBytes) throw this.located(error)
        await this.need(scanner.at)
      }
    }
  }

  /** Returns a syntax error that names the byte offset in the file. */
  located(error: unknown): unknown {
    if (!(error instanceof XmlSyntaxError)) return error
    return new FormatError(`${this.#where(error.at)}: ${error.message}`, { code: error.code, cause: error })
  }

  async #more(mark: number): Promise<boolean> {
    this.#signal.throwIfAborted()
    if (this.#reader.isOverLimit(mark)) {
      const message = `${this.#where(mark)}: what begins here is longer than ${longest / (1 << 20)} MiB`
      throw new FormatError(message, { code: 'too-large' })
    }
    const grew = await this.#reader.more(mark)
    this.scanner.bytes = this.#reader.bytes
    this.scanner.end = this.#reader.end
    this.scanner.at = 0
    return grew
  }

  #where(at: number): string {
    const position = this.place()
    const where = `${this.#name} is not readable at byte ${this.#reader.offset + at}`
    return position === '' ? where : `${where}, ${position}`
  }
}
