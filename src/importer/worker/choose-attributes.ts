import type { FeatureBatch } from '../../geo/batch.ts'
import type { Schema } from '../../geo/schema.ts'
import { attributeIndex } from '../../geo/schema.ts'
import type { AttributeChoice } from '../model/model.ts'

/**
 * Converts batches to the selected schema: columns in the selected order, with the selected names, and the
 * geometry's declared CRS. Columns are shared, not copied.
 */
export async function* chooseAttributes(
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
