import { createHash } from 'node:crypto'
import { cutToBytes, DistinctNames, freeName } from '../../core/text/free-name.ts'

/** PostgreSQL truncates identifiers to this number of bytes (NAMEDATALEN - 1). */
const identifierBytes = 63

/** System columns of every table, whose names other columns must not have. */
const systemColumns = new Set(['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid'])

/** Key column of a new table. */
export const keyColumn = 'fid'
const defaultGeometryColumn = 'geom'

/**
 * Returns a name similar to `requested` that PostgreSQL accepts: blanks become `_`, control characters are
 * removed, at most 63 bytes.
 */
export function toIdentifier(requested: string, fallback: string): string {
  const cleaned = requested
    .normalize('NFC')
    .toWellFormed()
    .trim()
    .replace(/\s/gu, '_')
    .replace(/\p{Cc}/gu, '')
  return cutToBytes(cleaned, identifierBytes) || fallback
}

const numbered = { separator: '_', first: 1, fit: suffixedIdentifier }

/** Returns `name`, or the first free one of `name_1`, `name_2`, ..., never longer than 63 bytes. */
export function freeIdentifier(name: string, isTaken: (candidate: string) => boolean): string {
  return freeName(name, isTaken, numbered)
}

/** Joins `stem` and `suffix`, truncating the stem if needed. */
export function suffixedIdentifier(stem: string, suffix: string): string {
  return cutToBytes(stem, identifierBytes - Buffer.byteLength(suffix)) + suffix
}

/**
 * Returns column names for a new table: one for each attribute name, unique without case (later loads match
 * names that way), none reserved. The geometry's name comes first.
 */
export function columnNames(attributeNames: string[], geometry?: string): string[] {
  const names = new DistinctNames({
    ...numbered,
    taken: geometry === undefined ? systemColumns : [...systemColumns, geometry.toLowerCase()],
    fold: (name) => name.toLowerCase(),
  })
  return attributeNames.map((requested) => names.take(toIdentifier(requested, 'column')))
}

/** Returns the column name of a geometry in a new table with the key `fid`. */
export function geometryColumnName(requested: string): string {
  const name = toIdentifier(requested, defaultGeometryColumn)
  const folded = name.toLowerCase()
  return folded === keyColumn || systemColumns.has(folded) ? defaultGeometryColumn : name
}

const stagingPrefix = 'terrane_load_'

/** Prefix of all tables with retained states of other tables. */
export const snapshotPrefix = 'terrane_kept_'

/** Returns the name of the staging table of a load: short and safe for any id, and always the same. */
export function stagingName(loadId: string): string {
  return stagingPrefix + safeName(loadId)
}

/** Returns the name of the table that retains the state with this id. */
export function snapshotName(id: string): string {
  return snapshotPrefix + safeName(id)
}

function safeName(id: string): string {
  const readable = id.replace(/[^A-Za-z0-9_]/g, '_')
  if (readable === id && id.length <= 40) return readable
  const digest = createHash('sha256').update(id).digest('hex').slice(0, 16)
  return `${readable.slice(0, 24)}_${digest}`
}

/** True if the table is one that Terrane created to store rows for another. */
export function isOwnName(table: string): boolean {
  return table.startsWith(stagingPrefix) || table.startsWith(snapshotPrefix)
}

/** Tables and views that PostGIS creates, often in the same schema. */
const ownedByPostgis = new Set([
  'spatial_ref_sys',
  'geometry_columns',
  'geography_columns',
  'raster_columns',
  'raster_overviews',
])

/** Returns a table name similar to `requested` that neither PostGIS nor staging uses. */
export function toTableName(requested: string, suffix = ''): string {
  const name = toIdentifier(requested, 'layer')
  const free = ownedByPostgis.has(name) || isOwnName(name) ? toIdentifier(`a_${name}`, 'layer') : name
  return suffixedIdentifier(free, suffix)
}
