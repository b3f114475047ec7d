import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { deserialize, serialize } from 'node:v8'
import type { Envelope } from '../../geo/envelope.ts'
import { unionEnvelope } from '../../geo/envelope.ts'
import type { Schema } from '../../geo/schema.ts'
import type { TableDescription } from '../store.ts'

export type StoredValue = string | number | bigint | boolean | Uint8Array | null

export interface StoredRow {
  /** WKB and what it covers; an empty geometry covers nothing. */
  geometry?: Uint8Array
  envelope?: Envelope
  values: StoredValue[]
}

export interface StoredTable {
  name: string
  schema: Schema
  /** A feature's id is its place here, counted from 1, and from where REPLACE left off. */
  rows: StoredRow[]
  firstId: number
  /** Tokens of the loads that were committed. */
  loads: string[]
}

/** The tables of a file; none where there is no file yet. */
export function readTables(path: string): StoredTable[] {
  return existsSync(path) ? (deserialize(readFileSync(path)) as StoredTable[]) : []
}

/** Readers see the file as it was or as it is meant to be: it is written beside, and takes the name at the end. */
export function writeTables(path: string, tables: StoredTable[]): void {
  const beside = `${path}.new`
  writeFileSync(beside, serialize(tables), { flush: true })
  renameSync(beside, path)
}

/** Location of a load's rows until its commit. */
export function stagedPath(path: string, loadId: string): string {
  return `${path}.load-${encodeURIComponent(loadId)}`
}

export function removeStaged(path: string, loadId: string): void {
  rmSync(stagedPath(path, loadId), { force: true })
}

export function envelopeOf(rows: readonly StoredRow[]): Envelope | undefined {
  return rows
    .map(({ envelope }) => envelope)
    .reduce(
      (all, one) => (all === undefined || one === undefined ? (all ?? one) : unionEnvelope(all, one)),
      undefined,
    )
}

export function describeTable({ name, schema, rows }: StoredTable): TableDescription {
  const envelope = envelopeOf(rows)
  const description = { name, schema, featureCount: rows.length }
  return envelope === undefined ? description : { ...description, envelope }
}
