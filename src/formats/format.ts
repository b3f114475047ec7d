import { crossesThreads } from '../core/workers/error-codec.ts'
import type { FeatureBatch } from '../geo/batch.ts'
import { batchRows } from '../geo/batch.ts'
import type { CrsDeclaration } from '../geo/crs.ts'
import type { Envelope } from '../geo/envelope.ts'
import type { Schema } from '../geo/schema.ts'

/** A main file and its sidecars, with absolute paths. Plain data: it is passed between threads. */
export interface DataFile {
  path: string
  /** Sidecars by lower-case extension without the dot, such as `dbf` or `shp.xml`. */
  sidecars: Record<string, string>
}

/** A message about a file in addition to its data. */
export interface FormatMessage {
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
  /** Nodata value. */
  noData?: number | 'nan' | 'inf' | '-inf'
  /** Color interpretation, such as `Red`, `Gray` or `Palette`. */
  color?: string
  description?: string
  /** Unit of the values, such as `m`. */
  unit?: string
}

/** The cells of a raster; plain data. */
export interface RasterDescription {
  /** Columns and rows. */
  width: number
  height: number
  bands: RasterBand[]
  /** Six affine coefficients in GDAL's order, from cells to the CRS; absent if the file has none. */
  geoTransform?: number[]
  crs?: CrsDeclaration
  /** Overviews in the file or next to it, largest first. */
  overviews: { width: number; height: number }[]
  /**
   * Number of ground control points in the file; without a `geoTransform` only they georeference the cells.
   */
  controlPointCount?: number
  /** Size of the file with its sidecars, in bytes. */
  sizeBytes?: number
}

/** Description of one layer of a file, known without loading it. Plain data: it is stored with the task. */
export interface LayerDescription {
  /** Name of the layer in the file, passed to `read`; the base name for single-layer files. */
  name: string
  schema: Schema
  /** Number of rows that `read` will yield (including rejects), if known. */
  featureCount?: number
  /** Bounds in the CRS of the data, if known. */
  envelope?: Envelope
  /** Text encoding, if the format has one. */
  charset?: string
  /** Delimiter of delimited text, if requested. */
  delimiter?: string
  messages: FormatMessage[]
  /** Description of a raster, whose schema has neither attributes nor geometry. */
  raster?: RasterDescription
}

/** Client options for reading a file. */
export interface ReadOptions {
  /**
   * Text encoding that overrides the one the file declares (any name that `lib/text/text-encoding.ts` knows).
   */
  charset?: string
  /** True to make a reader skip its own optimizations and use the library that they replace. */
  isPlain?: boolean
}

/** The same with an abort signal. */
export interface ReadContext extends ReadOptions {
  signal: AbortSignal
}

/** The error for a file that is not valid in its format: what was expected, what was found, and where. */
export class FormatError extends Error {
  readonly code: string

  constructor(message: string, options: { code?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'FormatError'
    this.code = options.code ?? 'bad-file'
  }
}

crossesThreads(FormatError)

/** Number of integers in a row location, whose meaning depends on the format. */
export const placeNumbers = 2

/** Locations of rows in a file, for reading them without reading preceding rows. */
export interface RowOffsets {
  /** Number of each row in the source, from 1. */
  rows: Float64Array
  /** `placeNumbers` 32-bit numbers for each row. */
  places: Uint32Array
}

/** A batch, and the locations of its rows in the file. */
export interface PlacedBatch {
  batch: FeatureBatch
  /** `placeNumbers` for each row of the batch. */
  places: Uint32Array
}

/** Random access to rows of one open layer; the caller must close it. */
export interface PlacedRows {
  /** Open files by extension (empty for the main file), so that the caller can detect changes. */
  readonly files: ReadonlyMap<string, { fd: number }>
  /** Yields the rows at these locations, in this order, as one or more batches. */
  read(rowOffsets: RowOffsets, signal: AbortSignal): AsyncIterable<FeatureBatch>
  close(): Promise<void>
}

/** Parts of the rows to read. */
export interface RowAccessOptions {
  /** True to omit attributes. */
  isGeometryOnly?: boolean
}

/** Random access to rows of a format, for building an index of a file and reading by it. */
export interface RowAccess {
  /** Extensions of the sidecars that determine rows, columns or CRS. */
  readonly sidecars: readonly string[]
  /** Like `Format.read`, with the location of each row. */
  scan(file: DataFile, layer: LayerDescription, context: ReadContext): AsyncIterable<PlacedBatch>
  open(
    file: DataFile,
    layer: LayerDescription,
    context: ReadContext,
    options?: RowAccessOptions,
  ): Promise<PlacedRows>
}

/**
 * Sidecar files of a main file: next to it, with the same base name, or with its whole name and a further
 * extension.
 */
interface SidecarRule {
  /** Lower-case extensions of the sidecars, without the leading dot, such as `dbf` or `shp.xml`. */
  endings: readonly string[]
  /** Extensions of their main files; absent: all of the format. */
  of?: readonly string[]
}

/** A folder that is one dataset. */
interface FolderDataset {
  /** Lower-case extensions of such folders, without the dot. */
  extensions: readonly string[]
  /** Matches a file in each of them: an archive may contain the files without their folder. */
  holds: RegExp
}

/** Options with which GDAL writes files of a format. Plain data. */
export interface WrittenByGdal {
  /** GDAL's short driver names; the first one that this GDAL can write is used. */
  drivers: readonly string[]
  /** Extension of the main file, without the dot. */
  extension: string
  /** Set if the output consists of several files, which are zipped. */
  isZipped?: true
  /** Options for `ogr2ogr`. */
  options?: readonly string[]
  /** Maximum length of a text in bytes, if longer ones are truncated. */
  maxTextBytes?: number
}

/** File names of a format: everything used before a file is opened. Plain data except `holds`. */
export interface FormatNames {
  /** Lower-case extensions of main files, without the dot. */
  extensions: readonly string[]
  /** Sidecars of a main file, in addition to the common ones (`common-sidecars.ts`). */
  sidecars?: readonly SidecarRule[]
  /**
   * Extensions of sidecars that are requested individually when a single main file is fetched, in this order.
   */
  fetchedSidecars?: readonly string[]
  /** Set if a dataset may be a folder; formats without it never get a folder. */
  folder?: FolderDataset
  /** Media types of such files on web servers, with matching extensions, the usual one first. */
  mediaTypes?: Readonly<Record<string, readonly string[]>>
}

/** Returns only the names of a format. */
export function namesOf({
  extensions,
  sidecars,
  fetchedSidecars,
  folder,
  mediaTypes,
}: FormatNames): FormatNames {
  return { extensions, sidecars, fetchedSidecars, folder, mediaTypes }
}

/**
 * A file format. `detect` examines the content, not only the name, and never throws for an unknown file.
 * `describe` and `read` throw `FormatError` if the whole file is broken; an unreadable row is a reject in its
 * batch, and reading continues if the format allows it. A reader has one batch and a bounded buffer in
 * memory, whatever the size of the file, stops soon after `signal` aborts (throwing its reason) and closes
 * every file in `finally`, also when the consumer stops early.
 */
export interface Format extends FormatNames {
  /** Name in the API, such as `Shapefile`. */
  name: string
  kind: 'vector' | 'raster'
  /** True if a layer can be published directly over the file, without loading. */
  canServeDirectly: boolean
  /**
   * True if column types are inferred from the texts of cells: `read` then also accepts a layer with text
   * attributes only, in column order, and with a geometry in any column of WKT texts.
   */
  findsTypesByText?: boolean
  /** Method by which Terrane writes files of the format, if it does. */
  writesRowsAs?: 'delimited' | 'geojson' | 'geopackage'
  /** Options with which GDAL writes files of the format, if it does. */
  writtenByGdal?: WrittenByGdal
  /** Random access to rows, for a format that is served directly. */
  rowAccess?: RowAccess
  /** Returns true if the file has this format; `head` is its first 64 KiB (less for a shorter file). */
  detect(file: DataFile, head: Uint8Array): boolean | Promise<boolean>
  /** Returns the layers of the file, with the schemas that `read` will use. */
  describe(file: DataFile, context: ReadContext): Promise<LayerDescription[]>
  /** Returns the delimiter of delimited text. */
  findDelimiter?(file: DataFile, layer: LayerDescription, context: ReadContext): Promise<string>
  /**
   * Streams one layer; `layer` must be an element of the result of `describe` for the same file and options.
   */
  read(file: DataFile, layer: LayerDescription, context: ReadContext): AsyncIterable<FeatureBatch>
}

/** The methods of a format that open files. */
export type FormatReading = Pick<Format, 'describe' | 'read'>

/** Imports the reader of a format with the first file of that format: most threads never use it. */
export function readLater(load: () => Promise<FormatReading>): FormatReading {
  return {
    describe: async (file, context) => (await load()).describe(file, context),
    async *read(file, layer, context) {
      yield* (await load()).read(file, layer, context)
    },
  }
}

/** Records the location of each row of the current batch in its file. */
export class OffsetRecorder {
  #places = new Uint32Array(batchRows * placeNumbers)

  /** `row` is the index in the batch; the location of a rejected row is overwritten by the next. */
  note(row: number, first: number, second: number): void {
    this.#places[row * placeNumbers] = first
    this.#places[row * placeNumbers + 1] = second
  }

  /** Returns the locations of the finished batch and starts the next. */
  take(rowCount: number): Uint32Array {
    const places = this.#places.subarray(0, rowCount * placeNumbers)
    this.#places = new Uint32Array(batchRows * placeNumbers)
    return places
  }
}
