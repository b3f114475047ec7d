import { createHash } from 'node:crypto'
import { cutToBytes, DistinctNames, freeName } from '../../lib/text/free-name.ts'

/** PostgreSQL cuts identifiers to this many bytes (NAMEDATALEN - 1). */
const identifierBytes = 63

/** Names of columns that every table has; a column of ours must not be called so. */
const systemColumns = new Set(['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid'])

/** The key of a new table. */
export const keyColumn = 'fid'
const defaultGeometryColumn = 'geom'

/** A name like `wanted` that PostgreSQL takes: blanks become `_`, control characters go, at most 63 bytes. */
export function toIdentifier(wanted: string, fallback: string): string {
  const cleaned = wanted
    .normalize('NFC')
    .toWellFormed()
    .trim()
    .replace(/\s/gu, '_')
    .replace(/\p{Cc}/gu, '')
  return cutToBytes(cleaned, identifierBytes) || fallback
}

const numbered = { separator: '_', first: 1, fit: suffixedIdentifier }

/** `name`, or the first of `name_1`, `name_2`, ... that is not taken, never longer than 63 bytes. */
export function freeIdentifier(name: string, isTaken: (candidate: string) => boolean): string {
  return freeName(name, isTaken, numbered)
}

/** `stem` and `suffix` joined, the stem cut where the whole would be too long. */
export function suffixedIdentifier(stem: string, suffix: string): string {
  return cutToBytes(stem, identifierBytes - Buffer.byteLength(suffix)) + suffix
}

/**
 * Column names for a new table: one for each attribute name, all different without regard to case (later loads match
 * names that way), none reserved. The geometry's name comes first.
 */
export function columnNames(attributeNames: string[], geometry?: string): string[] {
  const names = new DistinctNames({
    ...numbered,
    taken: geometry === undefined ? systemColumns : [...systemColumns, geometry.toLowerCase()],
    fold: (name) => name.toLowerCase(),
  })
  return attributeNames.map((wanted) => names.take(toIdentifier(wanted, 'column')))
}

/** The column of a geometry of this name in a new table with the key `fid`. */
export function geometryColumnName(wanted: string): string {
  const name = toIdentifier(wanted, defaultGeometryColumn)
  const folded = name.toLowerCase()
  return folded === keyColumn || systemColumns.has(folded) ? defaultGeometryColumn : name
}

const stagingPrefix = 'terrane_load_'

/** What all tables that keep a state of another begin with. */
export const keptPrefix = 'terrane_kept_'

/** The staging table of a load: any id gives a short, safe name, the same each time. */
export function stagingName(loadId: string): string {
  return stagingPrefix + safeName(loadId)
}

/** The table that keeps the state of this id. */
export function keptName(id: string): string {
  return keptPrefix + safeName(id)
}

function safeName(id: string): string {
  const readable = id.replace(/[^A-Za-z0-9_]/g, '_')
  if (readable === id && id.length <= 40) return readable
  const digest = createHash('sha256').update(id).digest('hex').slice(0, 16)
  return `${readable.slice(0, 24)}_${digest}`
}

/** Whether a table is one of ours, which holds rows for another. */
export function isOwnName(table: string): boolean {
  return table.startsWith(stagingPrefix) || table.startsWith(keptPrefix)
}

/** Tables and views that PostGIS makes for itself, often in the same schema. */
const ownedByPostgis = new Set([
  'spatial_ref_sys',
  'geometry_columns',
  'geography_columns',
  'raster_columns',
  'raster_overviews',
])

/** A name like `wanted` for a table: none of PostGIS's own, and none that a load uses for its staging. */
export function toTableName(wanted: string, suffix = ''): string {
  const name = toIdentifier(wanted, 'layer')
  const free = ownedByPostgis.has(name) || isOwnName(name) ? toIdentifier(`a_${name}`, 'layer') : name
  return suffixedIdentifier(free, suffix)
}
