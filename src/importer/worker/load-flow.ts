import { collectYoungGarbage } from '../../core/process/collect-garbage.ts'
import { ownValue } from '../../core/values/record-keys.ts'
import type { FormatMessage } from '../../formats/worker.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { Schema } from '../../geo/schema.ts'
import type { LoadPlan, LoadProgress } from './load-plan.ts'
import { openFlow } from './open-flow.ts'
import type { OpenSource } from './open-source.ts'
import { mayHoldPolygons, PolygonWatch, repairedSchema } from './polygon-watch.ts'
import type { RowAccounting } from './row-accounting.ts'
import { RowFiguresBuilder, sizeOfBatch } from './row-figures.ts'

/** Callbacks of a load. */
export interface FlowHooks {
  signal: AbortSignal
  onProgress(progress: LoadProgress): void
  onMessage(message: FormatMessage): void
  /** See `LoadHooks`. */
  beforeTouch?(mark: string): Promise<void>
}

const progressMs = 100
const maxMessages = 200
const bytesWorthCollecting = 4 << 20

/** Limits progress to ten times a second except at the end, and the number of messages. */
export function calmHooks<Hooks extends FlowHooks>(hooks: Hooks): Hooks {
  let reported = 0
  let messages = 0
  return {
    ...hooks,
    onProgress: (progress) => {
      const now = performance.now()
      const isBetween = progress.phase === 'loading' && progress.isReadToEnd !== true
      if (isBetween && now - reported < progressMs) return
      reported = now
      hooks.onProgress(progress)
    },
    onMessage: (message) => {
      messages += 1
      if (messages <= maxMessages) hooks.onMessage(message)
    },
  }
}

/** Rows in the form for the store. */
export interface Flow {
  batches: AsyncIterable<FeatureBatch>
  schema: Schema
  /** Columns to index. */
  indexes: string[]
  /** Statistics of the rows, if requested. */
  figures?: RowFiguresBuilder
  polygons?: PolygonWatch
}

/** Returns the rows of the source after the chain of the plan, and counts each row. */
export async function flowOf(
  plan: LoadPlan,
  source: OpenSource,
  accounting: RowAccounting,
  hooks: FlowHooks,
): Promise<Flow> {
  const { signal, onMessage } = hooks
  const onRead = (batches: AsyncIterable<FeatureBatch>) => accounting.countRead(batches)
  const { schema, indexes, batches } = await openFlow(plan, source, { signal, onMessage, onRead })
  const flow = renamed(plan, { schema, indexes, batches: collectBetween(accounting.keepRejects(batches)) })
  return counted(plan, watched(plan, flow, hooks))
}

/** Renames columns of corrected rows to the names they got when the table was created. */
function renamed({ mended: corrected }: LoadPlan, flow: Flow): Flow {
  const columns = corrected?.columns ?? {}
  const { attributes } = flow.schema
  if (!attributes.some(({ name }) => ownValue(columns, name) !== undefined)) return flow
  const named = attributes.map((one) => {
    const name = ownValue(columns, one.name)
    return name === undefined ? one : { ...one, name, source: one.source ?? one.name }
  })
  const schema = { ...flow.schema, attributes: named }
  async function* batches(): AsyncGenerator<FeatureBatch> {
    for await (const batch of flow.batches) yield { ...batch, schema: { ...batch.schema, attributes: named } }
  }
  return { ...flow, schema, batches: batches() }
}

/**
 * Triggers garbage collection between batches: otherwise processed batches stay in memory until they amount
 * to 64 MB.
 */
async function* collectBetween(batches: AsyncIterable<FeatureBatch>): AsyncGenerator<FeatureBatch> {
  let bytes = 0
  for await (const batch of batches) {
    yield batch
    bytes += sizeOfBatch(batch)
    if (bytes < bytesWorthCollecting) continue
    bytes = 0
    collectYoungGarbage()
  }
}

function watched(plan: LoadPlan, flow: Flow, hooks: FlowHooks): Flow {
  const { schema } = flow
  if (!mayHoldPolygons(schema)) return flow
  const polygons = new PolygonWatch(plan.repair === true)
  return {
    ...flow,
    schema: plan.repair === true ? repairedSchema(schema) : schema,
    batches: polygons.watch(flow.batches, hooks.onMessage),
    polygons,
  }
}

function counted({ trial: dryRun }: LoadPlan, flow: Flow): Flow {
  if (dryRun === undefined) return flow
  const figures = new RowFiguresBuilder(dryRun.stopIf)
  return { ...flow, batches: figures.count(flow.batches), figures }
}
