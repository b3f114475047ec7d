import type { ConfiguredService, ImportProgress } from '../../packages/geonode-migration/index.ts'
import { DumpError, prepareImport } from '../../packages/geonode-migration/index.ts'
import type { PrivacyMode } from '../core/config/monitoring-settings.ts'
import { invalid } from '../core/errors/errors.ts'
import type { CallContext } from '../core/workers/handlers.ts'
import { serveWork } from '../core/workers/serve-work.ts'
import type { SeriesLocation } from '../monitoring/index.ts'
import { openSeriesImport } from '../monitoring/series-import/series-import.ts'

/** Start data of the thread of an import. */
export interface ImportThreadData {
  location: SeriesLocation
  privacy: PrivacyMode
  /** The dump. */
  path: string
  /** File for the staged dump, which must not exist. */
  stagingPath: string
  /** Milliseconds since 1970. */
  now: number
}

async function createHandlers({ location, path, stagingPath, privacy, now }: ImportThreadData) {
  const target = await openSeriesImport(location, { privacy, now })
  return {
    prepare: async (services: readonly ConfiguredService[], { notify }: CallContext<ImportProgress>) => {
      try {
        return await prepareImport(target, { path, stagingPath, services, onProgress: notify })
      } catch (error) {
        throw error instanceof DumpError ? invalid('bad-dump', error.message, { cause: error }) : error
      }
    },
    publish: ({ digest, services }: { digest: string; services: Map<number, number> }) =>
      target.publish(digest, services),
    close: () => target.close(),
  }
}

/** Handlers of the thread of an import. */
export type ImportThreadWork = Awaited<ReturnType<typeof createHandlers>>

serveWork<ImportThreadWork, ImportThreadData>((data, _tell, allowReset) => {
  // The server calls `close` after an import.
  allowReset()
  return createHandlers(data)
})
