import { Failure } from '../core/errors/errors.ts'
import type { Filter } from '../filters/filter.ts'
import type { FeatureBatch } from '../geo/batch.ts'
import type { Column } from '../geo/column.ts'
import { isValid } from '../geo/column.ts'
import type { Schema } from '../geo/schema.ts'
import { attributeIndex } from '../geo/schema.ts'
import { selectRows } from '../geo/select-rows.ts'
import type { EnvelopePage, FeaturePage, TileQuery, TileReading, TileReads, VectorStore } from './store.ts'

const maxAttempts = 5

type FeatureStore = Pick<VectorStore, 'readFeatures' | 'state'>

/** Returns how a store reads rows for tiles: its own query, or `readFeatures`. */
export function tileReadingOf(store: VectorStore): TileReading {
  return store.tiles ?? tileReadingByFeatures(store)
}

/** For stores without tile queries, and for filters: reads every page that touches the boxes completely. */
export function tileReadingByFeatures(store: FeatureStore, filter?: Filter): TileReading {
  const reads: TileReads = {
    async *readTile(query, signal) {
      const ids = query.ids === undefined ? undefined : new Set(query.ids)
      for await (const page of readWhole(store, { ...query, filter }, signal)) {
        const shown = tilePage(page, query, (row) => ids?.has(page.ids[row] ?? '') !== false)
        if (shown.ids.length > 0) yield shown
        signal.throwIfAborted()
      }
    },
    async *readEnvelopes(query, signal) {
      for await (const page of readWhole(store, { ...query, filter }, signal)) yield envelopesOf(page)
    },
  }
  return {
    ...reads,
    atOneState: (table, work, signal) => whileUnchanged(store, table, () => work(reads), signal),
  }
}

/** Returns the attributes to read from a table, in the order of its schema. */
export function readAttributes(
  { attributes }: Schema,
  { attributes: requested }: Pick<TileQuery, 'attributes'>,
): Schema['attributes'] {
  if (requested === undefined) return attributes
  const names = new Set(requested)
  return attributes.filter(({ name }) => names.has(name))
}

/** The error for a table that changes on every attempt. */
export function tableChanging(table: string): Failure {
  return new Failure('unavailable', 'table-changing', `"${table}" is being changed: try again in a moment`)
}

function readWhole(
  store: FeatureStore,
  { table, boxes, filter }: Pick<TileQuery, 'table' | 'boxes'> & { filter: Filter | undefined },
  signal: AbortSignal,
): AsyncIterable<FeaturePage> {
  signal.throwIfAborted()
  const all = { table, limit: Number.MAX_SAFE_INTEGER, offset: 0 }
  return store.readFeatures({ ...all, bboxes: boxes, filter }, signal)
}

/** Returns rows with a non-empty geometry. */
function shownRows({ batch }: FeaturePage, isSelected: (row: number) => boolean): Uint32Array {
  const { geometry, rowCount } = batch
  if (geometry === undefined) return new Uint32Array(0)
  const rows: number[] = []
  for (let row = 0; row < rowCount; row += 1) {
    const isShown = isValid(geometry.validity, row) && !Number.isNaN(geometry.envelopes[row * 4])
    if (isShown && isSelected(row)) rows.push(row)
  }
  return Uint32Array.from(rows)
}

/**
 * Returns the part of a page of features that a tile needs: selected rows with a geometry, with the requested
 * attributes.
 */
export function tilePage(
  page: FeaturePage,
  query: Pick<TileQuery, 'attributes'>,
  isSelected: (row: number) => boolean = () => true,
): FeaturePage {
  const { batch, ids } = page
  const rows = shownRows(page, isSelected)
  const attributes = readAttributes(batch.schema, query)
  const kept: FeatureBatch = {
    ...batch,
    schema: { ...batch.schema, attributes },
    columns: attributes.map(({ name }) => batch.columns[attributeIndex(batch.schema, name)] as Column),
  }
  return { batch: selectRows(kept, rows), ids: Array.from(rows, (row) => ids[row] ?? '') }
}

function envelopesOf(page: FeaturePage): EnvelopePage {
  const rows = shownRows(page, () => true)
  const envelopes = new Float64Array(rows.length * 4)
  const given = page.batch.geometry?.envelopes ?? envelopes
  rows.forEach((row, to) => {
    envelopes.set(given.subarray(row * 4, row * 4 + 4), to * 4)
  })
  return { ids: Array.from(rows, (row) => page.ids[row] ?? ''), envelopes }
}

/** Repeats the work if the table has changed in the meantime. */
async function whileUnchanged<Result>(
  store: FeatureStore,
  table: string,
  work: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const before = await store.state(table, signal)
    const result = await work()
    const after = await store.state(table, signal)
    if (before?.text === after?.text) return result
  }
  throw tableChanging(table)
}
