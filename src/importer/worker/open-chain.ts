import type { FeatureBatch } from '../../geo/batch.ts'
import type { Schema } from '../../geo/schema.ts'
import type { TransformContext, TransformSpec } from '../../transforms/index.ts'

/** The prepared transformations of a load. */
interface LoadChain {
  /** Schema of the resulting rows. */
  schema: Schema
  /** Columns to index after the load. */
  indexes: string[]
  run(batches: AsyncIterable<FeatureBatch>): AsyncIterable<FeatureBatch>
}

/**
 * Prepares the chain of a load. Its code, with the schemas of all parameters, is more than half of what a
 * worker would import at its start, so it is only imported if there are transformations.
 */
export async function openChain(
  schema: Schema,
  specs: readonly TransformSpec[],
  context: TransformContext,
): Promise<LoadChain> {
  if (specs.length === 0) return { schema, indexes: [], run: (batches) => batches }
  const { chainIndexes, chainSchema, runChain } = await import('../../transforms/chain.ts')
  return {
    schema: chainSchema(schema, specs, context),
    indexes: chainIndexes(specs),
    run: (batches) => runChain(batches, schema, specs, context),
  }
}
