import type { Catalog } from '../../catalog/catalog.ts'
import type { ServiceSettings } from '../../config/service-settings.ts'
import type { Downloads } from '../../downloads/downloads.ts'
import type { Importer } from '../../importer/importer.ts'
import type { Clock } from '../../lib/clock.ts'
import type { LayerBounds } from '../layer-bounds.ts'
import type { LayerTimeBounds } from '../layer-times.ts'
import type { TileParts } from '../tiles/tile-parts.ts'
import type { HtmlParts } from './as-html.ts'
import type { KeptCounts } from './kept-counts.ts'
import type { KeptValues } from './kept-values.ts'
import type { PageTokens } from './page-token.ts'

/** Changes features of layers. */
type FeatureEdits = Pick<Importer['edits'], 'edit' | 'whyNot'>

/** What the endpoints below `/ogc` work with. */
export interface OgcParts {
  catalog: Catalog
  clock: Clock
  /** The program's, which is part of what answers are known by. */
  version: string
  /** How long a proxy may keep what is public. */
  sharedMaxAgeSeconds: number
  /** Folders whose files may be granules. */
  granuleFolders: readonly string[]
  tiles: TileParts
  downloads: Downloads
  edits: FeatureEdits
  /** Where layers lie in degrees. */
  bounds: LayerBounds
  /** What pages load. */
  pages: Omit<HtmlParts, 'version'>
  pageTokens: PageTokens
  /** When layers of features are of. */
  times: LayerTimeBounds
  /** Who offers the server. */
  about: Pick<ServiceSettings, 'contact'>
  /** What was found out about layers, each for one version of its layer. */
  kept: { counts: KeptCounts; values: KeptValues }
}
