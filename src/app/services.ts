import type { AccessRules, Accounts, ProviderChecks } from '../access/index.ts'
import type { MetricsExport } from '../api/metrics-export/metrics-export.ts'
import type { SeriesReads } from '../api/rest/monitoring/metrics/reader-thread.ts'
import type { AuditLog, AuditSealer } from '../audit/index.ts'
import type { Catalog } from '../catalog/index.ts'
import type { DataDirectory } from '../core/config/data-directory.ts'
import type { Settings } from '../core/config/settings.ts'
import type { Database } from '../core/db/connection.ts'
import type { EventBus } from '../core/events/events.ts'
import type { Jobs } from '../core/jobs/jobs.ts'
import type { Logger } from '../core/log/logger.ts'
import type { Nodes } from '../core/nodes/nodes.ts'
import type { Clock } from '../core/time/clock.ts'
import type { Importer } from '../importer/index.ts'
import type { Monitoring, Notifications, Services } from '../monitoring/index.ts'
import type { SeriesReader } from '../monitoring/query/index.ts'
import type { ReportMails, ReportSubscriptions } from '../monitoring/report/index.ts'
import type {
  Coverages,
  Downloads,
  DrawnTiles,
  Exports,
  FilteredTables,
  MapDrawings,
  Maps,
  Pictures,
  PreviousVersions,
  Rasters,
  SideTables,
  VersionChanges,
} from '../render/index.ts'
import type { Sources } from '../sources/index.ts'
import type { GeoNodeImport } from './geonode-import.ts'
import type { Files } from './open-files.ts'
import type { Readiness } from './readiness.ts'

/** Basic parts that all others depend on. */
export interface AppBase {
  settings: Settings
  directory: DataDirectory
  database: Database
  files: Files
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
  /** Decides who may do what. */
  rules: AccessRules
  auditLog: AuditLog
  auditSealer: AuditSealer
  providerChecks: ProviderChecks
  /** Monthly usage reports by mail. */
  subscriptions: ReportSubscriptions
  reportMails: ReportMails
  nodes: Nodes
  jobs: Pick<Jobs, 'list' | 'retryFailed'>
  metrics: MetricsExport
  readiness: Readiness
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
  sources: Sources
  version: string
}
