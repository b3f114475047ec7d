import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { FeatureBatch } from '../../src/geo/batch.ts'
import type { AttributeType, Schema } from '../../src/geo/schema.ts'
import type { RecordToken } from '../../src/stores/commit-load.ts'
import { commitLoad } from '../../src/stores/commit-load.ts'
import type {
  FeatureQuery,
  LoadHooks,
  LoadRequest,
  LoadResult,
  StagedLoad,
  VectorStore,
} from '../../src/stores/store.ts'
import type { Row } from '../support/batches.ts'
import { batchesOf, rowsOf } from '../support/batches.ts'

/** A store over an empty database or file, and what takes it away again. */
export interface StoreUnderTest {
  store: VectorStore
  /** Another store over the same data, as another process would open it. */
  reopen(): VectorStore
  dispose(): Promise<void>
  /** Puts rows into the table `layer`, which is not there yet: by a load, or by writing the file that is served. */
  fill(schema: Schema, rows: readonly Row[]): Promise<void>
  /** Runs statements as another client on a separate connection, with `layer` for the table of that name. */
  execute(sql: string): Promise<void>
  /** Returns everything that writes leave in the store, readable or not, except staged rows. */
  trace(): Promise<unknown>
  /** Types that an attribute in it cannot have; of stores that take loads none. */
  lacks: readonly AttributeType[]
}

export type MakeStore = () => Promise<StoreUnderTest>

interface Reject {
  row: number
  field?: string
  reason: string
}

export interface LoadOutcome {
  result: LoadResult
  token: string
  messages: { level: string; message: string; code: string }[]
  rejects: Reject[]
}

export const never = new AbortController().signal

type LoadReport = Pick<LoadOutcome, 'messages' | 'rejects'>

/** Returns hooks that collect what a load reports; `overrides` replace single hooks. */
export function gatheringHooks(overrides: Partial<LoadHooks> = {}): {
  hooks: LoadHooks
  reported: LoadReport
} {
  const report: LoadReport = { messages: [], rejects: [] }
  const hooks: LoadHooks = {
    signal: never,
    onMessage: (message) => report.messages.push(message),
    onReject: (batch, row, reason) => report.rejects.push({ row: batch.rowNumbers[row] ?? 0, ...reason }),
    ...overrides,
  }
  return { hooks, reported: report }
}

export interface LoadArguments extends Partial<Omit<LoadRequest, 'schema'>> {
  schema: Schema
  rows?: Iterable<Row>
  batches?: AsyncIterable<FeatureBatch>
  hooks?: Partial<LoadHooks>
  /** Called between `prepare` and `commit`. */
  record?: RecordToken
}

/** Stages one load. */
export async function stageRows(
  store: VectorStore,
  load: LoadArguments,
): Promise<{ staged: StagedLoad; reported: LoadReport }> {
  const { schema, rows = [], batches = batchesOf(schema, rows), hooks: overrides, ...request } = load
  const { hooks, reported: report } = gatheringHooks(overrides)
  const loadId = `t${randomUUID().slice(0, 8)}`
  const staged = await store.stage(
    { loadId, mode: 'CREATE', table: 'layer', indexes: [], ...request, schema },
    batches,
    hooks,
  )
  return { staged, reported: report }
}

/** Runs one load to its end. */
export async function loadRows(store: VectorStore, { record, ...load }: LoadArguments): Promise<LoadOutcome> {
  const { staged, reported: report } = await stageRows(store, load)
  let token = ''
  const result = await commitLoad(staged, async (given, known, prepared) => {
    token = given
    await record?.(given, known, prepared)
  })
  return { result, token, ...report }
}

export interface ReadRow extends Required<Row> {
  id: string
}

/** Every feature of a query, in order; by default the whole table `layer`. */
export async function readRows(store: VectorStore, query: Partial<FeatureQuery> = {}): Promise<ReadRow[]> {
  const rows: ReadRow[] = []
  const pages = store.readFeatures({ table: 'layer', limit: 1e9, offset: 0, ...query }, never)
  for await (const { batch, ids } of pages) {
    assert.equal(ids.length, batch.rowCount)
    rowsOf(batch).forEach((row, index) => {
      rows.push({ ...row, id: ids[index] ?? '' })
    })
  }
  return rows
}

/** Returns the values of one attribute of all rows of the table. */
export async function readColumn(store: VectorStore, name: string, table = 'layer'): Promise<unknown[]> {
  const described = await store.findTable(table)
  const index = described?.schema.attributes.findIndex((attribute) => attribute.name === name) ?? -1
  assert.notEqual(index, -1, `column ${name} of ${table}`)
  return (await readRows(store, { table })).map(({ values }) => values[index])
}

/** Runs `test` on a fresh store and cleans up behind it. */
export function withStore(
  make: MakeStore,
  test: (under: StoreUnderTest) => Promise<void>,
): () => Promise<void> {
  return async () => {
    const under = await make()
    try {
      await test(under)
    } finally {
      await under.store.close()
      await under.dispose()
    }
  }
}
