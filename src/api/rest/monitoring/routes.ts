import type { ApiArea, App, FastifyRequest } from '../../app-types.ts'
import { countReaders } from '../../compat/dialect.ts'
import { addEndpoints, endpoint } from '../../endpoint.ts'
import { answerFailures } from '../../errors.ts'
import { changeCheck, deleteCheck, listDeliveries, showCheck, testCheck } from './checks/configuration.ts'
import type { CheckDeps } from './checks/notifications.ts'
import { createCheck, listNotifications } from './checks/notifications.ts'
import { showStatus } from './checks/status.ts'
import { envelopeWriter } from './envelope.ts'
import { acceptForms } from './forms.ts'
import type { LoadDumpDeps } from './load.ts'
import { loadDump, showLoad } from './load.ts'
import type { ExceptionDeps } from './metrics/exceptions.ts'
import { listExceptions, showException } from './metrics/exceptions.ts'
import { listEventTypes, listMetrics, listResourceTypes } from './metrics/lists.ts'
import type { MetricDataDeps } from './metrics/metric-data.ts'
import { showMetricData } from './metrics/metric-data.ts'
import { listLabels, listResources } from './metrics/resources.ts'
import type { DemandDeps } from './report/demand-tiles.ts'
import { getDemandPicture, getDemandTile } from './report/demand-tiles.ts'
import type { ReportDeps } from './report/report.ts'
import { showReport } from './report/report.ts'
import type { SubscriptionDeps } from './report/subscriptions.ts'
import { createSubscription, deleteSubscription, listSubscriptions } from './report/subscriptions.ts'
import type { HostDeps } from './services/hosts.ts'
import { changeHost, createHost, listHosts, removeHost, showHost } from './services/hosts.ts'
import type { AutoconfigureApiDeps, ServiceDeps } from './services/services.ts'
import {
  autoconfigure,
  changeService,
  createService,
  listServices,
  removeService,
  showService,
} from './services/services.ts'

/** `/monitoring/api`: what is watched. */
export const watchedEndpoints = [
  endpoint('GET', '/monitoring/api/hosts', 'user', 'unrecorded', { listHosts }),
  endpoint('POST', '/monitoring/api/hosts', 'admin', 'unrecorded', { createHost }),
  endpoint('GET', '/monitoring/api/hosts/:id', 'user', 'unrecorded', { showHost }),
  endpoint('PUT', '/monitoring/api/hosts/:id', 'admin', 'unrecorded', { changeHost }),
  endpoint('DELETE', '/monitoring/api/hosts/:id', 'admin', 'unrecorded', { removeHost }),
  endpoint('GET', '/monitoring/api/services', 'user', 'unrecorded', { listServices }),
  endpoint('POST', '/monitoring/api/services', 'admin', 'unrecorded', { createService }),
  endpoint('GET', '/monitoring/api/services/:id', 'user', 'unrecorded', { showService }),
  endpoint('PUT', '/monitoring/api/services/:id', 'admin', 'unrecorded', { changeService }),
  endpoint('DELETE', '/monitoring/api/services/:id', 'admin', 'unrecorded', { removeService }),
  endpoint('POST', '/monitoring/api/autoconfigure', 'staff', 'unrecorded', { autoconfigure }),
]

/** `/monitoring/api`: what was counted. */
export const countedEndpoints = [
  endpoint('GET', '/monitoring/api/metrics', 'user', 'unrecorded', { listMetrics }),
  endpoint('GET', '/monitoring/api/resource_types', countReaders, 'unrecorded', { listResourceTypes }),
  endpoint('GET', '/monitoring/api/event_types', countReaders, 'unrecorded', { listEventTypes }),
  endpoint('GET', '/monitoring/api/metric_data/:metric', countReaders, 'unrecorded', { showMetricData }),
  endpoint('GET', '/monitoring/api/resources', countReaders, 'unrecorded', { listResources }),
  endpoint('GET', '/monitoring/api/labels', countReaders, 'unrecorded', { listLabels }),
  endpoint('GET', '/monitoring/api/exceptions', 'staff', 'unrecorded', { listExceptions }),
  endpoint('GET', '/monitoring/api/exceptions/:id', 'staff', 'unrecorded', { showException }),
]

/** `/monitoring/api/report`: usage of a period; `/monitoring/tiles/demand`: where people look. */
export const reportEndpoints = [
  endpoint('GET', '/monitoring/api/report', countReaders, 'unrecorded', { showReport }),
  endpoint('GET', '/monitoring/api/report/subscriptions', 'staff', 'unrecorded', { listSubscriptions }),
  endpoint('POST', '/monitoring/api/report/subscriptions', 'staff', 'unrecorded', { createSubscription }),
  endpoint('DELETE', '/monitoring/api/report/subscriptions/:id', 'staff', 'unrecorded', {
    deleteSubscription,
  }),
  endpoint('GET', '/monitoring/tiles/demand/:layer/:z/:x/:y.mvt', countReaders, 'unrecorded', {
    getDemandTile,
  }),
  endpoint('GET', '/monitoring/tiles/demand/:layer/:z/:x/:y.png', countReaders, 'unrecorded', {
    getDemandPicture,
  }),
]

/** `/monitoring/api/load`, whose body is a dump and no form. */
export const loadEndpoints = [
  endpoint('GET', '/monitoring/api/load', 'admin', 'unrecorded', { showLoad }),
  endpoint('POST', '/monitoring/api/load', 'admin', 'unrecorded', { loadDump }),
]

/** Checks: current problems, definitions, and sent notifications. */
export const checkEndpoints = [
  endpoint('GET', '/monitoring/api/status', 'user', 'unrecorded', { showStatus }),
  endpoint('GET', '/monitoring/api/notifications', 'user', 'unrecorded', { listNotifications }),
  endpoint('POST', '/monitoring/api/notifications', 'staff', 'unrecorded', { createCheck }),
  endpoint('GET', '/monitoring/api/notifications/config/:id', 'staff', 'unrecorded', { showCheck }),
  endpoint('POST', '/monitoring/api/notifications/config/:id', 'staff', 'unrecorded', { changeCheck }),
  endpoint('DELETE', '/monitoring/api/notifications/config/:id', 'staff', 'unrecorded', { deleteCheck }),
  endpoint('GET', '/monitoring/api/notifications/config/:id/deliveries', 'staff', 'unrecorded', {
    listDeliveries,
  }),
  endpoint('POST', '/monitoring/api/notifications/config/:id/test', 'staff', 'unrecorded', { testCheck }),
]

/** Dependencies of monitoring's endpoints. */
export interface MonitoringApiDeps {
  watched: HostDeps & ServiceDeps & AutoconfigureApiDeps
  counted: MetricDataDeps & ExceptionDeps
  reports: ReportDeps & SubscriptionDeps & DemandDeps
  loads: LoadDumpDeps
  checks: CheckDeps
}

/** `/monitoring` and everything below. */
export function monitoringAreas({ watched, counted, reports, loads, checks }: MonitoringApiDeps): ApiArea[] {
  return [
    async (app) => {
      tellInEnvelope(app)
      await acceptForms(app)
      addEndpoints(app, watchedEndpoints, watched)
      addEndpoints(app, countedEndpoints, counted)
      addEndpoints(app, reportEndpoints, reports)
      addEndpoints(app, checkEndpoints, checks)
    },
    (app) => {
      tellInEnvelope(app)
      acceptStreams(app)
      addEndpoints(app, loadEndpoints, loads)
    },
  ]
}

/** Handlers validate, and schemas only document: errors are reported by field. */
function tellInEnvelope(app: App): void {
  answerFailures(app, envelopeWriter(app.dialect))
  app.setValidatorCompiler(() => (value: unknown) => ({ value }))
}

/** Accepts bodies as unparsed streams. */
function acceptStreams(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async (_request: FastifyRequest, body: unknown) => body)
}
