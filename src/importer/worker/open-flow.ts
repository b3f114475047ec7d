import type { FormatMessage } from '../../formats/worker.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import { fillDimensions } from '../../geo/fill-dimensions.ts'
import type { GeometryField, Schema } from '../../geo/schema.ts'
import { attributeIndex } from '../../geo/schema.ts'
import type { TransformContext } from '../../transforms/index.ts'
import { chainOptions, chosenSchema } from '../model/load-rules.ts'
import type { AttributeChoice } from '../model/model.ts'
import type { LoadPlan } from './load-plan.ts'
import { openChain } from './open-chain.ts'
import type { OpenSource } from './open-source.ts'

type Batches = AsyncIterable<FeatureBatch>

/** Callbacks for rows that pass through a chain. */
interface ChainHooks {
  signal: AbortSignal
  onMessage(message: FormatMessage): void
  /** Called with the rows of the source. */
  onRead(batches: Batches): Batches
}

/** Rows after a chain, including those rejected so far. */
interface ChangedRows {
  batches: Batches
  schema: Schema
  /** Columns to index. */
  indexes: string[]
}

/** Selects and transforms the rows of a source according to the plan. */
export async function openFlow(
  { attributes, srs, transforms }: Pick<LoadPlan, 'attributes' | 'srs' | 'transforms'>,
  source: OpenSource,
  { signal, onMessage, onRead }: ChainHooks,
): Promise<ChangedRows> {
  const chosen = chosenSchema(source.schema, { attributes, srs })
  const context: TransformContext = { signal, onMessage, ...chainOptions(source.schema, srs) }
  const read = withDimensions(onRead(source.batches), source.schema, onMessage)
  const input = chooseAttributes(read, source.schema, chosen, attributes)
  const { schema, indexes, run } = await openChain(chosen, transforms, context)
  return { schema, indexes, batches: run(input) }
}

/** Adapts geometries to the Z and M dimensions of their layer, and reports at the end how many had none. */
function withDimensions(
  batches: Batches,
  { geometry: field }: Schema,
  onMessage: (message: FormatMessage) => void,
): Batches {
  return field?.hasZ === true || field?.hasM === true ? filledBatches(batches, field, onMessage) : batches
}

async function* filledBatches(
  batches: Batches,
  field: GeometryField,
  onMessage: (message: FormatMessage) => void,
): AsyncGenerator<FeatureBatch> {
  let count = 0
  for await (const batch of batches) {
    if (batch.geometry === undefined) {
      yield batch
      continue
    }
    const { geometry, filled } = fillDimensions(batch.geometry, batch.rowCount, field)
    count += filled
    yield filled === 0 ? batch : { ...batch, geometry }
  }
  if (count === 0) return
  const missing = field.hasZ && field.hasM ? 'Z or M' : field.hasZ ? 'Z' : 'M'
  const message = `${count} geometries have no ${missing}, unlike others of the layer: it is set to 0`
  onMessage({ level: 'info', code: 'mixed-dimensions', message })
}

/**
 * Converts batches to the selected schema: columns in the selected order, with the selected names, and the
 * geometry's declared CRS. Columns are shared, not copied.
 */
async function* chooseAttributes(
  batches: AsyncIterable<FeatureBatch>,
  source: Schema,
  chosen: Schema,
  choices: AttributeChoice[] | undefined,
): AsyncGenerator<FeatureBatch> {
  const indexes = choices?.map((choice) => attributeIndex(source, choice.source))
  for await (const batch of batches) {
    const columns =
      indexes === undefined ? batch.columns : indexes.flatMap((index) => batch.columns[index] ?? [])
    yield { ...batch, schema: chosen, columns }
  }
}
