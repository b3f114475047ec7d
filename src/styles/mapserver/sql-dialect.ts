import { patternPieces } from '../../filters/texts.ts'

/** Type of a column for comparisons in conditions. */
type ColumnKind = 'number' | 'text' | 'boolean' | 'moment'

/** A column of the table that is drawn. */
export interface DrawnColumn {
  /** Column name in the table. */
  column: string
  kind: ColumnKind
}

/** SQL of GeoPackages or of PostGIS, with values as literals. */
export interface SqlDialect {
  /** Converts the text of a number to the number, and other texts to null. */
  numberOfText(text: string): string
  /** Text of a boolean in JSON. */
  textOfBoolean(value: string): string
  textOf(value: string): string
  /** SQL expression that sorts texts by code point. */
  byCharacters(text: string): string
  /** A literal of any characters. */
  text(value: string): string
  /** The name of a column or table. */
  name(name: string): string
  like(text: string, pattern: string): string
  isDimension(geometry: string, dimension: 0 | 1 | 2): string
}

/** Writes a text by its bytes, so that no part of it can be interpreted as SQL or map file syntax. */
function sqliteText(value: string): string {
  return `CAST(X'${Buffer.from(value.replaceAll('\0', '')).toString('hex')}' AS TEXT)`
}

/** Writes the characters of a text by their numbers (PostgreSQL, 4.1.2.3). */
function escaped(value: string): string {
  return [...value.replaceAll('\0', '')]
    .map((char) => `\\+${(char.codePointAt(0) ?? 0).toString(16).padStart(6, '0')}`)
    .join('')
}

/** Converts a pattern with `%`, `_` and backslashes to a GLOB pattern. */
function globOf(pattern: string): string {
  const wild = { many: '*', one: '?' }
  return patternPieces(pattern)
    .map((piece) => ('wild' in piece ? wild[piece.wild] : piece.text.replace(/[*?[]/, '[$&]')))
    .join('')
}

const families = ['POINT', 'LINESTRING', 'POLYGON'] as const

/** Functions of SQLite in GDAL. */
export const sqliteDialect: SqlDialect = {
  numberOfText: (text) =>
    `(CASE WHEN trim(${text}) GLOB '*[0-9]*' AND trim(${text}) NOT GLOB '*[^0-9.eE+-]*' THEN CAST(${text} AS REAL) END)`,
  textOfBoolean: (value) => `(CASE WHEN ${value} THEN 'true' WHEN NOT ${value} THEN 'false' END)`,
  textOf: (value) => `CAST(${value} AS TEXT)`,
  byCharacters: (text) => text,
  text: sqliteText,
  name: (name) => `"${name.replaceAll('"', '""')}"`,
  // LIKE ignores the case of ASCII here: GLOB does not.
  like: (text, pattern) => `${text} GLOB ${sqliteText(globOf(pattern))}`,
  isDimension: (geometry, dimension) =>
    `replace(ST_GeometryType(${geometry}), 'MULTI', '') = '${families[dimension]}'`,
}

/** Functions of PostgreSQL with PostGIS. */
export const postgresDialect: SqlDialect = {
  numberOfText: (text) =>
    `(CASE WHEN ${text} ~ '^\\s*[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?\\s*$' THEN ${text}::float8 END)`,
  textOfBoolean: (value) => `(CASE WHEN ${value} THEN 'true' WHEN NOT ${value} THEN 'false' END)`,
  textOf: (value) => `${value}::text`,
  byCharacters: (text) => `${text} COLLATE "C"`,
  text: (value) => `U&'${escaped(value)}'`,
  name: (name) => (/^[a-z_][a-z0-9_]*$/.test(name) ? `"${name}"` : `U&"${escaped(name)}"`),
  like: (text, pattern) => `${text} LIKE U&'${escaped(pattern)}'`,
  isDimension: (geometry, dimension) => `ST_Dimension(${geometry}) = ${dimension}`,
}
