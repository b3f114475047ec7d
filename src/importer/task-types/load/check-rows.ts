import { invalid } from '../../../core/errors/errors.ts'
import { findStoreDescription } from '../../../stores/registry.ts'
import { foldChain, vectorTransformOf } from '../../../transforms/chain.ts'
import type { TransformSpec } from '../../../transforms/index.ts'
import type { TaskRecord } from '../../model/model.ts'
import { chainOptions, chosenSchema } from '../../model/model.ts'

/**
 * Validates a chain for rows: each step against the schema at its position, and the result against the
 * target.
 */
export function checkRowTransforms(task: TaskRecord, specs: TransformSpec[]): void {
  for (const spec of specs) {
    const transform = vectorTransformOf(spec)
    if (transform.phase === 'after' && task.store !== undefined && !hasIndexes(task.store.type)) {
      throw invalid('invalid-transform', `${transform.type} needs a database as target`)
    }
  }
  const { source, layer } = task
  if (source === undefined || layer === undefined) return
  foldChain(chosenSchema(source.schema, layer), specs, chainOptions(source.schema, layer.srs))
}

/**
 * True if the store type can have spatial indexes. Coverage stores are irrelevant: no vector task targets
 * them.
 */
function hasIndexes(type: string): boolean {
  return findStoreDescription(type)?.can.hasIndexes !== false
}
