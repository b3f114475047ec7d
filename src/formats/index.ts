// Detects, describes and reads files, one folder per format. Knows no store, layer or import. Start reading
// at `format.ts`.

export { foreignContent, htmlPage } from './content-name.ts'
export {
  canStandAlone,
  extensionOf,
  extensionsOfMediaType,
  extensionsWithMediaType,
  fetchedSidecars,
  goesWith,
  isFolderContent,
  isFolderDataset,
  isSidecarExtension,
  withoutFolderEnding,
} from './file-names.ts'
export { outgrown, spaceFor, withDiskWatch } from './gdal/disk-watch.ts'
export { describeLayers, readLayer, sqlite } from './gdal/gdal.ts'
export type { GdalDriver } from './gdal/gdal-drivers.ts'
export { type GdalSource, withGdalDatabase } from './gdal/gdal-programs.ts'
export { findProjJson } from './gdal/projjson.ts'
export { limitedProgram, safeConfig, throwUnreadable } from './gdal/safe-gdal.ts'
export { findWritingDriver, writeByGdal } from './gdal/write-by-gdal.ts'
export { type RasterSource, withRasterSource } from './raster/raster-programs.ts'
