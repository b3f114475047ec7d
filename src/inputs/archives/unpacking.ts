import { writeFileSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import type { Failure } from '../../core/errors/errors.ts'
import { invalid } from '../../core/errors/errors.ts'
import { cleanEntryName, findNameFault, isSkippedEntry } from '../entry-name.ts'
import { refused } from './failures.ts'

/** Below this size the ratio is not checked: a short text of blanks compresses very well. */
const ratioFloorBytes = 1 << 20
/** Time after which unpacking yields to other work, in milliseconds. */
const turnMs = 5
/** Files up to this size are written with one call. */
const smallBytes = 64 << 10

export interface UnpackingOptions {
  limits: SourceLimits
  signal: AbortSignal
  /** Name of the archive, for messages. */
  name: string
  archiveBytes: number
  /** Already used amounts of the limits, by earlier archives. */
  before?: Unpacked
  /** Selects the entries to write; default: all. */
  isSelected?(name: string): boolean
}

export interface EntryFacts {
  isFolder: boolean
  /** Why it cannot be unpacked, independent of its name. */
  fault?: string | undefined
}

const takenCodes = new Set(['EEXIST', 'ENOTDIR', 'EISDIR'])

/**
 * Unpacks one archive into a folder. Every entry is checked before any byte of it is written, and every
 * expanded byte is counted, whatever the kind of archive.
 */
export class Unpacking {
  readonly name: string
  readonly signal: AbortSignal
  readonly archiveBytes: number
  readonly #folder: string
  readonly #limits: SourceLimits
  readonly #isSelected: (name: string) => boolean
  readonly #before: Unpacked
  readonly #names = new Set<string>()
  readonly #folders = new Set<string>()
  /** The folder that was written last. */
  #made: string | undefined
  #turnBegan = performance.now()
  #entryCount = 0
  #expandedBytes = 0

  constructor(folder: string, options: UnpackingOptions) {
    this.#folder = folder
    this.#limits = options.limits
    this.#isSelected = options.isSelected ?? (() => true)
    this.#before = options.before ?? { entries: 0, bytes: 0 }
    this.name = options.name
    this.signal = options.signal
    this.archiveBytes = options.archiveBytes
  }

  /** Amounts of the limits used by this archive and earlier ones. */
  get taken(): Unpacked {
    const { entries, bytes } = this.#before
    return { entries: entries + this.#entryCount, bytes: bytes + this.#expandedBytes }
  }

  /** Throws if there are more entries than allowed; `entries` is the count so far. */
  checkCount(entries: number): void {
    const { maxEntries } = this.#limits
    if (this.#before.entries + entries <= maxEntries) return
    const others = this.#before.entries > 0 ? ' and the archives before it hold' : ' holds'
    const text = `"${this.name}"${others} more than ${maxEntries} entries: TERRANE_MAX_ARCHIVE_ENTRIES sets the limit`
    throw invalid('too-many-entries', text)
  }

  /** Counts expanded bytes, declared or actual. */
  expand(bytes: number): void {
    this.#expandedBytes += bytes
    const { maxExpandedBytes, maxRatio } = this.#limits
    if (this.#before.bytes + this.#expandedBytes > maxExpandedBytes) {
      throw this.#tooLarge(`${maxExpandedBytes} bytes: TERRANE_MAX_EXPANDED sets the limit`)
    }
    if (this.#expandedBytes > Math.max(ratioFloorBytes, this.archiveBytes * maxRatio)) {
      throw this.#tooLarge(`${maxRatio} times its size: TERRANE_MAX_ARCHIVE_RATIO sets the limit`)
    }
  }

  #tooLarge(than: string): Failure {
    return invalid('archive-too-large', `"${this.name}" expands to more than ${than}`)
  }

  /** Yields to other work; call between entries, since small ones never wait. */
  async rest(): Promise<void> {
    if (performance.now() - this.#turnBegan < turnMs) return
    await nextTurn()
    this.#turnBegan = performance.now()
  }

  /**
   * Returns the file name for an entry; undefined for folders and unselected entries. Throws for a refused
   * entry.
   */
  admit(rawName: string, { isFolder, fault }: EntryFacts): string | undefined {
    this.signal.throwIfAborted()
    this.#entryCount += 1
    this.checkCount(this.#entryCount)
    const name = cleanEntryName(rawName)
    if (name === '' && isFolder) return undefined
    const reason = findNameFault(name) ?? fault
    if (reason !== undefined) throw refused(this.name, rawName, reason)
    if (isFolder || isSkippedEntry(name) || !this.#isSelected(name)) return undefined
    const key = name.normalize('NFC').toLowerCase()
    if (this.#names.has(key)) throw refused(this.name, name, 'another entry has its name')
    this.#names.add(key)
    this.#addFolders(name)
    return name
  }

  /** Writes an admitted entry; if `crc` is given, its content must have that checksum. */
  async write(name: string, content: AsyncIterable<Uint8Array>, crc?: number): Promise<void> {
    await this.rest()
    try {
      const path = join(this.#folder, name)
      await this.#makeFolder(dirname(path))
      const sum = await this.#writeFile(path, content)
      if (crc !== undefined && sum !== crc) throw refused(this.name, name, 'its content is damaged')
    } catch (error) {
      if (takenCodes.has(String((error as NodeJS.ErrnoException).code))) {
        throw refused(this.name, name, 'another entry has its name')
      }
      throw error
    }
  }

  /**
   * Writes a file and returns its checksum. Small files, the most frequent ones, are written with one call.
   */
  async #writeFile(path: string, content: AsyncIterable<Uint8Array>): Promise<number> {
    const pieces = content[Symbol.asyncIterator]()
    let file: FileHandle | undefined
    let held: Uint8Array = new Uint8Array(0)
    let sum = 0
    try {
      for (let step = await pieces.next(); step.done !== true; step = await pieces.next()) {
        this.signal.throwIfAborted()
        sum = crc32(step.value, sum)
        if (held.length > 0) {
          file ??= await open(path, 'wx', 0o600)
          await file.writeFile(held)
        }
        held = step.value
      }
      if (file === undefined && held.length <= smallBytes) {
        writeFileSync(path, held, { flag: 'wx', mode: 0o600 })
      } else {
        file ??= await open(path, 'wx', 0o600)
        await file.writeFile(held)
      }
    } finally {
      await file?.close()
      await pieces.return?.()
    }
    return sum
  }

  async #makeFolder(path: string): Promise<void> {
    if (this.#made === path) return
    await mkdir(path, { recursive: true })
    this.#made = path
  }

  /** Folders count as entries, since a long path creates many of them. */
  #addFolders(name: string): void {
    for (let at = dirname(name); at !== '.' && !this.#folders.has(at); at = dirname(at)) {
      this.#folders.add(at)
      this.#entryCount += 1
    }
    this.checkCount(this.#entryCount)
  }
}

/** Limits on the contents of a source; settings of the server. */
export interface SourceLimits {
  /** Maximum number of entries in a folder tree or an archive. */
  maxEntries: number
  /** Maximum expanded size of an archive, in bytes. */
  maxExpandedBytes: number
  /** Maximum expanded bytes per byte of an archive. */
  maxRatio: number
}

/** Amounts of the limits used by archives. */
export interface Unpacked {
  entries: number
  bytes: number
}

export interface ExtractOptions {
  /** Amounts used by earlier archives of the same import; the limits apply to their total. */
  before?: Unpacked
  limits: SourceLimits
  signal: AbortSignal
  /** Archive name for users, with its extension; default: the name of the file. */
  name?: string
}
