import type { FeatureBatch } from '../geo/batch.ts'
import type { CrsDeclaration } from '../geo/crs.ts'
import type { Envelope } from '../geo/envelope.ts'
import type { Schema } from '../geo/schema.ts'
import { defined } from '../lib/defined.ts'
import { crossesThreads } from '../lib/workers/error-codec.ts'

/** A main file and the files that belong to it, all absolute paths. Plain data: it crosses threads. */
export interface DataFile {
  path: string
  /** Sidecars by lower-case extension without the dot, such as `dbf` or `shp.xml`. */
  sidecars: Record<string, string>
}

/** Something to tell about a file beside its data. */
export interface Message {
  level: 'info' | 'warning' | 'error'
  message: string
  /** Stable, kebab-case. */
  code: string
  row?: number
}

/** One band of a raster. */
export interface RasterBand {
  /** GDAL's name of the cell type, such as `Byte` or `Float32`. */
  dataType: string
  /** The value of cells without data. */
  noData?: number | 'nan' | 'inf' | '-inf'
  /** What the band shows, such as `Red`, `Gray` or `Palette`. */
  color?: string
  description?: string
  /** What values are in, such as `m`. */
  unit?: string
}

/** The cells of a raster; plain data. */
export interface RasterDescription {
  /** Columns and rows. */
  width: number
  height: number
  bands: RasterBand[]
  /** Six affine coefficients in GDAL's order, cell to CRS; absent where the file has none. */
  geoTransform?: number[]
  crs?: CrsDeclaration
  /** Reduced copies inside the file or beside it, largest first. */
  overviews: { width: number; height: number }[]
  /** Control points in the file; where there is no `geoTransform` they alone say where the cells lie. */
  controlPointCount?: number
  /** Bytes of the file and what belongs to it. */
  sizeBytes?: number
}

/** What one layer of a file holds, known without loading it. Plain data: it is stored with the task. */
export interface LayerDescription {
  /** The layer's name inside the file, handed back to `read`; for one-layer files the base name. */
  name: string
  schema: Schema
  /** Rows that `read` will give (rejects included), where known beforehand. */
  featureCount?: number
  /** Bounds in the data's CRS, where known. */
  envelope?: Envelope
  /** Text encoding in use, where the format has one. */
  charset?: string
  /** What stands between the cells of delimited text, where somebody has asked for it. */
  delimiter?: string
  messages: Message[]
  /** Of a raster; its schema has neither attributes nor geometry. */
  raster?: RasterDescription
}

/** What the client says of a file. */
export interface ReadOptions {
  /** Text encoding that overrides what the file declares (any name `lib/text/text-encoding.ts` knows). */
  charset?: string
  /** Whether a reader leaves out quick ways of its own and reads by the library that it stands in for. */
  isPlain?: boolean
}

/** The same, with what stops the reading. */
export interface ReadContext extends ReadOptions {
  signal: AbortSignal
}

/** A file cannot be read as its format: what was expected, what was found, and where. */
export class FormatError extends Error {
  readonly code: string

  constructor(message: string, options: { code?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'FormatError'
    this.code = options.code ?? 'bad-file'
  }
}

crossesThreads(FormatError)

/** Numbers of a place: what they mean is the format's own. */
export const placeNumbers = 2

/** Where rows of a file stand, so that they are found again without reading what lies before them. */
export interface RowPlaces {
  /** Number of each row in the source, from 1. */
  rows: Float64Array
  /** `placeNumbers` 32-bit numbers for each row. */
  places: Uint32Array
}

/** A batch, and where its rows stand in the file. */
export interface PlacedBatch {
  batch: FeatureBatch
  /** `placeNumbers` for each row of the batch. */
  places: Uint32Array
}

/** Rows of one open layer in any order; whoever opened it closes it. */
export interface PlacedRows {
  /** What is read from by extension (the main file's is empty), so that the caller can see whether it changed. */
  readonly files: ReadonlyMap<string, { fd: number }>
  /** The rows at these places, in this order, as one or more batches. */
  read(wanted: RowPlaces, signal: AbortSignal): AsyncIterable<FeatureBatch>
  close(): Promise<void>
}

/** What of the rows is wanted. */
export interface RowAccessOptions {
  /** Attributes are left out. */
  isGeometryOnly?: boolean
}

/** Of a format whose rows can be read one by one: what an index of a file is made from, and what it leads to. */
export interface RowAccess {
  /** Extensions of the sidecars that rows, columns or CRS depend on. */
  readonly sidecars: readonly string[]
  /** As `Format.read`, each row with its place. */
  scan(file: DataFile, layer: LayerDescription, context: ReadContext): AsyncIterable<PlacedBatch>
  open(
    file: DataFile,
    layer: LayerDescription,
    context: ReadContext,
    options?: RowAccessOptions,
  ): Promise<PlacedRows>
}

/** Files that belong to a main file: beside it, of the same base name or of its whole name with their ending behind. */
interface SidecarRule {
  /** Lower-case extensions of the sidecars, without the dot in front, such as `dbf` or `shp.xml`. */
  endings: readonly string[]
  /** Extensions of the main files that they go with; absent: all of the format. */
  of?: readonly string[]
}

/** A folder that is one dataset. */
interface FolderDataset {
  /** Lower-case extensions of such folders, without the dot. */
  extensions: readonly string[]
  /** The name of some file in each of them: an archive may hold the files without their folder. */
  holds: RegExp
}

/** How files of a format are written through GDAL. Plain data. */
export interface WrittenByGdal {
  /** GDAL's short driver names; the first that this GDAL can write with is used. */
  drivers: readonly string[]
  /** Extension of the main file, without the dot. */
  extension: string
  /** Of what goes into a zip, since it is several files. */
  isZipped?: true
  /** Options of `ogr2ogr`. */
  options?: readonly string[]
  /** Longest text in bytes, where longer ones are cut. */
  maxTextBytes?: number
}

/** How data of a format are called: all that is asked of a format before a file is opened. Plain but for `holds`. */
export interface FormatNames {
  /** Lower-case extensions of main files, without the dot. */
  extensions: readonly string[]
  /** What belongs to a main file, beside what belongs to every one (`common-sidecars.ts`). */
  sidecars?: readonly SidecarRule[]
  /** Extensions of sidecars that are asked for one by one where a main file is fetched alone, in this order. */
  fetchedSidecars?: readonly string[]
  /** Where a dataset may be a folder; formats without are never asked about one. */
  folder?: FolderDataset
  /** Media types by which servers send such files, with the extensions that fit each, the usual one first. */
  mediaTypes?: Readonly<Record<string, readonly string[]>>
}

/** The names alone, of what has more. */
export function namesOf({
  extensions,
  sidecars,
  fetchedSidecars,
  folder,
  mediaTypes,
}: FormatNames): FormatNames {
  return { extensions, ...defined({ sidecars, fetchedSidecars, folder, mediaTypes }) }
}

/**
 * A kind of file. `detect` looks at content, not only at the name, and never throws for a file it does not know.
 * `describe` and `read` throw `FormatError` for what is broken as a whole; a row that cannot be read is a reject in
 * its batch, and reading goes on where the format lets it. A reader holds one batch and a bounded buffer in memory
 * whatever the file's size, stops soon after `signal` aborts (throwing its reason) and closes every file in
 * `finally`, also when the consumer stops early.
 */
export interface Format extends FormatNames {
  /** The wire name, such as `Shapefile`. */
  name: string
  kind: 'vector' | 'raster'
  /** Whether a layer can be published over the file as it is, without loading. */
  canServeDirectly: boolean
  /**
   * Whether the types of columns are found by the texts of their cells: `read` takes a layer whose attributes are all text
   * too, in the order of the columns, and a geometry in any column whose texts are WKT.
   */
  findsTypesByText?: boolean
  /** Of a format whose files are written here: how. */
  writesRowsAs?: 'delimited' | 'geojson' | 'geopackage'
  /** Of a format that GDAL writes for us. */
  writtenByGdal?: WrittenByGdal
  /** Of a format that is served as it is: reads single rows. */
  rowAccess?: RowAccess
  /** True when the file is of this format; `head` is its first 64 KiB (fewer in a shorter file). */
  detect(file: DataFile, head: Uint8Array): boolean | Promise<boolean>
  /** The layers of the file, with schemas as `read` will give them. */
  describe(file: DataFile, context: ReadContext): Promise<LayerDescription[]>
  /** Of delimited text: what stands between its cells. */
  findDelimiter?(file: DataFile, layer: LayerDescription, context: ReadContext): Promise<string>
  /** Streams one layer; `layer` is an element of what `describe` gave for the same file and options. */
  read(file: DataFile, layer: LayerDescription, context: ReadContext): AsyncIterable<FeatureBatch>
}
