import type { Catalog } from '../../catalog/index.ts'
import type { ServiceSettings } from '../../core/config/service-settings.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Importer } from '../../importer/index.ts'
import type { Downloads } from '../../render/index.ts'
import type { LayerBounds } from '../layer-bounds.ts'
import type { LayerTimeBounds } from '../layer-times.ts'
import type { TileDeps } from '../tiles/send-tile.ts'
import type { HtmlPageSettings } from './as-html.ts'
import type { CachedCounts } from './cached-counts.ts'
import type { CachedValues } from './cached-values.ts'
import type { PageTokens } from './page-token.ts'

/** Changes features of layers. */
export type FeatureEdits = Pick<Importer['edits'], 'edit' | 'whyNot'>

/** Dependencies of the endpoints below `/ogc`. */
export interface OgcDeps {
  catalog: Catalog
  clock: Clock
  /** Program version, which is part of `ETag`s. */
  version: string
  /** Time that a proxy may cache public responses. */
  sharedMaxAgeSeconds: number
  /** Folders whose files may be granules. */
  granuleFolders: readonly string[]
  tiles: TileDeps
  downloads: Downloads
  edits: FeatureEdits
  /** Bounds of layers in degrees. */
  bounds: LayerBounds
  /** Assets of HTML pages. */
  pages: Omit<HtmlPageSettings, 'version'>
  pageTokens: PageTokens
  /** Temporal extents of feature layers. */
  times: LayerTimeBounds
  /** Publisher of the server. */
  about: Pick<ServiceSettings, 'contact'>
  /** Cached facts about layers, each for one version of its layer. */
  kept: { counts: CachedCounts; values: CachedValues }
}

/** The catalogue, and the inputs of caching headers. */
export type CatalogPageDeps = Pick<OgcDeps, 'catalog' | 'version' | 'sharedMaxAgeSeconds'>

/** Dependencies of records of layers. */
export type RecordDeps = CatalogPageDeps & Pick<OgcDeps, 'bounds' | 'times' | 'about'>
