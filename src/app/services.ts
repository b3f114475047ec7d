import type { Accounts } from '../accounts/accounts.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { DataDirectory } from '../config/data-directory.ts'
import type { Settings } from '../config/settings.ts'
import type { Database } from '../db/connection.ts'
import type { Coverages } from '../downloads/coverages.ts'
import type { Downloads } from '../downloads/downloads.ts'
import type { FilteredTables } from '../downloads/filtered-tables.ts'
import type { SeriesReads } from '../http/monitoring/metrics/reader-thread.ts'
import type { Importer } from '../importer/importer.ts'
import type { Clock } from '../lib/clock.ts'
import type { EventBus } from '../lib/events.ts'
import type { Logger } from '../lib/logger.ts'
import type { DrawnTiles } from '../maps/drawing/drawn-tiles.ts'
import type { MapDrawings } from '../maps/drawing/map-drawings.ts'
import type { Exports } from '../maps/export/exports.ts'
import type { Maps } from '../maps/maps.ts'
import type { Pictures } from '../maps/pictures/pictures.ts'
import type { Rasters } from '../maps/rasters/rasters.ts'
import type { SideTables } from '../maps/sources/side-tables.ts'
import type { PreviousVersions } from '../maps/versions/previous-versions.ts'
import type { VersionChanges } from '../maps/versions/version-changes.ts'
import type { Monitoring } from '../monitoring/monitoring.ts'
import type { Notifications } from '../monitoring/notify/notifications.ts'
import type { SeriesReader } from '../monitoring/query/series-reader.ts'
import type { Services } from '../monitoring/services/services.ts'
import type { GeoNodeImport } from './geonode-import.ts'

/** Basic parts that all others depend on. */
export interface AppBase {
  settings: Settings
  directory: DataDirectory
  database: Database
  events: EventBus
  log: Logger
  clock: Clock
}

/** Parts of monitoring, which exist whether or not it is enabled. */
export interface MonitoringServices {
  /** Absent where it is off. */
  monitoring?: Monitoring
  /** Monitored services. */
  services: Services
  /** Queries stored monitoring data outside of this thread. */
  series: SeriesReader<SeriesReads>
  geonodeImport: GeoNodeImport
  /** Alert rules and their receivers. */
  notifications: Notifications
}

/** All parts of a server; only `src/app` sees all of them, and passes each area what it uses. */
export interface AppServices extends AppBase, MonitoringServices {
  accounts: Accounts
  catalog: Catalog
  maps: Maps
  drawings: MapDrawings
  exports: Exports
  downloads: Downloads
  coverages: Coverages
  filtered: FilteredTables
  /** Read access to earlier versions of layers. */
  earlier: PreviousVersions
  versionChanges: VersionChanges
  sides: SideTables
  rasters: Rasters
  pictures: Pictures
  drawnTiles: DrawnTiles
  importer: Importer
  version: string
}
