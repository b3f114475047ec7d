import type { ApiArea } from '../api/app-types.ts'
import { addEndpoints } from '../api/endpoint.ts'
import type { LayerBounds } from '../api/layer-bounds.ts'
import type { SeriesReads } from '../api/rest/monitoring/metrics/reader-thread.ts'
import { LayerUse } from '../api/rest/overview/layer-use.ts'
import { OrderedSummaries } from '../api/rest/overview/ordered-summaries.ts'
import { RequestsToday } from '../api/rest/overview/requests-today.ts'
import { layerListEndpoints, stateEndpoints } from '../api/rest/overview/routes.ts'
import { ownServices, type Services, splitDoubles } from '../monitoring/index.ts'
import type { RequestTotalsQuery, SeriesReader } from '../monitoring/query/index.ts'
import type { AppServices } from './services.ts'

/** Returns the routes of layer lists and the status overview, with the counts of monitoring if it is on. */
export function openOverview(
  context: Pick<
    AppServices,
    'catalog' | 'importer' | 'settings' | 'clock' | 'monitoring' | 'services' | 'series' | 'notifications'
  >,
  bounds: LayerBounds,
): ApiArea {
  const { catalog, importer, clock, settings, monitoring, notifications } = context
  const counts = monitoring === undefined ? undefined : readCounts(context.services, context.series)
  const zone = settings.monitoring.limits.zone ?? 'UTC'
  const use = counts && new LayerUse({ read: counts.layers, clock, zone })
  const requests = counts && new RequestsToday({ read: counts.totals, clock })
  return (app) => {
    const lists = { catalog, use, bounds, ordered: new OrderedSummaries(use) }
    addEndpoints(app, layerListEndpoints, lists)
    addEndpoints(app, stateEndpoints, {
      catalog,
      imports: importer.kept,
      clock,
      zone,
      counted: requests && { requests, notifications },
    })
  }
}

/** Queries on requests: for layers of this server, and for all monitored servers. */
function readCounts(services: Services, series: SeriesReader<SeriesReads>) {
  const ownIds = async (): Promise<number[]> => {
    const active = (await services.list()).filter(({ isActive }) => isActive)
    const { app, mapserver } = ownServices(splitDoubles(active).services)
    return [app, mapserver].filter((id) => id !== undefined)
  }
  return {
    layers: async (query: { from: number; days: number; zone: string }) =>
      series.read('layerRequests', { ...query, serviceIds: await ownIds() }),
    totals: async (query: Omit<RequestTotalsQuery, 'serviceIds'>) => {
      const serviceIds = (await services.list()).map(({ id }) => id)
      return series.read('requestTotals', { ...query, serviceIds })
    },
  }
}
