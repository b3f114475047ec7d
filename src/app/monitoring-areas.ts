import type { Rights } from '../access/index.ts'
import type { ApiArea } from '../api/app-types.ts'
import { namesOfDialect } from '../api/compat/geonode-monitoring.ts'
import { LayerNames } from '../api/rest/monitoring/metrics/layer-names.ts'
import { monitoringAreas } from '../api/rest/monitoring/routes.ts'
import { baseUrl } from '../api/server/links.ts'
import type { MonitoringSettings } from '../core/config/monitoring-settings.ts'
import type { ServerSettings } from '../core/config/settings.ts'
import type { Database } from '../core/db/connection.ts'
import { autoconfigure, type Services } from '../monitoring/index.ts'
import type { AppServices } from './services.ts'

/** Returns the routes of `/monitoring`; none if monitoring is off. */
export function openMonitoringAreas(
  context: Pick<
    AppServices,
    | 'catalog'
    | 'settings'
    | 'database'
    | 'events'
    | 'clock'
    | 'monitoring'
    | 'services'
    | 'series'
    | 'geonodeImport'
    | 'notifications'
    | 'version'
    | 'subscriptions'
  >,
): ApiArea[] {
  const { settings, catalog, services, series, geonodeImport, notifications, events, clock } = context
  const { basePath, dialect } = settings.server
  const wire = namesOfDialect(dialect)
  if (!settings.monitoring.isOn) return []
  const layers = new LayerNames({ layers: catalog.layers, events, clock })
  const readableLayers = async (rights: Rights): Promise<ReadonlySet<string>> => {
    const readable = (await catalog.cards.now()).readableBy(rights)
    return new Set([...readable.byId.values()].map(({ qualifiedName }) => qualifiedName))
  }
  return monitoringAreas({
    watched: {
      services,
      wire,
      problemOf: (id) => context.monitoring?.problemOf(id),
      autoconfigure: () =>
        configureAlone(
          context.settings.server,
          context.settings.monitoring,
          context.database,
          context.services,
        ),
    },
    counted: { series, services, layerNames: () => layers.names(), readableLayers, wire, clock, basePath },
    reports: {
      subscriptions: context.subscriptions,
      series,
      catalog,
      services,
      settings: settings.monitoring,
      wire,
      clock,
      publisher: {
        organisation: settings.service.contact.organisation ?? '',
        system: `Terrane ${context.version}`,
      },
    },
    loads: { dumps: geonodeImport, maxUploadBytes: settings.limits.maxUploadBytes },
    checks: { notifications, wire },
  })
}

/** Several servers with one catalogue create the same services once. */
function configureAlone(
  server: ServerSettings,
  monitoring: MonitoringSettings,
  database: Database,
  services: Services,
): Promise<void> {
  const { mapServers } = monitoring
  return database.alone(() => autoconfigure({ services, baseUrl: baseUrl(server), mapServers }))
}
