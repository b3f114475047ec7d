// Draws and writes layers: tiles, maps, rasters, thumbnails, tile archives and downloads. Does not know HTTP
// or imports. Start reading at `maps.ts`.

export { BackgroundMap, deepestZoom } from './background/background-map.ts'
export {
  type AxisScale,
  type CoverageFileRequest,
  type CoverageGrid,
  Coverages,
  type CutFormat,
  cornerOf,
  cutFormats,
  envelopeOf,
  type Resampling,
  windowOf,
} from './downloads/coverages.ts'
export {
  type DownloadFormat,
  type DownloadRecord,
  type DownloadRequest,
  Downloads,
  downloadFormats,
  formatsOfFiles,
} from './downloads/downloads.ts'
export { type FilteredTable, type FilteredTableQuery, FilteredTables } from './downloads/filtered-tables.ts'
export { type ExportFormat, exportFormats } from './export/archive.ts'
export { type ExportRequest, Exports } from './export/exports.ts'
export { type CachedTile, Maps } from './maps.ts'
export { DrawnTiles } from './mapserver/drawn-tiles.ts'
export {
  type DrawingFormat,
  type DrawingRequest,
  drawingFormats,
  MapDrawings,
  type StyledLayer,
} from './mapserver/map-drawings.ts'
export {
  emptyPicture,
  type MapFormat,
  mapMediaTypes,
  type PictureFormat,
  pictureMediaTypes,
} from './pictures/encode-picture.ts'
export { type PaletteColor, writeIndexedPng } from './pictures/indexed-png.ts'
export { type OverlayFormat, Pictures } from './pictures/pictures.ts'
export { boxInCrs, frameOfBox } from './rasters/box-frame.ts'
export { type Background, type MapFrame, mapFrame, mercatorOfDegrees } from './rasters/map-frame.ts'
export {
  type BandSummary,
  type BandValue,
  type RasterMapRequest,
  type RasterPosition,
  Rasters,
} from './rasters/rasters.ts'
export { parseTime, type TimeSelection } from './rasters/time-selection.ts'
export { type SideTable, SideTables } from './sources/side-tables.ts'
export { TileSources } from './sources/tile-sources.ts'
export { Thumbnails } from './thumbnails/thumbnails.ts'
export { type EarlierLayer, PreviousVersions, requireVectorTiles } from './versions/previous-versions.ts'
export { VersionChanges, type VersionDifference } from './versions/version-changes.ts'
