// What worker threads and child processes use to read rows of served files. Must not import the registry of
// all formats. Start reading at `format.ts`.

export { flatgeobuf } from './flatgeobuf/flatgeobuf.ts'
export {
  type DataFile,
  type Format,
  FormatError,
  type FormatMessage,
  type LayerDescription,
  type PlacedRows,
  type RasterBand,
  type RasterDescription,
  type ReadContext,
  type RowAccess,
  type RowOffsets,
  type WrittenByGdal,
} from './format.ts'
export { type RasterFormatName, rasterDrivers } from './raster/raster-drivers.ts'
export { shapefile } from './shapefile/shapefile.ts'
