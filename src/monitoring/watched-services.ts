import type { MapServerKind, MapServerSettings } from '../core/config/map-servers.ts'
import type { CollectedService, CollectedSource } from './collect/service-collector.ts'
import type { ServiceRecord, ServiceSource } from './model/records.ts'

export interface SplitServices {
  services: ServiceRecord[]
  /** Reasons why the other services are not read, by id. */
  doubles: ReadonlyMap<number, string>
}

/**
 * Separates services that duplicate another one: the requests of this server and its machine count for one
 * service of each type, so that sums count nothing twice.
 */
export function splitDoubles(active: readonly ServiceRecord[]): SplitServices {
  const first = new Map<string, ServiceRecord>()
  const doubles = new Map<number, string>()
  const services = active.filter((service) => {
    if (service.source.kind !== 'own') return true
    const known = first.get(service.type)
    if (known === undefined) first.set(service.type, service)
    else doubles.set(service.id, `Not read: the service ${known.name} counts the same`)
    return known === undefined
  })
  return { services, doubles }
}

/** Returns the services for which this server's own requests count. */
export function ownServices(services: readonly ServiceRecord[]): { app?: number; mapserver?: number } {
  const find = (type: string): number | undefined =>
    services.find((one) => one.source.kind === 'own' && one.type === type)?.id
  const app = find('app')
  const mapserver = find('mapserver')
  return { app, mapserver }
}

/**
 * Returns the fields of a service for the collector; the settings define the kind of server that writes a
 * log.
 */
export function toCollected(
  { id, name, type, url, checkIntervalSeconds, source }: ServiceRecord,
  mapServers: readonly MapServerSettings[] = [],
): CollectedService {
  const server = serverOf(source, mapServers)
  return { id, name, type, url, checkIntervalSeconds, source: revealed(source), server }
}

function serverOf(
  source: ServiceSource,
  mapServers: readonly MapServerSettings[],
): MapServerKind | undefined {
  if (source.kind === 'geoserver-monitor') return 'geoserver'
  if (source.kind !== 'log') return undefined
  return mapServers.find(({ log }) => log === source.path)?.kind
}

function revealed(source: ServiceSource): CollectedSource {
  if (source.kind === 'own' || source.kind === 'log') return source
  const { password, ...rest } = source
  return { ...rest, password: password?.reveal() }
}
