import { call } from '../../api/client.ts'
import type { Calls } from '../../api/openapi.d.ts'
import { Resource } from '../../lib/resource.ts'

type Listing = Calls['GET /monitoring/api/notifications']['answer']['data']
type Raised = Calls['GET /monitoring/api/status']['answer']['data'][number]
export type Configuration = Calls['GET /monitoring/api/notifications/config/{id}']['answer']['data']
export type Field = Configuration['fields'][number]
export type Delivery =
  Calls['GET /monitoring/api/notifications/config/{id}/deliveries']['answer']['data']['deliveries'][number]
export type TestResult =
  Calls['POST /monitoring/api/notifications/config/{id}/test']['answer']['data']['results'][number]
export type Option = Field['field_option']
export const options: readonly Option[] = ['max_value', 'min_value', 'max_timeout']

/** An alert in the list, with its problems. */
export interface Listed {
  id: number
  name: string
  description: string
  severity: string
  isActive: boolean
  lastSend: string | null
  failingSince: string | null
  problems: Raised['problems']
}

export interface Alerts {
  alerts: Listed[]
  notices: string[]
}

/** Raised alerts first, then by name. */
export const alerts = new Resource<Alerts>(async (signal) => {
  const [{ data }, status] = await Promise.all([
    call<{ data: Listing }>({ path: '/monitoring/api/notifications' }, signal),
    call<{ data: Raised[] }>({ path: '/monitoring/api/status' }, signal),
  ])
  const raised = new Map(status.data.map((one) => [one.check.id, one]))
  const list = data.notifications.map(({ id, name, description, severity, active, last_send }): Listed => {
    const found = raised.get(id)
    return {
      id,
      name,
      description,
      severity,
      isActive: active,
      lastSend: last_send,
      failingSince: found?.check.failing_since ?? null,
      problems: found?.problems ?? [],
    }
  })
  const order = ({ problems, isActive }: Listed): number => (problems.length > 0 ? 0 : isActive ? 1 : 2)
  list.sort((a, b) => order(a) - order(b) || (a.name < b.name ? -1 : 1))
  return { alerts: list, notices: data.notices }
})

export function configPath(id: number | string): string {
  return `/monitoring/api/notifications/config/${id}`
}
