import { createHash } from 'node:crypto'
import { conflict } from '../errors/errors.ts'

/** Options for appending a number to a name. */
export interface FreeNameOptions {
  /** Separator between name and number; default: none. */
  separator?: string
  /** The first number; default 0. */
  first?: number
  /**
   * Appends a suffix to a name within the length limit of the target: cuts the name before the suffix if
   * necessary. Default: concatenation.
   */
  fit?(name: string, suffix: string): string
  signal?: AbortSignal | undefined
}

/** Maximum number of attempts; more equal names are an error of the caller. */
const maxTries = 100_000

function* candidates(name: string, options: FreeNameOptions): Generator<string> {
  const { separator = '', first = 0, fit = (stem, suffix) => stem + suffix } = options
  yield fit(name, '')
  for (let number = first; number < first + maxTries; number += 1) yield fit(name, `${separator}${number}`)
}

const noneFree = (name: string): Error =>
  conflict('no-free-name', `"${name}" is taken, and so are ${maxTries} names like it`)

/**
 * Returns `name`, or the first free combination of `name` and a number. Throws `Failure` (`conflict`) if none
 * is free.
 */
export function freeName(
  name: string,
  isTaken: (candidate: string) => boolean,
  options: FreeNameOptions = {},
): string {
  for (const candidate of candidates(name, options)) if (!isTaken(candidate)) return candidate
  throw noneFree(name)
}

/** Like `freeName`, for names that are checked asynchronously; throws the reason of the signal if it aborts. */
export async function findFreeName(
  name: string,
  isTaken: (candidate: string) => Promise<boolean>,
  options: FreeNameOptions = {},
): Promise<string> {
  for (const candidate of candidates(name, options)) {
    options.signal?.throwIfAborted()
    if (!(await isTaken(candidate))) return candidate
  }
  throw noneFree(name)
}

/** Options for comparing names, and the names already in use. */
export interface DistinctNamesOptions extends Pick<FreeNameOptions, 'separator' | 'first' | 'fit'> {
  /** Names that are already in use, folded by `fold`. */
  taken?: Iterable<string>
  /** Names with equal folded values count as equal; default: the name itself. */
  fold?(name: string): string
}

/** Generates distinct names; repeating a name has constant cost. */
export class DistinctNames {
  readonly #options: DistinctNamesOptions
  readonly #taken: Set<string>
  /** Next number to try, by folded name. */
  readonly #next = new Map<string, number>()

  constructor(options: DistinctNamesOptions = {}) {
    this.#options = options
    this.#taken = new Set(options.taken)
  }

  take(requested: string): string {
    const { fold = (name) => name, fit = (name) => name, first = 0 } = this.#options
    const stem = fold(fit(requested, ''))
    const name = freeName(requested, (candidate) => this.#taken.has(fold(candidate)), {
      ...this.#options,
      first: this.#next.get(stem) ?? first,
    })
    if (fold(name) !== stem) this.#next.set(stem, (this.#next.get(stem) ?? first) + 1)
    this.#taken.add(fold(name))
    return name
  }
}

/** Truncates a text to at most `bytes` bytes of UTF-8, between two characters. */
export function cutToBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text
  let used = 0
  let kept = ''
  for (const character of text) {
    used += Buffer.byteLength(character)
    if (used > bytes) break
    kept += character
  }
  return kept
}

/** Maximum length: file systems permit 255 bytes, and loads and SQLite append up to 60 bytes to a name. */
const maxFileNameBytes = 150

/**
 * Returns a file or folder name without extension: a long name is cut and stays distinct from other cut
 * names.
 */
export function toFileName(name: string): string {
  if (Buffer.byteLength(name) <= maxFileNameBytes) return name
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 12)
  return `${cutToBytes(name, maxFileNameBytes - 13)}-${digest}`
}
