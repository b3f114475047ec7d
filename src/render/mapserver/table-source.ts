import type { DatabaseAddress } from '../../core/postgres/address.ts'
import type { AttributeType, Schema } from '../../geo/schema.ts'
import {
  type Dimension,
  type DrawnColumn,
  type DrawnTable,
  postgresDialect,
  quoteMapText,
  type SqlDialect,
  sqliteDialect,
} from '../../styles/index.ts'
import type { PartSource } from './map-file.ts'
import { projectionOf } from './map-file.ts'

const numbers: readonly AttributeType[] = ['int16', 'int32', 'int64', 'float32', 'float64', 'decimal']
const moments: readonly AttributeType[] = ['date', 'time', 'timestamp']

function kindOf(type: AttributeType): DrawnColumn['kind'] {
  if (numbers.includes(type)) return 'number'
  if (moments.includes(type)) return 'moment'
  return type === 'boolean' ? 'boolean' : 'text'
}

function dimensionOf(type: string): Dimension | undefined {
  if (/Point$/.test(type)) return 0
  if (/LineString$/.test(type)) return 1
  return /Polygon$/.test(type) ? 2 : undefined
}

/** Describes a table for styles; `columns` maps schema attributes to its column names. */
export function drawnTable(
  { attributes, geometry }: Schema,
  dialect: SqlDialect,
  { geometryColumn, columnOf }: { geometryColumn: string; columnOf(name: string, index: number): string },
): DrawnTable {
  const columns = attributes
    .map(({ name, type }, index) => ({ name, column: columnOf(name, index), type }))
    .filter(({ type }) => type !== 'binary')
    .map(({ name, column, type }) => [name, { column, kind: kindOf(type) }] as const)
  const dimension = dimensionOf(geometry?.type ?? '')
  return { dialect, geometry: geometryColumn, columns: new Map(columns), dimension }
}

/** Returns the source for a table of a GeoPackage. */
export function geoPackageSource(path: string, table: string, geometry: string, srs: string): PartSource {
  const { name } = sqliteDialect
  return {
    projection: projectionOf(srs),
    lines: ({ columns, where }) => {
      const rows = where === undefined ? '' : ` WHERE ${where}`
      const sql = `SELECT ${[name(geometry), ...columns].join(', ')} FROM ${name(table)}${rows}`
      return ['CONNECTIONTYPE OGR', `CONNECTION ${quoteMapText(path)}`, `DATA ${quoteMapText(sql)}`]
    },
  }
}

export interface PostgisTable {
  address: DatabaseAddress
  schema: string
  table: string
  geometry: string
  srs: string
  /** The SRID of the column. */
  srid: number
  /** Path of a password file of libpq. */
  passFile: string
}

function connectionText({ address, passFile }: PostgisTable): string {
  const value = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`
  const { host, port, database, user, tls = 'disable' } = address
  const words = { host, port: String(port), dbname: database, user, sslmode: tls, passfile: passFile }
  return Object.entries({ ...words, application_name: 'terrane', connect_timeout: '10' })
    .map(([name, text]) => `${name}=${value(text)}`)
    .join(' ')
}

/** Returns a line of a password file (PostgreSQL, 34.16). */
export function passLine({ host, port, database, user, password }: DatabaseAddress): string {
  const escaped = [host, String(port), database, user, password].map((one) => one.replace(/[\\:]/g, '\\$&'))
  return `${escaped.join(':')}\n`
}

/** Returns the source for a table of a PostGIS database. */
export function postgisSource(table: PostgisTable): PartSource {
  const { name } = postgresDialect
  const { schema, geometry, srid, srs } = table
  return {
    projection: projectionOf(srs),
    lines: ({ columns, where }) => {
      const rows = where === undefined ? '' : ` WHERE ${where}`
      // MapServer requires a numeric column, drawing does not, and a window function would prevent the use of
      // the index.
      const id = '1 AS terrane_row'
      const shown = [`${name(geometry)} AS terrane_geom`, id, ...columns].join(', ')
      const from = `(SELECT ${shown} FROM ${name(schema)}.${name(table.table)}${rows}) AS terrane_rows`
      return [
        'CONNECTIONTYPE POSTGIS',
        `CONNECTION ${quoteMapText(connectionText(table))}`,
        'PROCESSING "CLOSE_CONNECTION=DEFER"',
        `DATA ${quoteMapText(`terrane_geom from ${from} using unique terrane_row using srid=${srid}`)}`,
      ]
    },
  }
}
