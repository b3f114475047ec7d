// Stores of rows and rasters: GeoPackage, PostGIS and served files. Knows no layer, style or import. Start
// reading at `store.ts`.

export type { RowMatch } from './change-files/spooled-rows.ts'
export type { ChangeCounts, SparedRows, TableComparison, UpsertRules } from './changes.ts'
export type { StoreDescription } from './description.ts'
export type {
  DecideChange,
  EditCounts,
  EditedTable,
  EditRequest,
  FeatureChange,
  FeatureEditResult,
  TableEdit,
  TableEditResult,
} from './edits.ts'
export { fingerprintFile } from './file-state.ts'
export { indexName } from './files/file-source.ts'
export { IndexMaker } from './files/index/index-maker.ts'
export { leftOutMessage } from './files/index/layout.ts'
export { withSidecars } from './files/with-sidecars.ts'
export type { RowPosition, SortKey } from './order.ts'
export {
  type AnyStoreType,
  type CoverageStoreType,
  coverageStoreTypes,
  isCoverageStoreType,
  mosaicType,
  rasterFolderType,
} from './rasters/coverage-types.ts'
export { coverageMediaType, fileMediaType, fileMediaTypes } from './rasters/media-type.ts'
export { findRasterFile, rasterState } from './rasters/raster-files.ts'
export { readRaster } from './rasters/read-raster.ts'
export type { ColumnValues } from './reading/column-values.ts'
export {
  type FeaturePageRequest,
  type FileLink,
  type MapPoint,
  type PagePart,
  type PropertySelection,
  type RequestBox,
  shownSchema,
  type WrittenForm,
} from './reading/feature-page-request.ts'
export { IndexedStore } from './reading/indexed-store.ts'
export { isHeavyRead, lightRows } from './reading/read-cost.ts'
export { Readers, type ReadersSettings } from './reading/readers.ts'
export { createServedStore, type ServedStore } from './reading/served-store.ts'
export type { ShownColumns, Tile, TileRequest, TileSource } from './reading/tile-request.ts'
export type { ChangePageRequest } from './reading/write-change-page.ts'
export { onServerChange } from './server-changes.ts'
export {
  type FeaturePage,
  type FeatureQuery,
  type LoadHooks,
  type LoadMode,
  type LoadRequest,
  type LoadResult,
  loadModes,
  type NotRetained,
  type NumberedEnvelopes,
  type PreparedLoad,
  type RestoreRequest,
  type StagedLoad,
  type StatePath,
  type StoreConnection,
  type StoreParameters,
  type StoreType,
  type TableDescription,
  type TableSnapshot,
  type TableState,
  type TileReads,
  type TimeBounds,
  type UniqueKey,
  type UpdateMode,
  updateModes,
  type VectorStore,
} from './store.ts'
export { type TableSummary, tableKinds } from './table-summary.ts'
