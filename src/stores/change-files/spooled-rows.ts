import { hash } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { deserialize, serialize } from 'node:v8'
import type { FeatureBatch } from '../../geo/batch.ts'
import { columnValue, isValid } from '../../geo/column.ts'
import type { Attribute } from '../../geo/schema.ts'
import { walkCoordinates } from '../../geo/wkb.ts'
import type { ChangedRow } from '../changes.ts'
import type { FeaturePage } from '../store.ts'
import { valueToJson } from './change-json.ts'

/**
 * Method of matching rows of two states: by ids, by columns, or, without either, as whole rows. Values of the
 * `identity` column, which another export of the same data may have reassigned, are not compared unless it is
 * a key.
 */
export type RowMatch = ({ by: 'ids' } | { by: 'keys'; keys: readonly string[] }) & { identity?: string }

/** The compared columns, by their reported names. */
export interface SpoolPlan {
  table: 'before' | 'after'
  columns: readonly Attribute[]
  match: RowMatch
}

/** Creates the table of one state; `match` is null if a key value of the row is missing. */
export function createSpool(db: DatabaseSync, table: SpoolPlan['table']): void {
  db.exec(
    `CREATE TABLE ${table} (n INTEGER PRIMARY KEY, id TEXT, match BLOB, hash BLOB NOT NULL, row BLOB NOT NULL, geometry BLOB)`,
  )
}

/** Writes the rows of a page. */
export function spoolPage(db: DatabaseSync, plan: SpoolPlan, { batch, ids }: FeaturePage): void {
  const insert = db.prepare(
    `INSERT INTO ${plan.table} (id, match, hash, row, geometry) VALUES (?, ?, ?, ?, ?)`,
  )
  db.exec('BEGIN')
  for (let row = 0; row < batch.rowCount; row += 1) insertRow(insert, plan, batch, row, ids[row] ?? '')
  db.exec('COMMIT')
}

function insertRow(
  insert: StatementSync,
  { columns, match }: SpoolPlan,
  batch: FeatureBatch,
  row: number,
  id: string,
): void {
  const values: Record<string, unknown> = {}
  const parts: Part[] = []
  for (const attribute of columns) {
    const index = batch.schema.attributes.findIndex(({ name }) => name === attribute.name)
    const [own, column] = [batch.schema.attributes[index], batch.columns[index]]
    const value = own === undefined || column === undefined ? null : columnValue(column, row)
    parts.push(partOf(value, own))
    values[attribute.name] = own === undefined || own.type === attribute.type ? value : asText(value, own)
  }
  const geometry = geometryOf(batch, row)
  const keys =
    match.by === 'ids'
      ? [partOf(id, undefined)]
      : match.keys.map((key) => parts[columns.findIndex(({ name }) => name === key)] ?? none)
  const isWhole = keys.length > 0 && keys.every((key) => key !== none)
  const compared = parts.filter((_, at) => isCompared(match, columns[at]))
  const digest = digestOf([...compared, geometry === undefined ? none : ['g', canonical(geometry)]])
  insert.run(id, isWhole ? digestOf(keys) : null, digest, serialize(values), geometry ?? null)
}

function isCompared(match: RowMatch, column: Attribute | undefined): boolean {
  return column?.name !== match.identity || (match.by === 'keys' && match.keys.includes(column?.name ?? ''))
}

/** A row as it was spooled. */
export function spooledRow(row: unknown, geometry: unknown): ChangedRow {
  const values = deserialize(row as Uint8Array) as Record<string, unknown>
  return geometry instanceof Uint8Array ? { values, geometry } : { values }
}

type Part = readonly [tag: string, bytes: Uint8Array]

const none: Part = ['0', new Uint8Array()]
const times: readonly string[] = ['date', 'time', 'timestamp']

/** Returns the same bytes for equal values of different types: an integer is equal in a wider column. */
function partOf(value: ReturnType<typeof columnValue>, own: Attribute | undefined): Part {
  if (value === null) return none
  if (value instanceof Uint8Array) return ['b', value]
  const type = own?.type ?? 'text'
  const tag = typeof value === 'boolean' ? 'l' : times.includes(type) ? type : numberTag(value, type)
  return [tag, Buffer.from(value === 0 ? '0' : String(value))]
}

function numberTag(value: unknown, type: string): string {
  return typeof value === 'string' && type !== 'decimal' ? 't' : 'n'
}

function digestOf(parts: readonly Part[]): Uint8Array {
  const pieces = parts.flatMap(([tag, bytes]) => [Buffer.from(`${tag}${bytes.length}:`), bytes])
  return hash('sha1', Buffer.concat(pieces), 'buffer')
}

/** Returns a value as text, for a column that has another type later. */
function asText(value: unknown, own: Attribute): unknown {
  if (value === null || typeof value === 'boolean') return value
  const json = valueToJson(value, own)
  return json.startsWith('"') ? (JSON.parse(json) as string) : json
}

function geometryOf({ geometry }: FeatureBatch, row: number): Uint8Array | undefined {
  if (geometry === undefined || !isValid(geometry.validity, row)) return undefined
  return geometry.bytes.slice(geometry.offsets[row], geometry.offsets[row + 1])
}

/** Normalizes −0 to 0, and all NaN values to one. */
function canonical(wkb: Uint8Array): Uint8Array {
  const copy = wkb.slice()
  const view = new DataView(copy.buffer, copy.byteOffset, copy.byteLength)
  walkCoordinates(view, 0, (offset, count, dimensions) => {
    for (let at = offset; at < offset + count * dimensions * 8; at += 8) {
      const value = view.getFloat64(at, true)
      if (value === 0) view.setFloat64(at, 0, true)
      else if (Number.isNaN(value)) view.setFloat64(at, Number.NaN, true)
    }
  })
  return copy
}
