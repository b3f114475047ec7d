import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { open, rename } from 'node:fs/promises'
import { invalid } from '../../core/errors/errors.ts'
import { serviceFailure } from './service-client.ts'

const mostIds = 5_000_000

/** Detects features that a service sends twice. */
export class SeenIds {
  readonly #ids = new Set<string>()

  add(id: string): void {
    if (this.#ids.has(id))
      throw invalid(
        'duplicate-features',
        `The service sends feature "${id}" twice: it changed while it was read, or its pages overlap`,
      )
    if (this.#ids.size < mostIds) this.#ids.add(id)
  }
}

/** Writes texts to a file that gets its final name when complete. */
export class FeatureFile {
  readonly #path: string
  readonly #file: FileHandle
  readonly #hash = createHash('sha256')
  rows = 0

  private constructor(path: string, file: FileHandle) {
    this.#path = path
    this.#file = file
  }

  static async create(path: string): Promise<FeatureFile> {
    return new FeatureFile(path, await open(`${path}.part`, 'w', 0o600))
  }

  /** Writes a text that is not part of the digest. */
  async frame(text: string): Promise<void> {
    await this.#file.write(text)
  }

  /** Writes features. */
  async add(text: string, rows: number): Promise<void> {
    this.#hash.update(text)
    this.rows += rows
    await this.#file.write(text)
  }

  /** Adds a text to the digest that is not in the file. */
  note(text: string): void {
    this.#hash.update(text)
  }

  async finish(): Promise<{ path: string; digest: string; rows: number }> {
    await this.#file.close()
    await rename(`${this.#path}.part`, this.#path)
    return { path: this.#path, digest: this.#hash.digest('hex'), rows: this.rows }
  }

  close(): Promise<void> {
    return this.#file.close().catch(() => undefined)
  }
}

/** Compares the number of features read with the number that the service states. */
export function checkCount(read: number, stated: number | undefined): void {
  if (stated === undefined || stated === read) return
  throw invalid(
    'wrong-count',
    `The service states ${stated} features and sends ${read}: it changed while it was read, or its pages are incomplete`,
  )
}

export type Json = Record<string, unknown>

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Integer that a JavaScript number may not represent exactly. */
const longInteger = /[:[,\s]-?\d{16,}\s*[,\]}]/

/** Preserves the digits of such an integer for `JSON.stringify`. */
function keepLongInteger(_key: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  const isLong = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
  return isLong ? rawJson(source) : value
}

/** Creates a value that `JSON.stringify` writes unchanged (ECMA-262, JSON.parse source text access). */
function rawJson(text: string): unknown {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }
  return rawJSON(text)
}

/** Returns the text of an attribute value. */
export function textOfValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/**
 * Parses a JSON object, with all digits of long integers. Throws `Failure` for a truncated or invalid
 * response.
 */
export function parseJson(text: string, url: string): Json {
  try {
    const value: unknown = longInteger.test(text) ? JSON.parse(text, keepLongInteger) : JSON.parse(text)
    if (isJson(value)) return value
  } catch {
    // Throws the same failure as for other JSON values, below.
  }
  const shown = JSON.stringify(text.slice(0, 80))
  throw serviceFailure(`The service answers no complete JSON object (it begins ${shown}): ${url}`)
}

/** Detects that a service changes the attributes of its features between two pages. */
export class SchemaWatch {
  #names: string | undefined

  /** `rows` are the attributes of the features of one page. Features with different attributes are ignored. */
  check(rows: readonly Json[]): void {
    const sets = new Set(rows.map((row) => Object.keys(row).sort().join('\n')))
    const [names] = sets
    if (sets.size !== 1 || names === undefined) return
    if (this.#names !== undefined && this.#names !== names)
      throw invalid('schema-changed', 'The attributes of the service changed while it was read')
    this.#names = names
  }
}
