import type { RequestEvent } from '../../src/monitoring/series/request-event.ts'

const classes = ['tiles', 'maps', 'features', 'downloads', 'metadata', 'imports'] as const

interface RecountQuery {
  from: string
  to: string
  by: string
  zone: string
}

function groupsOf(request: RequestEvent, by: string, date: string): string[] {
  const layers = request.resources.filter(({ type }) => type === 'layer')
  if (by === 'layer') return layers.map(({ name }) => name)
  if (by === 'workspace') return [...new Set(layers.map(({ name }) => name.split(':')[0] ?? ''))]
  if (by === 'owner') return [...new Set(layers.flatMap(({ owner }) => owner ?? []))]
  if (by === 'country') return [request.country ?? '(none)']
  if (by === 'referrer') return [request.referrer ?? '(none)']
  if (by === 'program')
    return [
      request.userAgentFamily
        ?.split(' / ')
        .at(-1)
        ?.replace(/ [\d.]+$/, '') ?? '(none)',
    ]
  return [by === 'day' ? date : date.slice(0, 7)]
}

/** Numbers of some requests, by plain loops over all of them. */
function numbersOf(key: string, requests: readonly RequestEvent[], dateOf: (one: RequestEvent) => string) {
  const people = requests.filter(({ kind }) => kind !== 'robots')
  const outside = requests.filter(({ network }) => network !== 'own')
  const visits = (some: readonly RequestEvent[]) =>
    new Set(some.map((one) => `${dateOf(one)} ${one.visitor}`)).size
  const times = requests.flatMap(({ milliseconds }) => milliseconds ?? []).sort((a, b) => a - b)
  const quantile = (share: number) => times[Math.max(1, Math.ceil(share * times.length - 1e-6)) - 1] ?? null
  const isDelivered = (one: RequestEvent) =>
    [200, 304].includes(one.status) && one.method !== 'HEAD' && one.errorType === null
  const errors = requests.filter(({ errorType }) => errorType !== null).length
  const named = requests.filter(({ userName }) => userName === 'anna').length
  const delivered = classes.map((name) => [
    name,
    requests.filter((one) => one.usageClass === name && isDelivered(one)).length,
  ])
  return {
    key,
    hits: requests.length,
    people: { hits: people.length, visits: visits(people) },
    robots: requests.length - people.length,
    outside: { hits: outside.length, visits: visits(outside) },
    named,
    anonymous: requests.length - named,
    events: Object.fromEntries(delivered) as Record<(typeof classes)[number], number>,
    errors,
    errorShare: requests.length === 0 ? null : errors / requests.length,
    p50: quantile(0.5),
    p95: quantile(0.95),
    p99: quantile(0.99),
    bytes: requests.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    lastUse:
      requests.length === 0
        ? null
        : new Date(Math.max(...requests.map(({ created }) => created))).toISOString(),
  }
}

/** Counts a raw list of requests for a report, independently of how usage is stored. */
export function recountReport(requests: readonly RequestEvent[], { from, to, by, zone }: RecountQuery) {
  const format = new Intl.DateTimeFormat('sv', { timeZone: zone })
  const dateOf = ({ created }: RequestEvent): string => format.format(created)
  const end = to.length === 7 ? `${to}-99` : to
  const some = requests.filter((one) => dateOf(one) >= from && dateOf(one) <= end)
  const groups = new Map<string, RequestEvent[]>()
  for (const request of some)
    for (const key of groupsOf(request, by, dateOf(request)))
      groups.set(key, [...(groups.get(key) ?? []), request])
  const rows = [...groups].map(([key, members]) => numbersOf(key, members, dateOf))
  const isTime = by === 'day' || by === 'month'
  rows.sort((a, b) => (isTime ? (a.key < b.key ? -1 : 1) : b.hits - a.hits || (a.key < b.key ? -1 : 1)))
  return { rows, total: numbersOf('total', some, dateOf) }
}
