// Workspaces, stores, layers, styles and versions. Does not know HTTP, imports or monitoring. Start reading
// at `catalog.ts`.

export { Catalog } from './catalog.ts'
export { markRaster, type RasterFile, type RasterMark } from './files/raster-folder.ts'
export {
  type AnyConnection,
  type Discovery,
  type GroupMember,
  type GroupMode,
  groupModes,
  hiddenSecret,
  type LayerDetails,
  type LayerGroup,
  type LayerRecord,
  type LayerTimes,
  type Managed,
  type MapLayer,
  managedKinds,
  type Quota,
  type QuotaKind,
  type SavedMap,
  type StoreKind,
  type StoreMaker,
  type StoreRecord,
  type StyleRecord,
  storeKinds,
  versionCauses,
  type Workspace,
} from './records.ts'
export type { GroupValues } from './rows/group-rows.ts'
export { requireManaged, whyNotManaged } from './rows/in-place.ts'
export type { LockRecord as FeatureLock } from './rows/lock-rows.ts'
export { granuleFile } from './rows/mosaic-index.ts'
export type { FeaturesOfLayer, GrantedLock } from './services/feature-locks.ts'
export { publishMode } from './services/insert-published.ts'
export type { Dependents, StoreInventory, WorkspaceInventory } from './services/inventory.ts'
export {
  type GroupLayer,
  type GroupName,
  textOf as groupText,
  unknownGroup,
} from './services/layer-groups.ts'
export type { LayerChange, Layers, LayerVersion, StateReading } from './services/layers.ts'
export type { ListedRaster, MosaicFacts, RasterToPublish } from './services/published-rasters.ts'
export type { ListedTable, TableToPublish } from './services/published-tables.ts'
export type { QuotaAddition, Quotas, QuotaUsage } from './services/quotas.ts'
export { type MapValues, unknownMap } from './services/saved-maps.ts'
export { settledLayer } from './services/settled-layer.ts'
export type { StoreInput } from './services/stores.ts'
export type { CatalogTransaction, LayerEdit, NewFileStore } from './services/transaction.ts'
export {
  type RestoredPart,
  type RestorePlan,
  restoredParts,
  type VersionedLayer,
  type VersionRecord,
  type VersionSummary,
} from './services/versions.ts'
export {
  chooseSummaries,
  type SummaryCounts,
  type SummaryFilter,
  searchWords,
} from './summaries/choose-summaries.ts'
export { type SummarySet, sortSummaries } from './summaries/layer-summaries.ts'
export { type LayerSummary, type SummaryKind, summaryKinds } from './summaries/layer-summary.ts'
export { type LayerProblem, layerProblems } from './summaries/store-availability.ts'
export {
  comparePositions,
  isFalling,
  plainKey,
  rankOf,
  type SummaryOrder,
  type SummaryPosition,
  summaryOrders,
} from './summaries/summary-order.ts'
export type { ContentEnd } from './versions/contents.ts'
