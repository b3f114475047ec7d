import { type Call, call } from '../../api/client.ts'
import type { Calls } from '../../api/openapi.d.ts'
import type { Period } from '../../lib/day-periods.ts'
import { runsOf } from '../../lib/day-periods.ts'
import { round, withoutRows } from './without-rows.ts'

type Path = 'GET /monitoring/api/metric_data/{metric}'
type Reply = Calls[Path]['answer']['data']
export type MetricRow = Reply['data'][number]['data'][number]

/** Parameters of `metric_data`, besides its window. */
export type Filters = Pick<
  Calls[Path]['query'],
  'service' | 'service_type' | 'resource' | 'resource_type' | 'label' | 'event_type' | 'group_by'
> & {
  /** True: requests that these pages have made are left out. */
  isWithoutPages?: boolean
}

/** Rows of periods, as the server gives them. */
export interface Answered {
  type: string
  unit: string
  rows: MetricRow[][]
  /** Period of values in seconds, if finer ones have expired. */
  resolution?: number
}

/** The calls that bring the periods: as few as can be, since days may differ in length. */
export function metricCalls(
  metric: string,
  periods: readonly Period[],
  { isWithoutPages: _isWithoutPages, ...filters }: Filters & { traffic?: 'pages' },
): Call[] {
  return runsOf(periods).map(({ from, to, lengthMs }) => ({
    path: `/monitoring/api/metric_data/${encodeURIComponent(metric)}`,
    query: {
      valid_from: new Date(from).toISOString(),
      valid_to: new Date(to).toISOString(),
      interval: lengthMs / 1000,
      align: 'start',
      ...filters,
    },
  }))
}

/** Requests the rows of periods; without these pages' own requests if the filters say so. */
export async function askMetric(
  metric: string,
  periods: readonly Period[],
  filters: Filters,
  signal: AbortSignal,
): Promise<Answered> {
  if (filters.isWithoutPages !== true) return askRows(metricCalls(metric, periods, filters), signal)
  const [all, pages] = await Promise.all([
    askRows(metricCalls(metric, periods, filters), signal),
    askRows(metricCalls(metric, periods, { ...filters, traffic: 'pages' }), signal),
  ])
  return { ...all, rows: all.rows.map((own, at) => withoutRows(own, pages.rows[at] ?? [], all.type)) }
}

async function askRows(calls: readonly Call[], signal: AbortSignal): Promise<Answered> {
  const replies = await Promise.all(calls.map((one) => call<{ data: Reply }>(one, signal)))
  const resolutions = replies.flatMap(({ data }) => data.resolution ?? [])
  const [first] = replies
  return {
    type: first?.data.type ?? 'count',
    unit: first?.data.axis_label ?? '',
    rows: replies.flatMap(({ data }) => data.data.map((period) => period.data)),
    resolution: resolutions.length > 0 ? Math.max(...resolutions) : undefined,
  }
}

/** Returns the total of rows: their sum, or for rates the mean weighted by samples; null without rows. */
export function amountOf(rows: readonly MetricRow[], type: string): number | null {
  const [only] = rows
  if (only === undefined) return null
  if (rows.length === 1) return Number(only.val)
  if (type !== 'rate') return round(rows.reduce((sum, { val }) => sum + Number(val), 0))
  const samples = rows.reduce((sum, row) => sum + row.samples_count, 0)
  const weighted = rows.reduce((sum, row) => sum + Number(row.val) * row.samples_count, 0)
  return samples === 0 ? null : round(weighted / samples)
}

/** Names with their amount over one period, the largest first. */
export interface Amount {
  key: string
  name: string
  value: number
  /** The id where it is a resource. */
  id?: number
  type?: string
}

/** Returns the rows of one period by resource, label or event type. */
export function amountsBy(
  rows: readonly MetricRow[],
  key: 'resource' | 'label' | 'event',
  type: string,
): Amount[] {
  const found = new Map<string, MetricRow[]>()
  for (const row of rows) {
    const name =
      key === 'resource' ? String(row.resource?.id ?? '') : key === 'label' ? row.label : row.event_type
    if (name === undefined || name === '') continue
    const before = found.get(name)
    if (before === undefined) found.set(name, [row])
    else before.push(row)
  }
  const amounts = [...found].map(([name, own]): Amount => {
    const resource = own[0]?.resource
    return {
      key: name,
      name: resource?.name ?? name,
      value: amountOf(own, type) ?? 0,
      ...(key === 'resource' && resource && { id: resource.id, type: resource.type }),
    }
  })
  return amounts.sort((a, b) => b.value - a.value || (a.name < b.name ? -1 : 1))
}
