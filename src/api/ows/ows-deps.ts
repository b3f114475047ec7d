import type { Catalog } from '../../catalog/index.ts'
import type { ServiceSettings } from '../../core/config/service-settings.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Importer } from '../../importer/index.ts'
import type { Coverages, Downloads, FilteredTables, MapDrawings } from '../../render/index.ts'
import type { LayerBounds } from '../layer-bounds.ts'
import type { LayerTimeBounds } from '../layer-times.ts'
import type { CachedCounts } from '../ogcapi/cached-counts.ts'
import type { PageTokens } from '../ogcapi/page-token.ts'
import type { PictureDeps, TileImageDeps } from '../tiles/picture-deps.ts'
import type { CachedPositions } from './cached-positions.ts'
import type { RequestDocuments } from './request-documents.ts'

/** Parts of the catalogue that the services read. */
export type OwsCatalog = Pick<
  Catalog,
  'layers' | 'featureLocks' | 'layerGroups' | 'styles' | 'stores' | 'cards' | 'versions' | 'workspaces'
>

/** Dependencies of WMS, WFS, WCS and WMTS. */
export interface OwsDeps extends Omit<PictureDeps, 'catalog'> {
  catalog: OwsCatalog
  bounds: LayerBounds
  /** Metadata of the services. */
  about: ServiceSettings
  /** Temporal extents of feature layers. */
  times: LayerTimeBounds
  drawings: MapDrawings
  /** True if maps may be drawn with styles in the request. */
  takesSentStyles: boolean
  /** Parts of coverages as files. */
  coverages: Coverages
  /** Rows that filters leave, for maps. */
  filtered: FilteredTables
  features: FeatureDeps
  /** Changes features of layers. */
  edits: Pick<Importer['edits'], 'editAll' | 'hold' | 'whyNot'>
  /** Reads the XML, the forms and the filters of requests. */
  documents: RequestDocuments
}

/** Dependencies of the capabilities of a service. */
export type CapabilitiesDeps = Pick<OwsDeps, 'catalog' | 'bounds' | 'about'>

/** Dependencies of the tiles of a service. */
export type ServiceTileDeps = Pick<OwsDeps, 'catalog' | 'maps' | keyof TileImageDeps>

/** Dependencies of features at a cell of a map or a tile. */
export type FeatureInfoDeps = Pick<OwsDeps, 'catalog' | 'features' | 'documents' | 'limiter' | 'rasters'>

/** Dependencies of reading and writing features. */
export interface FeatureDeps {
  clock: Clock
  downloads: Downloads
  pageTokens: PageTokens
  counts: CachedCounts
  positions: CachedPositions
}
