import type { CrsDeclaration } from '../geo/crs.ts'
import type { Schema } from '../geo/schema.ts'
import type { PageWish } from '../stores/reading/page-wish.ts'
import type { ShownColumns } from '../stores/reading/tile-wish.ts'
import type { StoreConnection } from '../stores/store.ts'
import type { RowsFormat, RowsPage, SpecialValue } from './download-format.ts'
import type { FileColumn } from './file-columns.ts'
import type { NumberLosses } from './number-fields.ts'
import type { FileTerms } from './terms.ts'

/** Which rows a file gets, and what it is. Plain data: it crosses processes. */
export interface RowsWish {
  connection: StoreConnection
  table: string
  /** Where the columns of the table have other names than those of the layer. */
  shown?: ShownColumns
  select: Pick<PageWish, 'box' | 'filter'>
  /** Which of them; absent: all. */
  page?: RowsPage
  columns: FileColumn[]
  geometry: Schema['geometry']
  /** What the coordinates of the table are in, and those of the file; absent: where that is not known. */
  from?: CrsDeclaration | string
  to?: CrsDeclaration | string
  maxTextBytes?: number
  /** Numbers have as many characters as their field. */
  hasNumberFields?: boolean
  /** Values that the file has no place for. */
  lacks?: readonly SpecialValue[]
  /** What is written; absent: a GeoPackage. */
  as?: RowsFormat
  /** The CRS of a GeoParquet file as PROJJSON; null: not known. */
  projJson?: object | null
  path: string
  /** Of the table in a GeoPackage, or of the collection in GeoJSON. */
  name: string
  /** Code of a CRS that GeoJSON has to name. */
  namedSrs?: string
  roomBytes: number
  /** Told in the file, where its format has a place for it. */
  terms: FileTerms
}

/** What became of the rows. Plain data. */
export interface RowsWritten {
  rows: number
  /** Types of geometries (OGC 06-103r4, table 7, without Z and M) that were met. */
  typeCodes: number[]
  /** Rows without a geometry, or with an empty one. */
  withoutGeometry: number
  /** How many texts were cut, by the names of their columns. */
  cutTexts: Record<string, number>
  /** How many values the file has no place for, by the names of their columns. */
  lostValues: Record<string, number>
  /** What numbers lose, and the fields that they need, by the names of their columns. */
  numbers: Record<string, NumberLosses>
  /** Geometries that have no place in the CRS of the file. */
  unplaced: number
  /** What the file could not take, by the reason. */
  refused: Record<string, number>
  /** Names of columns by those of the layer, where the file has others. */
  renamed: Record<string, string>
}
