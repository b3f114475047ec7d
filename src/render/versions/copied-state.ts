import type { FeatureBatch } from '../../geo/batch.ts'
import { createColumnBuilder } from '../../geo/column-builder.ts'
import type { Schema } from '../../geo/schema.ts'
import type { FeaturePage, ShownColumns } from '../../stores/index.ts'

/** Name of the table in the copy. */
export const copiedStateTable = 'features'
/** Column of a copy with the ids of the features. */
export const copiedStateIdColumn = 'id'

/** Generates column names that are unique, valid and short for any layer. */
const columnName = (index: number): string => `a${index}`

/** Returns the mapping of a copy's columns to the attribute names of the version. */
export function copiedStateColumns({ attributes }: Schema): ShownColumns {
  const names = attributes.map(({ name }, index) => [columnName(index), name] as const)
  return { id: copiedStateIdColumn, names: Object.fromEntries(names) }
}

/** Returns the schema of the copy: the ids of the features, then their attributes as they were. */
export function copiedStateSchema({ attributes, geometry }: Schema): Schema {
  const columns = attributes.map(({ type }, index) => ({ name: columnName(index), type }))
  return {
    attributes: [{ name: copiedStateIdColumn, type: 'text' }, ...columns],
    geometry: geometry === undefined ? undefined : { ...geometry, name: 'geom' },
  }
}

/** Converts a page to a batch of the copy. */
export function copyStatePage({ batch, ids }: FeaturePage): FeatureBatch {
  const builder = createColumnBuilder('text', ids.length)
  for (const id of ids) if (builder.kind === 'var') builder.appendString(id)
  return { ...batch, schema: copiedStateSchema(batch.schema), columns: [builder.finish(), ...batch.columns] }
}
