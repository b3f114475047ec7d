import { call } from '../../api/client.ts'
import type { Calls } from '../../api/openapi.d.ts'
import { Resource } from '../../lib/resource.ts'
import { usageTexts } from '../../messages/usage/texts.ts'

type ServicesReply = Calls['GET /monitoring/api/services']['answer']
type ResourcesReply = Calls['GET /monitoring/api/resources']['answer']
type MetricsReply = Calls['GET /monitoring/api/metrics']['answer']

/** Values for the scope of an alert. */
export interface AlertSubjects {
  services: { name: string; isHost: boolean }[]
  metrics: { name: string; unit: string; isOfHosts: boolean }[]
  /** Names such as `layer=ws:roads` by id. */
  resources: ReadonlyMap<number, string>
}

export const known = new Resource<AlertSubjects>(async (signal) => {
  const [{ services }, { resources }, { metrics: groups }] = await Promise.all([
    call<ServicesReply>({ path: '/monitoring/api/services' }, signal),
    call<ResourcesReply>({ path: '/monitoring/api/resources' }, signal),
    call<MetricsReply>({ path: '/monitoring/api/metrics' }, signal),
  ])
  const metrics = new Map<string, AlertSubjects['metrics'][number]>()
  for (const { service, metrics: own } of groups)
    for (const { name, unit } of own) {
      const isOfHosts = /^host/.test(service)
      if (!metrics.has(name) || !isOfHosts) metrics.set(name, { name, unit, isOfHosts })
    }
  return {
    services: services.map(({ name, type }) => ({ name, isHost: /^host/.test(type) })),
    metrics: [...metrics.values()].sort((a, b) => Number(a.isOfHosts) - Number(b.isOfHosts)),
    resources: new Map(resources.map(({ id, type, name }) => [id, `${type}=${name}`])),
  }
})

const shownResources = 50

/** Layers that were used. */
export function usedLayers({ resources }: AlertSubjects): string[] {
  return [...resources.values()].filter((one) => one.startsWith('layer='))
}

/** Returns suggestions while the reader types: the first matches of thousands. */
export function someOf(resources: readonly string[], typed: string): string[] {
  const text = typed.trim().toLowerCase()
  const found: string[] = []
  for (const one of resources) {
    if (found.length >= shownResources) break
    if (one.toLowerCase().includes(text)) found.push(one)
  }
  return found
}

/** Services that have the metric. */
export function servicesOf({ services, metrics }: AlertSubjects, metric: string): string[] {
  const isOfHosts = metrics.find(({ name }) => name === metric)?.isOfHosts ?? false
  return services.filter(({ isHost }) => isHost === isOfHosts).map(({ name }) => name)
}

export function metricTitle(name: string): string {
  const { metrics } = usageTexts.value
  return Object.hasOwn(metrics, name) ? (metrics[name] ?? name) : name
}
