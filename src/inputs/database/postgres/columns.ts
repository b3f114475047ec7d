import { quoteIdentifier } from '../../../core/postgres/quote.ts'
import { attributeOfColumn } from '../../../geo/postgres-types.ts'
import type { Attribute } from '../../../geo/schema.ts'
import type { ColumnEntry } from './catalog.ts'
import type { DeclaredGeometry, PostgresGeometryShape } from './geometry-column.ts'
import { parseGeometryTypmod } from './geometry-column.ts'

/** A column that becomes an attribute: the expression for its value in the attribute's binary format. */
interface PlannedAttribute {
  attribute: Attribute
  sql: string
}

export interface PlannedGeometry {
  name: string
  isGeography: boolean
  declared: DeclaredGeometry
}

/** Plan for reading the columns of a table. */
export interface ColumnPlan {
  attributes: PlannedAttribute[]
  /** The first geometry column. */
  geometry: PlannedGeometry | undefined
  /** Further geometry columns, read as WKT. */
  furtherGeometries: string[]
  /** Columns that are not read. */
  left: string[]
}

const spatialTypes = ['geometry', 'geography']

export function planColumns(columns: ColumnEntry[]): ColumnPlan {
  const plan: ColumnPlan = { attributes: [], geometry: undefined, furtherGeometries: [], left: [] }
  for (const column of columns) {
    if (spatialTypes.includes(column.type) && plan.geometry === undefined) {
      const isGeography = column.type === 'geography'
      plan.geometry = {
        name: column.name,
        isGeography,
        declared: parseGeometryTypmod(column.typmod, isGeography),
      }
    } else if (column.type === 'raster') {
      plan.left.push(column.name)
    } else {
      if (spatialTypes.includes(column.type)) plan.furtherGeometries.push(column.name)
      const { attribute, sql } = planAttribute(column)
      plan.attributes.push({ attribute: column.isKey ? { ...attribute, isIdentity: true } : attribute, sql })
    }
  }
  return plan
}

function planAttribute(column: ColumnEntry): PlannedAttribute {
  const { name, type, typeKind, isArray, typmod } = column
  const sql = quoteIdentifier(name)
  const known = attributeOfColumn(name, type, typmod)
  // Trailing blanks of a character(n) are padding, which a cast removes.
  if (known !== undefined) return { attribute: known, sql: type === 'bpchar' ? `${sql}::text` : sql }
  if (type === 'oid') return { attribute: { name, type: 'int64' }, sql: `${sql}::int8` }
  if (type === 'money') return { attribute: { name, type: 'decimal' }, sql: `${sql}::numeric` }
  const text: Attribute = { name, type: 'text' }
  if (spatialTypes.includes(type)) return { attribute: text, sql: `ST_AsText(${sql})` }
  if (isArray) return { attribute: text, sql: `array_to_json(${sql})::text` }
  if (typeKind === 'c') return { attribute: text, sql: `row_to_json(${sql})::text` }
  return { attribute: text, sql: `${sql}::text` }
}

/** Returns the column as a geometry for PostGIS functions. */
export function sourceGeometrySql({ name, isGeography }: PlannedGeometry): string {
  return isGeography ? `${quoteIdentifier(name)}::geometry` : quoteIdentifier(name)
}

/**
 * Returns an expression for the geometry as little-endian WKB without arcs, with the dimensions of the shape.
 */
export function wkbSql(
  geometry: PlannedGeometry,
  shape: Pick<PostgresGeometryShape, 'hasZ' | 'hasM'>,
): string {
  const { isBinding, canHaveArcs } = geometry.declared
  const column = sourceGeometrySql(geometry)
  const straight = canHaveArcs
    ? `case when ST_HasArc(${column}) then ST_CurveToLine(${column}) else ${column} end`
    : column
  const { hasZ, hasM } = shape
  if (isBinding || (!hasZ && !hasM)) return `ST_AsBinary(${straight}, 'NDR')`
  const force = hasZ && hasM ? 'ST_Force4D' : hasZ ? 'ST_Force3DZ' : 'ST_Force3DM'
  return `ST_AsBinary(${force}(${straight}), 'NDR')`
}
