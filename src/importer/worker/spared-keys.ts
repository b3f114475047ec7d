import type { FormatMessage } from '../../formats/worker.ts'
import type { RejectedRow } from '../../geo/batch.ts'
import type { AttributeType, Schema } from '../../geo/schema.ts'
import type { SparedRows, UpsertRules } from '../../stores/index.ts'
import type { RejectSource } from './reject-reasons.ts'

/** Maximum number of rejected rows whose keys are stored. */
const maxKeys = 1_000

/** Types whose text form is unique; values of other types can be written in several ways. */
const plainTypes: readonly AttributeType[] = ['int16', 'int32', 'int64', 'float32', 'float64', 'text']

/**
 * Keys of rejected rows: an `UPSERT` that deletes missing rows does not delete theirs. A row with a null key
 * has none.
 */
export class SparedKeys {
  readonly #keys: readonly string[]
  readonly #found: Map<string, string[]>
  /** Keys of rows that were rejected for other reasons than a duplicate key. */
  readonly #reported: Set<string>
  #hasUnknown: boolean
  /** Source columns of the keys; undefined for a key without a direct source column. */
  #columns: (string | undefined)[]

  constructor({ keys }: UpsertRules, before: SparedRows = { keys: [], hasUnknown: false }) {
    this.#keys = keys
    this.#columns = keys.map(() => undefined)
    this.#found = new Map(before.keys.map((key) => [JSON.stringify(key), [...key]]))
    this.#reported = new Set(this.#found.keys())
    this.#hasUnknown = before.hasUnknown
  }

  /** Called before the first row is rejected, with the schema after the chain. */
  readFrom({ attributes }: Schema): void {
    this.#columns = this.#keys.map((key) => {
      const exact = attributes.filter(({ name }) => name === key)
      const alike = exact.length > 0 ? exact : attributes.filter(({ name }) => plain(name) === plain(key))
      const [found] = alike
      if (found === undefined || alike.length > 1 || !plainTypes.includes(found.type)) return undefined
      return found.source ?? found.name
    })
  }

  add({ field, properties }: RejectedRow, code: RejectSource): void {
    if (this.#hasUnknown) return
    const values = this.#columns.map((column) =>
      column === undefined || properties === undefined || !Object.hasOwn(properties, column)
        ? undefined
        : properties[column],
    )
    // A row rejected by a reader was read only in part: a null may be a value that could not be read.
    const isUnknown = (value: unknown): boolean =>
      value === undefined || (value === null && code === 'row-not-read')
    if (values.some(isUnknown)) this.#hasUnknown = true
    else if (!values.some((value) => value === null || value === '')) {
      const isOfKey = code === 'row-not-stored' && field !== undefined && this.#keys.includes(field)
      this.#keep(values.map(String), isOfKey)
    }
  }

  #keep(key: string[], isOfKey: boolean): void {
    const text = JSON.stringify(key)
    this.#found.set(text, key)
    if (!isOfKey) this.#reported.add(text)
    if (this.#found.size > maxKeys) this.#hasUnknown = true
  }

  /** Message for the user about the retained rows. */
  get message(): FormatMessage | undefined {
    const count = this.#reported.size
    if (!this.#hasUnknown && count === 0) return undefined
    const why = this.#found.size > maxKeys ? `More than ${maxKeys} rows` : 'Rows whose key cannot be told'
    const message = this.#hasUnknown
      ? `${why} were rejected: nobody knows which rows of the layer do not come, and none is deleted`
      : `Rows were rejected with ${count} ${count === 1 ? 'key' : 'different keys'}: what the layer has under ${count === 1 ? 'it' : 'them'} is not deleted`
    return { level: 'warning', code: 'missing-spared', message }
  }

  get spared(): SparedRows {
    return this.#hasUnknown
      ? { keys: [], hasUnknown: true }
      : { keys: [...this.#found.values()], hasUnknown: false }
  }
}

/** Normalizes a name like stores do for columns. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '_')
}
