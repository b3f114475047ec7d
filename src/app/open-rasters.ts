import type { Catalog } from '../catalog/catalog.ts'
import type { DataDirectory } from '../config/data-directory.ts'
import type { Settings } from '../config/settings.ts'
import type { Importer } from '../importer/importer.ts'
import type { EventBus } from '../lib/events.ts'
import type { Logger } from '../lib/logger.ts'
import { Rasters } from '../maps/rasters/rasters.ts'

interface RastersParts {
  settings: Settings
  directory: DataDirectory
  catalog: Catalog
  importer: Pick<Importer, 'servedFolders'>
  events: EventBus
  log: Logger
}

/** Pictures of rasters; what GDAL makes for them has the limits of transformations. */
export function openRasters({ settings, directory, catalog, importer, events, log }: RastersParts): Rasters {
  const { toolSeconds, maxRasterBytes } = settings.limits
  return new Rasters({
    ...{ catalog, events, folder: directory.maps, granuleFolders: importer.servedFolders },
    limits: { toolSeconds, rasterBytes: maxRasterBytes },
    isAlone: settings.databaseUrl === undefined,
    onError: (error) => log.warn({ err: error }, 'pictures of rasters'),
  })
}
