import { join } from 'node:path'
import type { Catalog } from '../catalog/catalog.ts'
import type { DataDirectory } from '../config/data-directory.ts'
import type { Settings } from '../config/settings.ts'
import { Downloads } from '../downloads/downloads.ts'
import type { Clock } from '../lib/clock.ts'
import type { EventBus } from '../lib/events.ts'
import type { Logger } from '../lib/logger.ts'
import { MapDrawings } from '../maps/drawing/map-drawings.ts'
import { Exports } from '../maps/export/exports.ts'
import { Maps } from '../maps/maps.ts'
import { SideTables } from '../maps/sources/side-tables.ts'
import { TileSources } from '../maps/sources/tile-sources.ts'
import { PreviousVersions } from '../maps/versions/previous-versions.ts'
import { VersionChanges } from '../maps/versions/version-changes.ts'
import type { Readers } from '../stores/reading/readers.ts'
import { createServedStore } from '../stores/reading/served-store.ts'

interface OpenMapsDeps {
  settings: Settings
  directory: DataDirectory
  catalog: Catalog
  readers: Readers
  events: EventBus
  clock: Clock
  log: Logger
}

/** Maps and their exports. */
export interface OpenedMaps {
  maps: Maps
  exports: Exports
  /** Files with the rows of layers, for download. */
  downloads: Downloads
  /** Map rendering. */
  drawings: MapDrawings
  /** Maps of tables without a layer. */
  sides: SideTables
  /** Read access to earlier versions of layers. */
  earlier: PreviousVersions
  /** Differences between versions. */
  versionChanges: VersionChanges
  /** Removes files left by an earlier process, in the background. */
  start(): void
}

/** Adds functions that close the parts to `closers`; the last one must be called first. */
export function openMaps(
  { settings, directory, catalog, readers, events, clock, log }: OpenMapsDeps,
  closers: (() => void | Promise<void>)[],
): OpenedMaps {
  const { limits } = settings
  const { layers } = catalog
  const sources = new TileSources({
    catalog,
    events,
    log,
    root: directory.maps,
    maxCopyBytes: limits.maxTileCopyBytes,
    openStore: (connection) => createServedStore(connection, readers),
  })
  closers.push(() => sources.close())
  const cache = { root: directory.maps, maxBytes: limits.maxTileBytes }
  const maps = new Maps({ layers, sources, events, cache, log })
  closers.push(() => maps.close())
  const drawings = new MapDrawings({ layers, sources, log, folder: join(directory.maps, 'drawings') })
  closers.push(() => drawings.close())
  const kept = { folder: join(directory.maps, 'exports'), maxBytes: limits.maxExportBytes }
  const sides = new SideTables({ openStore: (connection) => createServedStore(connection, readers) })
  closers.push(() => sides.close())
  const earlier = new PreviousVersions({
    catalog,
    log,
    sides,
    root: directory.maps,
    maxBytes: limits.maxTileCopyBytes,
    openStore: (connection) => createServedStore(connection, readers),
  })
  closers.push(() => earlier.close())
  const exports = new Exports({ maps, layers, earlier, events, clock, log }, kept)
  closers.push(() => exports.close())
  const downloads = new Downloads(
    { catalog, earlier, events, clock, log },
    { folder: join(directory.maps, 'downloads'), maxBytes: limits.maxDownloadBytes },
  )
  closers.push(() => downloads.close())
  const versionChanges = new VersionChanges({ catalog, root: directory.maps })
  closers.push(() => versionChanges.close())
  const start = (): void => {
    for (const part of [sources, maps, exports, downloads, earlier, versionChanges]) void part.start()
  }
  return { maps, drawings, exports, downloads, sides, earlier, versionChanges, start }
}
