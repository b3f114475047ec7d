import { join } from 'node:path'
import type { Permit } from '../access/index.ts'
import type { Catalog } from '../catalog/index.ts'
import type { DataDirectory } from '../core/config/data-directory.ts'
import type { Settings } from '../core/config/settings.ts'
import type { Database } from '../core/db/connection.ts'
import type { EventBus } from '../core/events/events.ts'
import type { Jobs } from '../core/jobs/jobs.ts'
import type { Logger } from '../core/log/logger.ts'
import type { Clock } from '../core/time/clock.ts'
import {
  Downloads,
  Exports,
  MapDrawings,
  Maps,
  PreviousVersions,
  SideTables,
  TileSources,
  VersionChanges,
} from '../render/index.ts'
import { createServedStore, type Readers } from '../stores/index.ts'
import type { Files } from './open-files.ts'

interface OpenMapsDeps {
  permit: Permit
  settings: Settings
  directory: DataDirectory
  catalog: Catalog
  readers: Readers
  database: Database
  files: Files
  jobs: Jobs
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
  { permit, settings, directory, catalog, readers, database, files, jobs, events, clock, log }: OpenMapsDeps,
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
  const store = files.mirror && { files: files.stored, redirects: files.redirects }
  const kept = { folder: join(directory.maps, 'exports'), maxBytes: limits.maxExportBytes, store }
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
  const exports = new Exports({ permit, maps, layers, earlier, database, jobs, events, clock, log }, kept)
  closers.push(() => exports.close())
  const downloads = new Downloads(
    { permit, catalog, earlier, database, jobs, events, clock, log },
    { folder: join(directory.maps, 'downloads'), maxBytes: limits.maxDownloadBytes, store },
  )
  closers.push(() => downloads.close())
  const versionChanges = new VersionChanges({ catalog, root: directory.maps })
  closers.push(() => versionChanges.close())
  const start = (): void => {
    for (const part of [sources, maps, earlier, versionChanges]) void part.start()
  }
  return { maps, drawings, exports, downloads, sides, earlier, versionChanges, start }
}
