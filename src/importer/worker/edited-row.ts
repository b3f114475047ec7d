import { invalid } from '../../core/errors/errors.ts'
import type { EditedFeature, WrittenJson } from '../../formats/geojson/index.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { Column } from '../../geo/column.ts'
import { columnValue } from '../../geo/column.ts'
import type { GeometryColumn } from '../../geo/geometry-builder.ts'
import type { Attribute } from '../../geo/schema.ts'
import { attributeIndex } from '../../geo/schema.ts'
import type { EditedTable } from '../../stores/index.ts'
import { editedColumn, MisfitValue } from './edited-column.ts'

interface EditedColumns {
  attributes: Attribute[]
  columns: Column[]
}

/** Attributes that an edit sets: the named ones, or all, with null for those not named. */
export type EditedExtent = 'named' | 'all'

/**
 * Returns the columns to write for a client's feature, without those that already have their value. Throws a
 * `Failure` that lists all values that do not fit.
 */
export function editedRow(
  { properties }: EditedFeature,
  geometry: GeometryColumn | undefined,
  edited: EditedTable,
  extent: EditedExtent,
): FeatureBatch {
  const { schema } = edited.table
  const problems: string[] = []
  const given: EditedColumns = { attributes: [], columns: [] }
  for (const name of properties.keys())
    if (attributeIndex(schema, name) < 0) problems.push(unknownProperty(edited, name))
  for (const attribute of schema.attributes) {
    const value = properties.get(attribute.name)
    try {
      const column = columnOf(edited, attribute, value, extent)
      if (column !== undefined) {
        given.attributes.push(attribute)
        given.columns.push(column)
      }
    } catch (error) {
      if (!(error instanceof MisfitValue)) throw error
      problems.push(`Property "${attribute.name}": ${error.message}`)
    }
  }
  const [first] = problems
  if (first !== undefined) throw invalid('invalid-property', first, { errors: problems })
  return {
    schema: { attributes: given.attributes, geometry: geometry && schema.geometry },
    rowCount: 1,
    columns: given.columns,
    geometry,
    rowNumbers: new Float64Array([1]),
    rejects: [],
  }
}

function unknownProperty({ table: { schema } }: EditedTable, name: string): string {
  const known = schema.attributes.map((attribute) => attribute.name).join(', ')
  return `Property "${name.toWellFormed().slice(0, 100)}" is none of the layer: it has ${known === '' ? 'none' : known}`
}

/** Returns undefined if nothing is to be written. */
function columnOf(
  { table, computed, present }: EditedTable,
  attribute: Attribute,
  value: WrittenJson | undefined,
  extent: EditedExtent,
): Column | undefined {
  const { name } = attribute
  const isKey = name === table.primaryKey
  const isFixed = computed.has(name) || (isKey && present !== undefined)
  if (value === undefined) {
    if (extent === 'named' || isFixed) return undefined
    return changed(present, attribute, editedColumn(attribute, null))
  }
  if (isFixed && value === null && present === undefined) return undefined
  const column = changed(present, attribute, editedColumn(attribute, value))
  if (column === undefined || !isFixed) return column
  throw new MisfitValue(
    isKey ? 'it is the id of the feature, which cannot be changed' : 'it is computed and cannot be set',
  )
}

/** Returns undefined if the feature already has the value. */
function changed(present: EditedTable['present'], { name }: Attribute, column: Column): Column | undefined {
  const at = present === undefined ? -1 : attributeIndex(present.batch.schema, name)
  const before = present?.batch.columns[at]
  if (before === undefined) return column
  return isSame(columnValue(before, 0), columnValue(column, 0)) ? undefined : column
}

function isSame(one: unknown, other: unknown): boolean {
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other) === 0
  return Object.is(one, other)
}
