import { call } from '../../api/client.ts'
import type { Calls } from '../../api/openapi.d.ts'
import { Resource } from '../../lib/resource.ts'

/** A metric that the server has. */
export interface Metric {
  name: string
  type: string
  unit: string
  isOfHosts: boolean
  /** True if it counts requests by a label, such as their country. */
  isLabelled: boolean
}

type MetricsReply = Calls['GET /monitoring/api/metrics']['answer']
export type Service = Calls['GET /monitoring/api/services']['answer']['services'][number]

/** Every metric once, those of requests first. */
export const metrics = new Resource<Metric[]>(async (signal) => {
  const { metrics: groups } = await call<MetricsReply>({ path: '/monitoring/api/metrics' }, signal)
  const known = new Map<string, Metric>()
  for (const { service, metrics: own } of groups)
    for (const { name, type, unit } of own) {
      const isOfHosts = /^host/.test(service)
      if (!known.has(name) || !isOfHosts)
        known.set(name, { name, type, unit, isOfHosts, isLabelled: !isOfHosts && type === 'value' })
    }
  return [...known.values()].sort((a, b) => Number(a.isOfHosts) - Number(b.isOfHosts))
})

/** Monitored services. */
export const services = new Resource<Service[]>(
  async (signal) =>
    (await call<{ services: Service[] }>({ path: '/monitoring/api/services' }, signal)).services,
)

/** True if a service has host metrics only. */
export function isHost({ type }: Pick<Service, 'type'>): boolean {
  return /^host/.test(type)
}
