import type { BigIntStats } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { explain } from '../../../core/errors/errors.ts'
import { plainReason } from '../../../core/errors/plain-reason.ts'
import type { LogFile, LogStart } from './log-file.ts'
import { comparedBytes, readStart } from './log-file.ts'

const maxFiles = 1000
const maxRounds = 10
const betweenLooksMs = 25
/** Error codes of temporary failures, such as those of an overloaded system. */
const passingCodes = new Set([
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'EAGAIN',
  'EBUSY',
  'EINTR',
  'ESTALE',
  'ETIMEDOUT',
])
/**
 * Suffixes of rotated logs, such as `.1`, `-20251010` and `.2025-10-10_12`, with the extension of a
 * compression program.
 */
const rotation = String.raw`[.\-_]\d[\d.\-_T]*`

interface Paths {
  rotated: Set<string>
  current: string | undefined
}

/** State of each existing path. */
type Seen = Map<string, BigIntStats>

/**
 * Finds a log and its rotated parts: files in the same folder whose name has an additional number or date,
 * plain or compressed by gzip. Caches how each begins.
 */
export class LogFiles {
  readonly #path: string
  #starts = new Map<string, LogStart>()
  /** Files of the last listing that could not be read, with the reason. */
  unreadable: string[] = []

  constructor(path: string) {
    this.#path = path
  }

  /**
   * Lists the parts from the oldest to the one that is being written, if there is one, in one consistent
   * state: if the log is rotated during the listing, a part could otherwise be missing or listed twice. Also
   * examines `others`.
   */
  async list(others: readonly string[], signal: AbortSignal): Promise<LogFile[]> {
    for (let round = 1; round <= maxRounds; round += 1) {
      const paths = await this.#paths(others)
      const before: Seen = new Map()
      const files = await this.#examineAll(paths, before)
      const after = await seenAt(await this.#paths(others))
      // In the last round, changes of rotated parts are accepted: slow workers may write to them for any
      // time.
      if (isUnchanged(before, after, { current: paths.current, mayGrow: round === maxRounds }))
        return withoutCopies(files.map((file) => grown(file, after)))
      await sleep(betweenLooksMs, undefined, { signal })
    }
    throw new Error(`${this.#path} was rotated repeatedly while its parts were read`)
  }

  /** Discards the cached file beginnings. */
  forget(): void {
    this.#starts.clear()
  }

  async #paths(others: readonly string[]): Promise<Paths> {
    const current = await realpath(this.#path).catch(absent)
    const rotated = new Set([...(await this.#rotated()), ...others])
    if (current !== undefined) rotated.delete(current)
    return { rotated, current }
  }

  async #rotated(): Promise<string[]> {
    const folder = dirname(this.#path)
    const name = basename(this.#path)
    const ending = extname(name)
    const stem = ending === '' ? name : name.slice(0, -ending.length)
    const pattern = new RegExp(
      `^(?:${literal(name)}${rotation}|${literal(stem)}${rotation}${literal(ending)})(?:\\.gz)?$`,
    )
    const entries = await readdir(folder).catch(absent)
    const names = new Set(entries?.filter((entry) => pattern.test(entry)))
    const kept = [...names].filter((entry) => !entry.endsWith('.gz') || !names.has(entry.slice(0, -3)))
    const newestFirst = kept.sort((a, b) => ageOf(a) - ageOf(b))
    return newestFirst.slice(0, maxFiles).map((entry) => join(folder, entry))
  }

  async #examineAll({ rotated, current }: Paths, seen: Seen): Promise<LogFile[]> {
    const starts = new Map<string, LogStart>()
    const files: LogFile[] = []
    this.unreadable = []
    for (const path of rotated) {
      try {
        files.push(await this.#examine(path, { isCurrent: false, starts, seen }))
      } catch (error) {
        if (isPassing(error)) throw error
        if (!isAbsent(error)) this.unreadable.push(explain(error))
      }
    }
    files.sort((a, b) => timeOf(a) - timeOf(b) || a.changed - b.changed || ageOf(b.path) - ageOf(a.path))
    if (current !== undefined) {
      const examined = this.#examine(current, { isCurrent: true, starts, seen })
      const file = await examined.catch(absent).catch(explainDenied)
      if (file !== undefined) files.push(file)
    }
    this.#starts = starts
    return files
  }

  async #examine(
    path: string,
    { isCurrent, starts, seen }: { isCurrent: boolean; starts: Map<string, LogStart>; seen: Seen },
  ): Promise<LogFile> {
    const isCompressed = path.endsWith('.gz')
    const before = await stat(path, { bigint: true })
    seen.set(path, before)
    if (!before.isFile())
      throw new Error(`${path} is ${kindOf(before)}: name a log that is written to a file`)
    const known = this.#starts.get(keyOf(before))
    const { start, stats } =
      known === undefined ? await readStart(path, isCompressed) : { start: known, stats: before }
    seen.set(path, stats)
    starts.set(keyOf(stats), start)
    return {
      path,
      device: String(stats.dev),
      inode: String(stats.ino),
      sizeBytes: Number(stats.size),
      changed: Number(stats.mtimeNs) / 1e6,
      isCompressed,
      isCurrent,
      start,
    }
  }
}

async function seenAt({ rotated, current }: Paths): Promise<Seen> {
  const seen: Seen = new Map()
  for (const path of [...rotated, ...(current === undefined ? [] : [current])]) {
    const stats = await stat(path, { bigint: true }).catch(() => undefined)
    if (stats !== undefined) seen.set(path, stats)
  }
  return seen
}

/** True if the same files have the same names and none was modified; the current one is being written. */
function isUnchanged(
  before: Seen,
  after: Seen,
  { current, mayGrow }: { current: string | undefined; mayGrow: boolean },
): boolean {
  if (before.size !== after.size) return false
  return [...before].every(([path, one]) => {
    const other = after.get(path)
    if (other === undefined || other.dev !== one.dev || other.ino !== one.ino) return false
    return path === current || mayGrow ? other.size >= one.size : keyOf(other) === keyOf(one)
  })
}

/**
 * Returns the file with its size after the listing: all lines of a rotated part must be read before those of
 * the current file.
 */
function grown(file: LogFile, after: Seen): LogFile {
  const stats = after.get(file.path)
  return file.isCurrent || stats === undefined ? file : { ...file, sizeBytes: Number(stats.size) }
}

/**
 * Removes duplicates: other names of the same file, and copies of a later file, which rotation by copying
 * creates before it truncates a log.
 */
function withoutCopies(files: LogFile[]): LogFile[] {
  const last = new Map<string, LogFile>()
  for (const file of files) for (const key of sameness(file)) last.set(key, file)
  const current = files.find(({ isCurrent }) => isCurrent)
  return files.filter(
    (file) => sameness(file).every((key) => last.get(key) === file) && !isShortCopy(file, current),
  )
}

/**
 * True if the file contains only the beginning of the current one: a copy of a short log, or an unfinished
 * copy.
 */
function isShortCopy({ isCurrent, sizeBytes, start: { bytes } }: LogFile, current?: LogFile): boolean {
  if (isCurrent || current?.start.time === undefined || sizeBytes === 0) return false
  return bytes.length < comparedBytes && current.start.bytes.subarray(0, bytes.length).equals(bytes)
}

function sameness({ device, inode, start }: LogFile): string[] {
  const isTelling = start.bytes.length === comparedBytes && start.time !== undefined
  return [`${device} ${inode}`, ...(isTelling ? [start.bytes.toString('latin1')] : [])]
}

function timeOf({ start, changed }: LogFile): number {
  return start.time ?? changed
}

/**
 * Returns the age of a file by its name, for sorting: the highest number is the oldest file, and so is the
 * earliest date.
 */
function ageOf(path: string): number {
  const digits =
    /^[^\d]*([\d.\-_T]+)/.exec(basename(path).slice(basename(path).search(/[.\-_]\d/)))?.[1] ?? ''
  const number = Number(digits.replace(/\D/g, '').slice(0, 15))
  return digits.length < 6 ? number : -number
}

function literal(text: string): string {
  return text.replace(/[^\w]/g, String.raw`\$&`)
}

function keyOf({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs}`
}

function kindOf(stats: { isDirectory(): boolean }): string {
  return stats.isDirectory() ? 'a folder' : 'not a file'
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}

/** True if a file that cannot be read now may be readable at the next poll. */
export function isPassing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && passingCodes.has(String(error.code))
}

function explainDenied(error: unknown): never {
  if (!(error instanceof Error && 'code' in error && error.code === 'EACCES')) throw error
  const message = `${plainReason(error) ?? error.message}: give the user that runs Terrane the right to read the log and to enter its folder`
  throw new Error(message)
}

function absent(error: unknown): undefined {
  if (!isAbsent(error)) throw error
}
