import type { FeatureBatch } from '../../geo/batch.ts'
import type { StoreConnection, VectorStore } from '../../stores/index.ts'
import { openVectorStore } from '../../stores/registry.ts'
import type { RowsPlan, WorkLocation } from '../worker/open-rows.ts'
import { openRows } from '../worker/open-rows.ts'
import type { ComparableColumn } from './comparable-columns.ts'
import { comparableColumns } from './comparable-columns.ts'
import type { KeyFigures } from './key-table.ts'
import { KeyTable } from './key-table.ts'
import type { KeyValue } from './key-values.ts'
import { keyValue } from './key-values.ts'
import type { KeyCandidate } from './rank-keys.ts'
import { pairCandidates, singleCandidates } from './rank-keys.ts'

/** The target table of the rows. Plain data; may contain secrets. */
export interface KeyTarget {
  connection: StoreConnection
  table: string
}

/** Data and a table for which key columns are searched. Plain data; may contain secrets. */
export interface KeySearchRequest {
  plan: RowsPlan
  target: KeyTarget
}

/** Columns whose values identify each row of the data and of the table. Plain data. */
export interface KeySearchResult {
  keys: string[]
  rows: KeyFigures['rows']
  /** Number of data rows whose key the table contains. */
  found: number
  rule?: 'primary key' | 'unique index'
  /** True if all rows of both sides were read. */
  isExact: boolean
}

/** Number of rows that are checked in memory first. They rule out most columns. */
const firstRows = 4096
/** Maximum number of values of these rows in memory. */
const firstValues = 400_000
/**
 * Maximum numbers of single columns, of pairs, and of columns for pairs that are checked against all rows.
 */
const most = { single: 8, pairs: 6, pairColumns: 8 }
/** Maximum number of rows read from each side. Further rows are ignored, and the result says so. */
const maxRows = 5_000_000

interface Matching {
  request: KeySearchRequest
  store: VectorStore
  location: WorkLocation
  signal: AbortSignal
}

/** Finds columns that are unique and never null in the data and in the table, the most likely keys first. */
export async function findKeys(
  request: KeySearchRequest,
  location: WorkLocation,
  signal: AbortSignal,
): Promise<KeySearchResult[]> {
  const store = openVectorStore(request.target.connection)
  try {
    const matching = { request, store, location, signal }
    const columns = await matchedColumns(matching)
    const rules = (await store.uniqueKeys?.(request.target.table)) ?? []
    const first = await sieve(matching, singleCandidates(columns, rules))
    const single = await lookAtAll(matching, first.left.slice(0, most.single))
    if (single.length > 0) return single
    const filled = columns.filter((column) => first.filled.has(column))
    const likely = singleCandidates(filled, []).slice(0, most.pairColumns)
    const pairs = pairCandidates(likely.flatMap((candidate) => candidate.columns))
    return await lookAtAll(matching, (await sieve(matching, pairs)).left.slice(0, most.pairs))
  } finally {
    await store.close()
  }
}

async function matchedColumns({ request, store, location, signal }: Matching): Promise<ComparableColumn[]> {
  const table = await store.findTable(request.target.table)
  if (table === undefined) return []
  const rows = await openRows(request.plan, location, signal)
  try {
    return comparableColumns(rows.schema, table)
  } finally {
    await rows.close()
  }
}

/** Checks the first rows. Returns the candidates that identify all of them, and the columns without nulls. */
async function sieve(
  matching: Matching,
  candidates: readonly KeyCandidate[],
): Promise<{ left: KeyCandidate[]; filled: Set<ComparableColumn> }> {
  const columns = columnsOf(candidates)
  const filled = new Set(columns)
  const seen = new Map(candidates.map((candidate) => [candidate, new Set<string>()]))
  const limit = Math.min(firstRows, Math.ceil(firstValues / Math.max(1, candidates.length)))
  let isAny = false
  for await (const row of valuesOf(dataBatches(matching, limit), columns, 'source')) {
    isAny = true
    for (const [at, column] of columns.entries()) if (row[at] == null) filled.delete(column)
    for (const [candidate, keys] of seen) {
      const key = keyText(candidate.columns.map((column) => row[columns.indexOf(column)] ?? null))
      if (key === undefined || keys.has(key)) seen.delete(candidate)
      else keys.add(key)
    }
  }
  return { left: isAny ? [...seen.keys()] : [], filled }
}

function keyText(values: (KeyValue | null)[]): string | undefined {
  if (values.includes(null)) return undefined
  return values
    .map((value) => `${typeof value === 'string' ? 't' : 'n'}${String(value).length}:${String(value)}`)
    .join()
}

/** Returns the candidates that hold for all rows. */
async function lookAtAll(
  matching: Matching,
  candidates: readonly KeyCandidate[],
): Promise<KeySearchResult[]> {
  if (candidates.length === 0) return []
  const columns = columnsOf(candidates)
  const values = new KeyTable(columns.length)
  try {
    const data = await writeSide(values, 'data', dataBatches(matching, maxRows), columns)
    const target = await writeSide(values, 'target', targetBatches(matching, columns), columns)
    const isExact = data.rows < maxRows && target.rows < maxRows && !target.isRejecting
    const found = candidates.flatMap(({ columns: own, rule }): KeySearchResult[] => {
      if (own.some((column) => data.empty.has(column) || target.empty.has(column))) return []
      matching.signal.throwIfAborted()
      const { rows, distinct, found: shared } = values.figures(own.map((column) => columns.indexOf(column)))
      if (distinct.data < rows.data || distinct.target < rows.target) return []
      const keys = own.map(({ name }) => name)
      return [{ keys, rows, found: shared, isExact, rule }]
    })
    return likeliestFirst(found)
  } finally {
    values.close()
  }
}

/** A column that matches few rows is an unlikely key; otherwise the order is unchanged. */
function likeliestFirst(found: KeySearchResult[]): KeySearchResult[] {
  const best = Math.max(0, ...found.map((one) => one.found))
  const isPoor = (one: KeySearchResult): number => (one.found * 2 < best ? 1 : 0)
  return found.sort((one, other) => isPoor(one) - isPoor(other))
}

interface WrittenSide {
  rows: number
  /** Columns with a null in some row. */
  empty: Set<ComparableColumn>
  /** True if some rows were unreadable. */
  isRejecting: boolean
}

async function writeSide(
  values: KeyTable,
  side: 'data' | 'target',
  pages: AsyncIterable<RowPage>,
  columns: ComparableColumn[],
): Promise<WrittenSide> {
  const written: WrittenSide = { rows: 0, empty: new Set(), isRejecting: false }
  for await (const page of pages) {
    const { batch } = page
    const rows = rowsOf(page, columns, side === 'data' ? 'source' : 'name')
    for (const row of rows)
      for (const [at, column] of columns.entries()) if (row[at] === null) written.empty.add(column)
    values.add(side, rows)
    written.rows += rows.length
    if (batch.rejects.length > 0) written.isRejecting = true
  }
  return written
}

/** Rows of either side; those of a table with feature ids. */
interface RowPage {
  batch: FeatureBatch
  ids?: readonly string[]
}

async function* dataBatches({ request, location, signal }: Matching, limit: number): AsyncGenerator<RowPage> {
  const rows = await openRows(request.plan, location, signal)
  try {
    let count = 0
    for await (const batch of rows.batches) {
      signal.throwIfAborted()
      yield { batch }
      count += batch.rowCount
      if (count >= limit) return
    }
  } finally {
    await rows.close()
  }
}

async function* targetBatches(
  { request, store, signal }: Matching,
  columns: readonly ComparableColumn[],
): AsyncGenerator<RowPage> {
  const attributes = columns.flatMap(({ name, isId }) => (isId === true ? [] : name))
  const query = { table: request.target.table, limit: maxRows, offset: 0, attributes }
  for await (const { batch, ids } of store.readFeatures(query, signal)) yield { batch, ids }
}

async function* valuesOf(
  pages: AsyncIterable<RowPage>,
  columns: readonly ComparableColumn[],
  side: 'source' | 'name',
): AsyncGenerator<(KeyValue | null)[]> {
  for await (const page of pages) yield* rowsOf(page, columns, side)
}

function rowsOf(
  { batch: { schema, columns: held, rowCount }, ids = [] }: RowPage,
  columns: readonly ComparableColumn[],
  side: 'source' | 'name',
): (KeyValue | null)[][] {
  const places = columns.map((column) => ({
    form: column.form,
    isId: column.isId === true && side === 'name',
    column: held[schema.attributes.findIndex(({ name }) => name === column[side])],
  }))
  return Array.from({ length: rowCount }, (_, row) =>
    places.map(({ form, column, isId }) => {
      if (isId) return idValue(ids[row])
      return column === undefined ? null : (keyValue(column, row, form) ?? null)
    }),
  )
}

function idValue(id = ''): KeyValue | null {
  return /^-?\d{1,19}$/.test(id) ? BigInt(id) : null
}

function columnsOf(candidates: readonly KeyCandidate[]): ComparableColumn[] {
  return [...new Set(candidates.flatMap(({ columns }) => columns))]
}
