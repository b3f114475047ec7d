import type { BigIntStats } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { explain } from '../../../lib/errors.ts'
import type { LogFile, LogStart } from './log-file.ts'
import { comparedBytes, readStart } from './log-file.ts'

const maxFiles = 1000
/** `.1`, `-20251010`, `.2025-10-10_12`, with what a compressing program puts behind. */
const rotation = String.raw`[.\-_]\d[\d.\-_T]*`

/**
 * Finds a log and its parts that were rotated away: those beside it whose name has a number or date more, as is or
 * compressed by gzip. Remembers how each begins.
 */
export class LogFiles {
  readonly #path: string
  #starts = new Map<string, LogStart>()
  /** Files of the last listing that could not be looked at, with the reason. */
  unreadable: string[] = []

  constructor(path: string) {
    this.#path = path
  }

  /** The parts from the oldest to the one that is being written, where there is one. `others` are looked at too. */
  async list(others: readonly string[]): Promise<LogFile[]> {
    const current = await realpath(this.#path).catch(absent)
    const names = new Set([...(await this.#rotated()), ...others])
    if (current !== undefined) names.delete(current)
    const starts = new Map<string, LogStart>()
    const files: LogFile[] = []
    this.unreadable = []
    for (const path of names) {
      try {
        files.push(await this.#examine(path, false, starts))
      } catch (error) {
        if (!isAbsent(error)) this.unreadable.push(explain(error))
      }
    }
    files.sort((a, b) => timeOf(a) - timeOf(b) || a.changed - b.changed || ageOf(b.path) - ageOf(a.path))
    if (current !== undefined) files.push(await this.#examine(current, true, starts).catch(explainDenied))
    this.#starts = starts
    return withoutCopies(files)
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
    return kept.slice(0, maxFiles).map((entry) => join(folder, entry))
  }

  async #examine(path: string, isCurrent: boolean, starts: Map<string, LogStart>): Promise<LogFile> {
    const isCompressed = path.endsWith('.gz')
    const before = await stat(path, { bigint: true })
    if (!before.isFile())
      throw new Error(`${path} is ${kindOf(before)}: name a log that is written to a file`)
    const known = this.#starts.get(keyOf(before))
    const { start, stats } =
      known === undefined ? await readStart(path, isCompressed) : { start: known, stats: before }
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

/** One name of each file, and no copy of a later one, which a program makes before it empties a log. */
function withoutCopies(files: LogFile[]): LogFile[] {
  const last = new Map<string, LogFile>()
  for (const file of files) for (const key of sameness(file)) last.set(key, file)
  return files.filter((file) => sameness(file).every((key) => last.get(key) === file))
}

function sameness({ device, inode, start }: LogFile): string[] {
  const isTelling = start.bytes.length === comparedBytes && start.time !== undefined
  return [`${device} ${inode}`, ...(isTelling ? [start.bytes.toString('latin1')] : [])]
}

function timeOf({ start, changed }: LogFile): number {
  return start.time ?? changed
}

/** Orders files by their names: of numbers the highest is the oldest, of dates the lowest. */
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
  return stats.isDirectory() ? 'a folder' : 'no file'
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}

function explainDenied(error: unknown): never {
  if (!(error instanceof Error && 'code' in error && error.code === 'EACCES')) throw error
  const message = `${error.message}: give the user that runs Terrane the right to read the log and to enter its folder`
  throw new Error(message)
}

function absent(error: unknown): undefined {
  if (!isAbsent(error)) throw error
}
