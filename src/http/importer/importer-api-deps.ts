import type { Catalog } from '../../catalog/catalog.ts'
import type { Dialect } from '../../config/settings.ts'
import type { Importer } from '../../importer/importer.ts'
import type { OpenStreams } from './open-streams.ts'

/** Dependencies of the importer's endpoints. */
export interface ImporterApiDeps {
  importer: Importer
  catalog: Catalog
  dialect: Dialect
  /** Most bytes of an upload. */
  maxUploadBytes: number
  /** Folders of the operator's own that uploads may name files of. */
  importRoots: readonly string[]
  /** Streams of events that do not end by themselves. */
  streams: OpenStreams
}
