import { join } from 'node:path'
import type { LayerRecord } from '../../catalog/index.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import type { Attribute, Schema } from '../../geo/schema.ts'
import type { FeaturePageRequest, ShownColumns, StoreConnection } from '../../stores/index.ts'
import { filterInTable } from '../../stores/reading/shown-columns.ts'
import type { EarlierLayer } from '../versions/previous-versions.ts'
import type { DownloadRequest, RowsFormat, RowsPage, SpecialValue } from './download-format.ts'
import { formatsOfFiles } from './download-format.ts'
import type { FileColumn } from './file-columns.ts'
import type { NumberLosses } from './number-fields.ts'
import type { FileTerms } from './terms.ts'
import { termsOf } from './terms.ts'

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

/** Returns the requested attributes of a layer, in its order. */
export function chosenAttributes({ details }: LayerRecord, properties: string[] | undefined): Attribute[] {
  const { attributes } = details.schema
  return properties === undefined ? attributes : attributes.filter(({ name }) => properties.includes(name))
}

function ownCrs({ details: { kind, srs, crs, schema } }: LayerRecord): CrsDeclaration | string | undefined {
  return kind === 'vector' && schema.geometry === undefined ? undefined : (srs ?? crs)
}

/** Returns the CRS of the file; undefined if that of the layer is unknown. */
function fileCrs(layer: LayerRecord, { format, srs }: DownloadRequest): CrsDeclaration | string | undefined {
  const own = ownCrs(layer)
  const { onlySrs, usualSrs } = formatsOfFiles[format]
  return own === undefined ? undefined : (onlySrs ?? srs ?? usualSrs ?? own)
}

/** Returns the code of the CRS of the file, if it has one. */
export function fileSrs(layer: LayerRecord, request: DownloadRequest): string | undefined {
  const crs = fileCrs(layer, request)
  return typeof crs === 'object' ? crs.srs : crs
}

/** Plans which rows of a layer are written, and in which format. */
export function planRowExport(
  { layer, connection, columns: shown }: EarlierLayer,
  request: DownloadRequest,
  { columns, task }: { columns: FileColumn[]; task: { workPath: string; roomBytes: number } },
): RowExportRequest {
  const { columns: rules, usualSrs, rows, lacks } = formatsOfFiles[request.format]
  const { box, filter, page } = request
  const to = fileCrs(layer, request)
  const namedSrs = typeof to === 'string' && to !== usualSrs ? to : undefined
  return {
    connection,
    table: layer.nativeName,
    columns,
    geometry: layer.details.schema.geometry,
    shown,
    as: rows,
    from: ownCrs(layer),
    to,
    namedSrs,
    maxTextBytes: rules?.maxTextBytes,
    lacks,
    hasNumberFields: rules?.hasNumberFields,
    page,
    select: { box, filter: filter && filterInTable(filter, shown) },
    path: join(task.workPath, rows === undefined ? 'rows.gpkg' : 'rows.txt'),
    name: layer.name,
    roomBytes: task.roomBytes,
    terms: termsOf(layer),
  }
}
