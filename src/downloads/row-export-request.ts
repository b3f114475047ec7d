import type { CrsDeclaration } from '../geo/crs.ts'
import type { Schema } from '../geo/schema.ts'
import type { FeaturePageRequest } from '../stores/reading/feature-page-request.ts'
import type { ShownColumns } from '../stores/reading/tile-request.ts'
import type { StoreConnection } from '../stores/store.ts'
import type { RowsFormat, RowsPage, SpecialValue } from './download-format.ts'
import type { FileColumn } from './file-columns.ts'
import type { NumberLosses } from './number-fields.ts'
import type { FileTerms } from './terms.ts'

/** The rows of a file, and its format. Plain data: it is passed between processes. */
export interface RowExportRequest {
  connection: StoreConnection
  table: string
  /** Set if the columns of the table have other names than those of the layer. */
  shown?: ShownColumns
  select: Pick<FeaturePageRequest, 'box' | 'filter'>
  /** A part of the rows; absent: all. */
  page?: RowsPage
  columns: FileColumn[]
  geometry: Schema['geometry']
  /** CRS of the coordinates of the table, and of the file; absent if unknown. */
  from?: CrsDeclaration | string
  to?: CrsDeclaration | string
  maxTextBytes?: number
  /** True if numbers have as many characters as their field. */
  hasNumberFields?: boolean
  /** Values that the file cannot store. */
  lacks?: readonly SpecialValue[]
  /** Format; absent: a GeoPackage. */
  as?: RowsFormat
  /** CRS of a GeoParquet file as PROJJSON; null: unknown. */
  projJson?: object | null
  path: string
  /** Name of the GeoPackage table or the GeoJSON collection. */
  name: string
  /** Code of a CRS that GeoJSON must name. */
  namedSrs?: string
  roomBytes: number
  /** Metadata written to the file, if its format supports them. */
  terms: FileTerms
}

/** Statistics of the written rows. Plain data. */
export interface RowsWritten {
  rows: number
  /** Geometry types of the rows (OGC 06-103r4, table 7, without Z and M). */
  typeCodes: number[]
  /** Rows with a missing or empty geometry. */
  withoutGeometry: number
  /** Number of truncated texts by column. */
  cutTexts: Record<string, number>
  /** Number of values that the file cannot store, by column. */
  lostValues: Record<string, number>
  /** Losses of numbers and the fields they need, by column. */
  numbers: Record<string, NumberLosses>
  /** Number of geometries that cannot be transformed to the CRS of the file. */
  unplaced: number
  /** Number of rows that the file could not store, by reason. */
  refused: Record<string, number>
  /** Column names of the file by those of the layer, where they differ. */
  renamed: Record<string, string>
}
