import { join } from 'node:path'
import type { SeriesReads } from '../api/rest/monitoring/metrics/reader-thread.ts'
import { baseUrl } from '../api/server/links.ts'
import type { Vault } from '../core/secrets/vault.ts'
import { createVault } from '../core/secrets/vault.ts'
import type { RemoteAccess } from '../inputs/index.ts'
import type { AlertReads } from '../monitoring/alert-thread.ts'
import {
  type CreateNotificationsDeps,
  configureFirst,
  createNotifications,
  Monitoring,
  type Notifications,
  type SeriesLocation,
  Services,
} from '../monitoring/index.ts'
import { SeriesReader } from '../monitoring/query/index.ts'
import { GeoNodeImport } from './geonode-import.ts'
import type { AppBase, MonitoringServices } from './services.ts'

interface OpenMonitoringDeps extends AppBase {
  remote: RemoteAccess
  /** Problems of sources, by the id of their check. */
  reported: CreateNotificationsDeps['reported']
}

/**
 * Opens the parts of monitoring; with `TERRANE_MONITORING=off` none of them works, and `monitoring` is
 * absent. Adds functions that close them to `closers`; the last one must be called first.
 */
export async function openMonitoring(
  deps: OpenMonitoringDeps,
  closers: (() => void | Promise<void>)[],
): Promise<MonitoringServices> {
  const { settings, directory, database, events, clock, log } = deps
  const { isOn, privacy, mapServers, maxAnswerRows: maxRows } = settings.monitoring
  const location: SeriesLocation =
    settings.databaseUrl === undefined
      ? { path: join(directory.root, 'monitoring.sqlite') }
      : { url: settings.databaseUrl.reveal() }
  const entry = new URL('../api/rest/monitoring/metrics/reader-thread.ts', import.meta.url)
  const series = new SeriesReader<SeriesReads>({ location, entry, log, maxRows })
  const alertValues = new SeriesReader<AlertReads>({
    location,
    entry: new URL('../monitoring/alert-thread.ts', import.meta.url),
    log,
    maxRows,
    heavyThreads: 0,
    lightThreads: 1,
    keptThreads: 1,
  })
  closers.push(() => Promise.all([series.close(), alertValues.close()]).then(() => undefined))
  const vault = createVault(directory.key)
  const services = new Services(database, vault)
  const notifications = openNotifications(deps, { services, alertValues, vault })
  const geonodeImport = new GeoNodeImport({
    services,
    checks: notifications.checks,
    clock,
    privacy,
    location,
    folder: directory.root,
  })
  const parts = { services, series, notifications, geonodeImport }
  if (!isOn) return parts
  await database.alone(() => configureFirst({ services, baseUrl: baseUrl(settings.server), mapServers }))
  closers.push(() => notifications.stop())
  await notifications.start()
  const monitoring = new Monitoring({
    settings: settings.monitoring,
    location,
    services,
    notifications,
    events,
    clock,
    log,
  })
  closers.push(() => monitoring.stop())
  monitoring.start()
  return { ...parts, monitoring }
}

interface AlertsDeps extends Pick<MonitoringServices, 'services'> {
  alertValues: SeriesReader<AlertReads>
  vault: Vault
}

function openNotifications(
  { settings, database, remote, clock, log, reported }: OpenMonitoringDeps,
  { services, alertValues, vault }: AlertsDeps,
): Notifications {
  return createNotifications({
    settings: settings.monitoring,
    baseUrl: baseUrl(settings.server),
    outbound: { connect: remote.guard.connect, authorities: remote.authorities },
    vault,
    database,
    clock,
    log,
    services: () => services.list(),
    reported,
    values: {
      value: (query) => alertValues.read('metricValue', query),
      labels: (query) => alertValues.read('checkLabels', query),
      findResource: (id) => alertValues.read('checkResource', id),
      findResourceId: (resource) => alertValues.read('findCheckResource', resource),
      report: (error) => log.warn({ err: error }, 'a check cannot be evaluated'),
    },
  })
}
