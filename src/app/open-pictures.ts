import { join } from 'node:path'
import type { Catalog } from '../catalog/index.ts'
import type { DataDirectory } from '../core/config/data-directory.ts'
import type { Settings } from '../core/config/settings.ts'
import type { EventBus } from '../core/events/events.ts'
import type { Logger } from '../core/log/logger.ts'
import type { Importer } from '../importer/index.ts'
import {
  Coverages,
  DrawnTiles,
  FilteredTables,
  type MapDrawings,
  type Maps,
  Pictures,
  Rasters,
} from '../render/index.ts'

interface OpenPicturesDeps {
  settings: Settings
  directory: DataDirectory
  catalog: Catalog
  maps: Maps
  drawings: MapDrawings
  importer: Pick<Importer, 'servedFolders'>
  events: EventBus
  log: Logger
}

/** Opens the map renderers. GDAL programs for raster maps have the limits of transformations. */
export function openPictures(
  { settings, directory, catalog, maps, drawings, importer, events, log }: OpenPicturesDeps,
  closers: (() => void | Promise<void>)[],
): {
  rasters: Rasters
  pictures: Pictures
  drawnTiles: DrawnTiles
  coverages: Coverages
  filtered: FilteredTables
} {
  const { toolSeconds, maxRasterBytes } = settings.limits
  const onError = (error: unknown): void => log.warn({ err: error }, 'pictures')
  const rasters = new Rasters({
    keepTiles: (maker) => maps.keep(maker),
    catalog,
    events,
    folder: directory.maps,
    granuleFolders: importer.servedFolders,
    onError,
    limits: { toolSeconds, rasterBytes: maxRasterBytes },
    isAlone: settings.databaseUrl === undefined,
  })
  const coverages = new Coverages({
    catalog,
    rasters,
    folder: join(directory.maps, 'coverages'),
    maxBytes: maxRasterBytes,
    onError,
  })
  const filtered = new FilteredTables({ catalog, folder: join(directory.maps, 'filtered'), onError })
  const pictures = new Pictures({ onError })
  closers.push(
    () => rasters.close(),
    () => coverages.close(),
    () => filtered.close(),
    () => pictures.close(),
  )
  const drawnTiles = new DrawnTiles({
    keepTiles: (maker) => maps.keep(maker),
    layers: catalog.layers,
    drawings,
    pictures,
  })
  return { rasters, pictures, drawnTiles, coverages, filtered }
}
