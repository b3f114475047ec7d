import type { DatabaseSync } from 'node:sqlite'
import { conflict, invalid } from '../../core/errors/errors.ts'
import { findObject, findTable, type GeoPackageTable, isSameName } from '../../formats/geopackage/index.ts'
import type { Attribute, AttributeType, GeometryField, Schema } from '../../geo/schema.ts'
import { explainNewIds, matchColumns as matchNames } from '../match-columns.ts'
import type { LoadHooks, LoadRequest } from '../store.ts'
import { generatedColumns, refuseCascades, refuseVirtual } from './foreign-code.ts'
import { hasRtree } from './rtree-sql.ts'
import { columnType, idColumn, storedAttribute, toColumnNames } from './table-names.ts'

/** Maximum number of columns of a table (SQLITE_MAX_COLUMN), including id and geometry. */
const maxColumns = 2000

const integerTypes: readonly AttributeType[] = ['int16', 'int32', 'int64']

/** A column to fill. */
export interface PlannedColumn {
  /** Index of the batch's column. */
  source: number
  /** Name of the attribute in the source, and its type and limits in the table. */
  target: Attribute
  /** Column name in the table. */
  name: string
}

/** Plan of a load, decided before its first batch. */
export interface GeoPackageLoadPlan {
  request: LoadRequest
  /** Name of the table as stored in the file. */
  table: string
  /** The existing table; absent if the table is to be created. */
  existing?: GeoPackageTable
  id: string
  geometry?: GeometryField
  columns: PlannedColumn[]
  /** The feature id, if the data have it and rows may be matched by it or retain it; not among `columns`. */
  keyColumn?: PlannedColumn
  /**
   * True if rows get the ids in `keyColumn`: the identity column of the source has the name of the id column.
   */
  keepsIds: boolean
  /** True if the geometry has, or gets, an R*Tree. */
  isIndexed: boolean
}

/** Plans a load; throws `Failure` if it is not possible. */
export function planLoad(db: DatabaseSync, request: LoadRequest, hooks: LoadHooks): GeoPackageLoadPlan {
  const existing = findTable(db, request.table)
  const object = findObject(db, request.table)
  if (request.mode === 'CREATE' && object !== undefined) {
    throw conflict('table-exists', `The GeoPackage has a table "${request.table}" already`)
  }
  if (existing !== undefined) return planExisting(db, request, existing, hooks)
  if (request.mode === 'APPEND' || request.mode === 'UPSERT') {
    const verb = request.mode === 'APPEND' ? 'append to' : 'change'
    throw conflict('table-missing', `The GeoPackage has no table "${request.table}" to ${verb}`)
  }
  if (object !== undefined) {
    throw conflict('table-exists', `"${request.table}" is in the GeoPackage, but not as a layer`)
  }
  return planNew(request, hooks)
}

function planNew(request: LoadRequest, hooks: LoadHooks): GeoPackageLoadPlan {
  const { schema, table } = request
  const keyColumn = findIdentity(schema, idColumn)
  const names = toColumnNames(schema, keyColumn?.source)
  const attributeCount = names.attributes.length - (keyColumn === undefined ? 0 : 1)
  const columnCount = attributeCount + (schema.geometry === undefined ? 1 : 2)
  if (columnCount > maxColumns) {
    throw invalid(
      'too-many-columns',
      `A GeoPackage table holds ${maxColumns} columns, the id and the geometry among them, and the data have ${names.attributes.length} attributes: leave columns out`,
    )
  }
  const columns = schema.attributes
    .map((attribute, source) => ({
      source,
      target: storedAttribute(attribute),
      name: names.attributes[source] as string,
    }))
    .filter(({ source }) => source !== keyColumn?.source)
  reportDecimals(schema.attributes, hooks)
  const { geometry } = schema
  return {
    request,
    table,
    id: idColumn,
    columns,
    keepsIds: keyColumn !== undefined,
    isIndexed: geometry !== undefined,
    keyColumn,
    geometry: geometry === undefined ? undefined : { ...geometry, name: names.geometry },
  }
}

function reportDecimals(attributes: readonly Attribute[], { onMessage }: LoadHooks): void {
  const texts = attributes.filter((one) => one.type === 'decimal' && storedAttribute(one).type === 'text')
  if (texts.length === 0) return
  const names = texts.map(({ name }) => `"${name}"`).join(', ')
  onMessage({
    level: 'info',
    code: 'decimals-as-text',
    message: `GeoPackage has no decimal numbers, and a floating-point number does not represent every value of ${names}: stored as text. Remap the column to a number type if rounding is acceptable.`,
  })
}

function planExisting(
  db: DatabaseSync,
  request: LoadRequest,
  existing: GeoPackageTable,
  hooks: LoadHooks,
): GeoPackageLoadPlan {
  if (existing.kind === 'view' || existing.idColumn === undefined) {
    throw conflict(
      'table-read-only',
      `"${existing.name}" cannot be changed: it is a view, or has no integer primary key`,
    )
  }
  const { geometry } = existing.schema
  const generated = generatedColumns(db, existing.name)
  if (geometry !== undefined && generated.has(geometry.name)) {
    throw conflict('table-read-only', `"${existing.name}" cannot be changed: its geometry is computed`)
  }
  refuseVirtual(db, { table: existing.name, geometry: geometry?.name })
  if (request.mode === 'REPLACE' || request.upsert?.deletesMissing === true) refuseCascades(db, existing.name)
  if (geometry === undefined && request.schema.geometry !== undefined) {
    throw conflict('no-geometry-column', `The table "${existing.name}" has no geometry column`)
  }
  const identity = findIdentity(request.schema, existing.idColumn)
  const keepsIds = request.mode === 'REPLACE' && identity !== undefined
  const keyColumn = keepsIds ? identity : findKeyColumn(request, existing.idColumn)
  const isUsed = keyColumn !== undefined && request.mode !== 'APPEND'
  if (identity !== undefined && !isUsed) tellNewIds(request, identity, hooks)
  return {
    request,
    table: existing.name,
    existing,
    id: existing.idColumn,
    keepsIds,
    columns: matchColumns(
      request,
      existing,
      { generated, usedKey: isUsed && (keepsIds || request.mode === 'UPSERT') ? keyColumn : identity },
      hooks,
    ),
    isIndexed: geometry !== undefined && hasRtree(db, { table: existing.name, geometry: geometry.name }),
    geometry,
    keyColumn,
  }
}

/** Returns the identity column of the data, if it has the name of the feature id and contains integers. */
function findIdentity(schema: Schema, id: string): PlannedColumn | undefined {
  const source = schema.attributes.findIndex(
    ({ name, isIdentity }) => isIdentity === true && isSameName(name, id),
  )
  const attribute = schema.attributes[source]
  if (attribute === undefined || !integerTypes.includes(storedAttribute(attribute).type)) return undefined
  return { source, target: { name: attribute.name, type: 'int64' }, name: id }
}

function tellNewIds({ mode }: LoadRequest, { target }: PlannedColumn, { onMessage }: LoadHooks): void {
  onMessage({ level: 'info', code: 'ids-not-reused', message: explainNewIds(mode, target.name) })
}

/**
 * An `UPSERT` by the feature id accepts any type of it in the data; other loads may only need the id for
 * comparing.
 */
function findKeyColumn(
  { mode, schema, upsert, isDryRun }: LoadRequest,
  id: string,
): PlannedColumn | undefined {
  const isMatched = mode === 'UPSERT' && upsert?.keys.some((key) => isSameName(key, id)) === true
  const source = schema.attributes.findIndex(({ name }) => isSameName(name, id))
  const attribute = schema.attributes[source]
  if (attribute === undefined) return undefined
  const isSure = integerTypes.includes(attribute.type)
  if (!isMatched && !(isDryRun === true && isSure)) return undefined
  return { source, target: { name: attribute.name, type: 'int64' }, name: id }
}

/**
 * Returns the table columns that the data fill, matched by name without case; columns that do not match are
 * reported.
 */
function matchColumns(
  { schema, mode }: LoadRequest,
  existing: GeoPackageTable,
  { generated, usedKey }: { generated: ReadonlySet<string>; usedKey: PlannedColumn | undefined },
  hooks: LoadHooks,
): PlannedColumn[] {
  const matched = matchNames({
    attributes: schema.attributes.map(({ name }) => name),
    made: toColumnNames(schema).attributes,
    columns: existing.schema.attributes.map(({ name }) => name),
  })
  const used = new Set(usedKey === undefined ? [] : [usedKey.source])
  const columns: PlannedColumn[] = []
  const missing: string[] = []
  for (const attribute of existing.schema.attributes) {
    const source = matched.indexOf(attribute.name)
    if (generated.has(attribute.name)) {
      if (source >= 0) used.add(source)
      continue
    }
    if (source < 0) missing.push(attribute.name)
    else {
      used.add(source)
      const name = schema.attributes[source]?.name ?? attribute.name
      columns.push({ source, target: { ...attribute, name }, name: attribute.name })
    }
  }
  const surplus = schema.attributes.filter((_, index) => !used.has(index)).map(({ name }) => name)
  tellUnmatched(existing.name, surplus, missing, { ...hooks, mode })
  return columns
}

function tellUnmatched(
  table: string,
  surplus: string[],
  missing: string[],
  hooks: Pick<LoadHooks, 'onMessage'> & { mode: LoadRequest['mode'] },
): void {
  const list = (names: string[]): string => names.map((name) => `"${name}"`).join(', ')
  if (surplus.length > 0) {
    hooks.onMessage({
      level: 'warning',
      code: 'attributes-not-in-table',
      message: `The table "${table}" has no column for ${list(surplus)}: left out`,
    })
  }
  if (missing.length > 0) {
    hooks.onMessage({
      level: 'warning',
      code: 'columns-not-in-data',
      message: `The data have no attribute for ${list(missing)} of the table "${table}": ${hooks.mode === 'UPSERT' ? 'as before, empty in new rows' : 'left empty'}`,
    })
  }
}

/** Returns the column definitions of a new table, in the order of the staged rows. */
export function columnDefinitions(plan: GeoPackageLoadPlan, quote: (name: string) => string): string[] {
  const { geometry, columns, request } = plan
  return [
    ...(geometry === undefined ? [] : [`${quote(geometry.name)} ${geometry.type.toUpperCase()}`]),
    ...columns.map(({ name, source }) => {
      const attribute = request.schema.attributes[source] as Attribute
      return `${quote(name)} ${columnType(attribute)}`
    }),
  ]
}

/** Name of the staged column with the feature id. */
export const stagedKey = 'k'

/** Returns the columns of the staged rows after the geometry: `c0`, `c1`, ..., and the feature id last. */
export function stagedColumns({ columns, keyColumn }: GeoPackageLoadPlan): PlannedColumn[] {
  return keyColumn === undefined ? columns : [...columns, keyColumn]
}
