import type { Message } from '../../formats/format.ts'
import type { RejectedRow } from '../../geo/batch.ts'
import type { AttributeType, Schema } from '../../geo/schema.ts'
import type { SparedRows, UpsertRules } from '../../stores/changes.ts'
import type { RejectSource } from './reject-reasons.ts'

/** Of more rejected rows the keys are not kept. */
const mostKeys = 1_000

/** Of other types a text may be written in several ways. */
const plainTypes: readonly AttributeType[] = ['int16', 'int32', 'int64', 'float32', 'float64', 'text']

/**
 * The keys of rows that came and were rejected: an `UPSERT` that deletes what does not come leaves their rows alone. A row
 * whose key is null has none.
 */
export class SparedKeys {
  readonly #keys: readonly string[]
  readonly #found: Map<string, string[]>
  /** Those of rows that were rejected for something else than a key that another row has. */
  readonly #told: Set<string>
  #hasUnknown: boolean
  /** The columns of the source that give the keys; undefined of one that is not plain to see. */
  #columns: (string | undefined)[]

  constructor({ keys }: UpsertRules, before: SparedRows = { keys: [], hasUnknown: false }) {
    this.#keys = keys
    this.#columns = keys.map(() => undefined)
    this.#found = new Map(before.keys.map((key) => [JSON.stringify(key), [...key]]))
    this.#told = new Set(this.#found.keys())
    this.#hasUnknown = before.hasUnknown
  }

  /** Called before the first row is rejected, with what comes out of the chain. */
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
    // What a reader rejects it has read as far as it could: a null may stand for what it could not read.
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
    if (!isOfKey) this.#told.add(text)
    if (this.#found.size > mostKeys) this.#hasUnknown = true
  }

  /** What a person has to know of it. */
  get message(): Message | undefined {
    const count = this.#told.size
    if (!this.#hasUnknown && count === 0) return undefined
    const why = this.#found.size > mostKeys ? `More than ${mostKeys} rows` : 'Rows whose key cannot be told'
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

/** As stores make names of columns. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '_')
}
