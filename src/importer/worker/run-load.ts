import type { Message } from '../../formats/format.ts'
import { RejectWriter } from '../../formats/reject-writer.ts'
import type { FeatureBatch, RejectedRow } from '../../geo/batch.ts'
import { columnValue } from '../../geo/column.ts'
import type { Schema } from '../../geo/schema.ts'
import { defined, without } from '../../lib/defined.ts'
import { invalid } from '../../lib/errors.ts'
import { commitLoad } from '../../stores/commit-load.ts'
import type { LoadResult, StagedLoad, VectorStore } from '../../stores/store.ts'
import type { TransformContext } from '../../transforms/transform.ts'
import { chosenSchema, findRejectFault } from '../model/load-rules.ts'
import { chooseAttributes } from './choose-attributes.ts'
import { latestStore } from './latest-store.ts'
import type { LoadOutcome, LoadPlan, LoadProgress } from './load-plan.ts'
import { openChain } from './open-chain.ts'
import type { OpenSource } from './open-source.ts'
import { openSource } from './open-source.ts'
import { mayHoldPolygons, PolygonWatch, repairedSchema } from './polygon-watch.ts'
import { RejectReasons } from './reject-reasons.ts'

export interface RunLoadHooks {
  signal: AbortSignal
  onProgress(progress: LoadProgress): void
  onMessage(message: Message): void
  onStaged(): Promise<void>
  beforeCommit(token: string, outcome: LoadOutcome): Promise<void>
}

const progressMs = 100
const maxMessages = 200

/** Passes on at most ten times a second, and at most so many messages. */
function calmHooks(hooks: RunLoadHooks): RunLoadHooks {
  let told = 0
  let messages = 0
  return {
    ...hooks,
    onProgress: (progress) => {
      const now = performance.now()
      if (progress.phase === 'loading' && now - told < progressMs) return
      told = now
      hooks.onProgress(progress)
    },
    onMessage: (message) => {
      messages += 1
      if (messages <= maxMessages) hooks.onMessage(message)
    },
  }
}

function rowProperties(batch: FeatureBatch, row: number): Record<string, unknown> {
  return Object.fromEntries(
    batch.schema.attributes.map((attribute, index) => {
      const column = batch.columns[index]
      return [attribute.source ?? attribute.name, column === undefined ? null : columnValue(column, row)]
    }),
  )
}

function rowGeometry(batch: FeatureBatch, row: number): { geometry?: Uint8Array } {
  const column = batch.geometry
  if (column === undefined) return {}
  const bytes = column.bytes.slice(column.offsets[row], column.offsets[row + 1])
  return bytes.length === 0 ? {} : { geometry: bytes }
}

/** Rows that transformations reject, as the source has them; what the reader rejects stands as it is. */
function asRead(source: FeatureBatch, rejects: RejectedRow[]): RejectedRow[] {
  const places = new Map<number, number>()
  source.rowNumbers.forEach((number, place) => {
    places.set(number, place)
  })
  return rejects.map((reject) => {
    const place = places.get(reject.row)
    if (place === undefined) return reject
    const facts = without(reject, 'geometry')
    return { ...facts, properties: rowProperties(source, place), ...rowGeometry(source, place) }
  })
}

/** Counts every row on its way, so that none is lost unseen. */
class Ledger {
  rowsRead = 0
  /** Whether the target holds rows that a REPLACE takes away. */
  isTargetFilled = false
  readonly #reasons = new RejectReasons()
  /** What the reader gave last; the chain makes one batch of each. */
  #source: FeatureBatch | undefined
  readonly #plan: LoadPlan
  readonly #rejects: RejectWriter
  readonly #hooks: RunLoadHooks

  constructor(plan: LoadPlan, rejects: RejectWriter, hooks: RunLoadHooks) {
    this.#plan = plan
    this.#rejects = rejects
    this.#hooks = hooks
  }

  async *countRead(batches: AsyncIterable<FeatureBatch>): AsyncGenerator<FeatureBatch> {
    for await (const batch of batches) {
      this.rowsRead += batch.rowCount + batch.rejects.length
      this.#source = batch
      yield batch
    }
  }

  async *keepRejects(batches: AsyncIterable<FeatureBatch>): AsyncGenerator<FeatureBatch> {
    for await (const batch of batches) {
      const isClean = batch.rejects.length === 0
      const rejects = isClean ? [] : asRead(this.#source ?? batch, batch.rejects)
      for (const reject of rejects) this.#reject(reject)
      this.#hooks.onProgress({ phase: 'loading', rows: this.rowsRead, rejected: this.#rejects.count })
      yield isClean ? batch : { ...batch, rejects: [] }
    }
  }

  refuse(batch: FeatureBatch, row: number, why: { field?: string; reason: string }): void {
    this.#reject({
      row: batch.rowNumbers[row] ?? 0,
      ...why,
      properties: rowProperties(batch, row),
      ...rowGeometry(batch, row),
    })
  }

  #refuseRejects(counts: { rowsRead: number; rejected: number }): void {
    const fault = findRejectFault(this.#plan.rejectLimit, counts)
    if (fault === undefined) return
    this.#hooks.onProgress({ phase: 'committing', rows: counts.rowsRead, rejected: counts.rejected })
    throw invalid('too-many-rejects', `${fault}. The commonest reasons: ${this.#reasons.explain()}`)
  }

  #refuseEmpty(): void {
    if (!this.isTargetFilled || this.#plan.mode !== 'REPLACE' || this.#plan.allowEmpty === true) return
    const text = `No row was read: REPLACE would leave "${this.#plan.table}" empty. Where that is meant, set allowEmpty`
    throw invalid('empty-replace', text)
  }

  #reject(reject: RejectedRow): void {
    this.#rejects.add(reject)
    this.#reasons.add(reject)
  }

  /** What the load came to; throws when it may not be kept. */
  settle(result: LoadResult, schema: Schema): LoadOutcome {
    const rejected = this.#rejects.count
    const { rowsRead } = this
    const { rowsLoaded, envelope, renamed, table } = result
    if (rowsRead !== rowsLoaded + rejected) {
      throw new Error(
        `Internal accounting: ${rowsRead} rows were read, but ${rowsLoaded} loaded and ${rejected} rejected`,
      )
    }
    this.#refuseRejects({ rowsRead, rejected })
    if (rowsRead === 0) this.#refuseEmpty()
    return {
      rowsRead,
      rowsLoaded,
      rejected,
      schema,
      renamed,
      ...defined({ envelope, table }),
    }
  }
}

interface Flow {
  batches: AsyncIterable<FeatureBatch>
  schema: Schema
  /** Columns to index. */
  indexes: string[]
}

async function flowOf(
  plan: LoadPlan,
  source: OpenSource,
  ledger: Ledger,
  hooks: RunLoadHooks,
): Promise<Flow> {
  const { attributes, srs, transforms } = plan
  const chosen = chosenSchema(source.schema, defined({ attributes, srs }))
  const context: TransformContext = {
    signal: hooks.signal,
    onMessage: hooks.onMessage,
    ...(srs === undefined ? {} : { declaredCrs: { srs } }),
  }
  const read = ledger.countRead(source.batches)
  const input = chooseAttributes(read, source.schema, chosen, attributes)
  const { schema, indexes, run } = await openChain(chosen, transforms, context)
  const changed = ledger.keepRejects(run(input))
  if (!mayHoldPolygons(schema)) return { schema, indexes, batches: changed }
  const watch = new PolygonWatch(plan.repair === true)
  return {
    schema: plan.repair === true ? repairedSchema(schema) : schema,
    indexes,
    batches: watch.watch(changed, hooks.onMessage),
  }
}

/** Looks at the first row alone. */
async function holdsRows(store: VectorStore, plan: LoadPlan, signal: AbortSignal): Promise<boolean> {
  if (plan.isTargetFilled === true) return true
  if (plan.allowEmpty === true || (await store.findTable(plan.table)) === undefined) return false
  for await (const { batch } of store.readFeatures({ table: plan.table, limit: 1, offset: 0 }, signal)) {
    if (batch.rowCount > 0) return true
  }
  return false
}

/** Nobody waits for what is staged, however long that takes. */
async function waitStaged(staged: StagedLoad, hooks: RunLoadHooks): Promise<void> {
  try {
    await hooks.onStaged()
  } catch (error) {
    await staged.discard()
    throw error
  }
}

async function loadInto(
  plan: LoadPlan,
  flow: Flow,
  ledger: Ledger,
  hooks: RunLoadHooks,
): Promise<LoadOutcome> {
  const store = await latestStore(plan.connection)
  ledger.isTargetFilled = plan.mode === 'REPLACE' && (await holdsRows(store, plan, hooks.signal))
  const { loadId, mode, table } = plan
  const { schema, indexes, batches } = flow
  const staged = await store.stage({ loadId, mode, table, schema, indexes }, batches, {
    signal: hooks.signal,
    onMessage: hooks.onMessage,
    onReject: (batch, row, why) => ledger.refuse(batch, row, why),
  })
  await waitStaged(staged, hooks)
  let outcome: LoadOutcome | undefined
  await commitLoad(staged, async (token, result) => {
    outcome = ledger.settle(result, schema)
    const { rowsRead, rejected } = outcome
    hooks.onProgress({ phase: 'committing', rows: rowsRead, rejected })
    await hooks.beforeCommit(token, outcome)
  })
  if (outcome === undefined) throw new Error('The store ended its load without a commit')
  return outcome
}

/** Reads, transforms and loads as the plan says; the target is untouched unless it returns. */
export async function runLoad(plan: LoadPlan, givenHooks: RunLoadHooks): Promise<LoadOutcome> {
  const hooks = calmHooks(givenHooks)
  const rejects = new RejectWriter(plan.rejectsPath)
  const ledger = new Ledger(plan, rejects, hooks)
  const source = await openSource(plan.source, hooks.signal)
  try {
    return await loadInto(plan, await flowOf(plan, source, ledger, hooks), ledger, hooks)
  } finally {
    rejects.close()
    await source.close()
  }
}
