import assert from 'node:assert/strict'
import { readDemand, readUsage } from '../../src/monitoring/query/usage-reads.ts'
import type { RequestEvent } from '../../src/monitoring/series/request-event.ts'
import type { SeriesDatabase } from '../../src/monitoring/series/series-database.ts'
import type { UsageScope } from '../../src/monitoring/series/usage-counts.ts'
import { usageScopes } from '../../src/monitoring/series/usage-counts.ts'
import type { UsageRow } from '../../src/monitoring/series/usage-row.ts'

const scopes = Object.keys(usageScopes) as UsageScope[]
const cellNames = ['ownPeople', 'outsidePeople', 'ownRobots', 'outsideRobots'] as const
const scripts = ['curl', 'python-requests', 'GDAL']

interface RecountOptions {
  zone: string
  /** Returns the start of the day that contains a time; both in seconds. */
  dayOf(seconds: number): number
  /** Labels that have rows of their own, by `service day scope`; others count as `(other)`. */
  named: ReadonlyMap<string, ReadonlySet<string>>
}

/** Requests by `service day key` of a scope, as a plain recount groups them. */
function group(requests: readonly RequestEvent[], scope: UsageScope, options: RecountOptions) {
  const groups = new Map<string, Set<RequestEvent>>()
  for (const request of requests) {
    const place = `${request.serviceId} ${options.dayOf(Math.floor(request.created / 1000))}`
    const named = options.named.get(`${place} ${scope}`)
    for (const key of keysOf(request, scope)) {
      const label = named === undefined || named.has(key) ? key : '(other)'
      const whole = `${place} ${label}`
      groups.set(whole, (groups.get(whole) ?? new Set()).add(request))
    }
  }
  return groups
}

function keysOf(request: RequestEvent, scope: UsageScope): string[] {
  const layers = request.resources.filter(({ type }) => type === 'layer')
  if (scope === 'all') return ['']
  if (scope === 'resource') return request.resources.map(({ type, name }) => `${type}=${name}`)
  if (scope === 'workspace')
    return layers.map(({ name }) => (name.includes(':') ? (name.split(':')[0] ?? '') : '(none)'))
  if (scope === 'owner') return layers.flatMap(({ owner }) => owner ?? [])
  if (scope === 'country') return [request.country ?? '(none)']
  if (scope === 'referrer') return [request.referrer ?? '(none)']
  return [programOf(request.userAgentFamily) ?? '(none)']
}

function programOf(family: string | null): string | null {
  return family === null ? null : (/([^/]*?)(?: [\d.]+)?$/.exec(family)?.[1]?.trim() ?? null)
}

function cellOf({ kind, network }: RequestEvent): (typeof cellNames)[number] {
  if (kind === 'robots') return network === 'own' ? 'ownRobots' : 'outsideRobots'
  return network === 'own' ? 'ownPeople' : 'outsidePeople'
}

function isDelivered({ status, method, errorType }: RequestEvent): boolean {
  const isSuccess = (status >= 200 && status < 300) || status === 304
  return isSuccess && ['GET', 'POST'].includes(method) && errorType === null
}

function visitorsOf(requests: readonly RequestEvent[]): number {
  return new Set(requests.flatMap(({ visitor }) => visitor ?? [])).size
}

function units(times: readonly (number | null | undefined)[]): number[] {
  return times.flatMap((one) => (one == null ? [] : Math.round(one * 10))).sort((a, b) => a - b)
}

/** Other scopes have the times of all cells together. */
function hasTimesByCell(scope: UsageScope): boolean {
  return scope === 'all' || scope === 'resource'
}

/** Numbers of a row as the requests have them. */
function expectedOf(requests: readonly RequestEvent[], day: number, scope: UsageScope) {
  const cells = Object.fromEntries(
    cellNames.flatMap((name) => {
      const some = requests.filter((one) => cellOf(one) === name)
      if (some.length === 0) return []
      const timed = hasTimesByCell(scope) ? some : requests
      const cell = {
        requests: some.length,
        delivered: some.filter(isDelivered).length,
        errors: some.filter(({ errorType }) => errorType !== null).length,
        bytes: some.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
        visitors: visitorsOf(some),
        times: totalOf(units(timed.map(({ milliseconds }) => milliseconds))),
        firstByteTimes: totalOf(units(timed.map(({ firstByteMilliseconds }) => firstByteMilliseconds))),
      }
      return [[name, cell]]
    }),
  )
  const classes: Record<string, [number, number]> = {}
  for (const request of requests) {
    const name = request.usageClass ?? 'other'
    const [all, delivered] = classes[name] ?? [0, 0]
    classes[name] = [all + 1, delivered + (isDelivered(request) ? 1 : 0)]
  }
  return {
    cells,
    classes,
    named: requests.filter(({ userName }) => (userName ?? 'AnonymousUser') !== 'AnonymousUser').length,
    lastUse: Math.max(...requests.map(({ created }) => Math.floor(created / 1000))) - day,
    visitors: {
      all: visitorsOf(requests),
      people: visitorsOf(requests.filter(({ kind }) => kind !== 'robots')),
      outside: visitorsOf(requests.filter(({ network }) => network !== 'own')),
    },
  }
}

function totalOf(sorted: readonly number[]): { count: number; sum: number } {
  return { count: sorted.length, sum: sorted.reduce((sum, one) => sum + one, 0) }
}

/** The same numbers of a stored row. */
function foundIn(row: UsageRow): ReturnType<typeof expectedOf> {
  const cells = Object.fromEntries(
    row.cells.flatMap((cell, at) => {
      if (cell === undefined) return []
      const { requests, delivered, errors, bytes, visitors, times } = cell
      const total = ({ count, sum }: typeof times.total) => ({ count, sum })
      const numbers = { requests, delivered, errors, bytes, visitors: visitors.count }
      return [
        [cellNames[at], { ...numbers, times: total(times.total), firstByteTimes: total(times.firstByte) }],
      ]
    }),
  )
  const classes = Object.fromEntries(
    [...row.classes].map(([name, { requests, delivered }]) => [
      name,
      [requests, delivered] as [number, number],
    ]),
  )
  const visitors = {
    all: row.visitors('all'),
    people: row.visitors('people'),
    outside: row.visitors('outside'),
  }
  return { cells, classes, named: row.named, lastUse: row.lastUse, visitors }
}

function assertQuantiles(row: UsageRow, requests: readonly RequestEvent[], scope: UsageScope): void {
  for (const [at, cell] of row.cells.entries()) {
    const some = requests.filter((one) => !hasTimesByCell(scope) || cellOf(one) === cellNames[at])
    for (const [times, name] of [
      [units(some.map(({ milliseconds }) => milliseconds)), 'total'],
      [units(some.map(({ firstByteMilliseconds }) => firstByteMilliseconds)), 'firstByte'],
    ] as const) {
      for (const share of [0.5, 0.95, 0.99]) {
        const truth = (times[Math.max(1, Math.ceil(share * times.length - 1e-6)) - 1] ?? 0) / 10
        if (cell === undefined) continue
        const found = cell.times[name].quantile(share) ?? 0
        const allowed = requests.length > 100 ? truth * 0.025 : 0
        assert.ok(
          Math.abs(found - truth) <= allowed + 1e-9,
          `${scope} ${name} ${share}: ${found} for ${truth}`,
        )
      }
    }
  }
}

/** COUNTER's totals by sorting the actions of each visitor. */
function counterOf(requests: readonly RequestEvent[], day: number) {
  const looked = ['tiles', 'maps', 'features', 'downloads', 'metadata']
  const used = requests.filter(
    (one) =>
      isDelivered(one) &&
      [200, 304].includes(one.status) &&
      one.kind !== 'robots' &&
      looked.includes(one.usageClass ?? 'other'),
  )
  const count = (some: readonly RequestEvent[]) => {
    let [total, unique] = [0, 0]
    for (const [visitor, actions] of Map.groupBy(some, (one) => one.visitor)) {
      const times = actions.map(({ created }) => Math.floor(created / 1000) - day).sort((a, b) => a - b)
      const last = times.filter((time, at) => visitor === null || !((times[at + 1] ?? Infinity) - time <= 30))
      total += last.length
      unique += visitor === null ? last.length : new Set(last.map((time) => Math.floor(time / 3600))).size
    }
    return [total, unique] as const
  }
  const isScript = (one: RequestEvent): boolean => scripts.includes(programOf(one.userAgentFamily) ?? '')
  return Object.fromEntries(
    (['regular', 'machine'] as const).map((method) => {
      const some = used.filter((one) => isScript(one) === (method === 'machine'))
      const [investigations, uniqueInvestigations] = count(some)
      const data = some.filter((one) => ['features', 'downloads'].includes(one.usageClass ?? ''))
      const [taken, uniqueRequests] = count(data)
      return [method, { investigations, uniqueInvestigations, requests: taken, uniqueRequests }]
    }),
  )
}

export interface UsageComparison {
  zone: string
  dayOf(seconds: number): number
}

/** Fails unless the stored usage is what a plain recount of the requests gives. */
export async function assertUsage(
  database: SeriesDatabase,
  requests: readonly RequestEvent[],
  { zone, dayOf }: UsageComparison,
): Promise<void> {
  for (const scope of scopes) {
    const { rows, shared } = await readUsage(database, { from: 0, to: 4e9, zone, scope })
    const keyOf = ({ resource, label }: (typeof rows)[number] | (typeof shared)[number]): string =>
      resource === undefined ? label : `${resource.type}=${resource.name}`
    const named = new Map<string, Set<string>>()
    for (const row of rows) {
      const place = `${row.serviceId} ${row.day} ${scope}`
      named.set(place, (named.get(place) ?? new Set()).add(keyOf(row)))
    }
    const groups = group(requests, scope, { zone, dayOf, named: scope === 'resource' ? new Map() : named })
    assert.deepEqual(
      rows.map((row) => `${row.serviceId} ${row.day} ${keyOf(row)}`).sort(),
      [...groups.keys()].sort(),
      `rows of ${scope}`,
    )
    for (const stored of rows) {
      const what = `${stored.serviceId} ${stored.day} ${keyOf(stored)}`
      const some = [...(groups.get(what) ?? [])]
      assert.deepEqual(foundIn(stored.row), expectedOf(some, stored.day, scope), `${scope} ${what}`)
      assertQuantiles(stored.row, some, scope)
      if (stored.resource?.type !== 'layer') continue
      const found = {
        regular: stored.row.counterTotals('regular'),
        machine: stored.row.counterTotals('machine'),
      }
      assert.deepEqual(found, counterOf(some, stored.day), `COUNTER ${what}`)
    }
    for (const one of shared) {
      if (keyOf(one) === '(other)') continue
      const inAll = requests.filter((request) => {
        const isOfDay = dayOf(Math.floor(request.created / 1000)) === one.day
        return isOfDay && keysOf(request, scope).includes(keyOf(one))
      })
      const sum = rows
        .filter((row) => row.day === one.day && keyOf(row) === keyOf(one))
        .reduce((all, { row }) => all + row.visitors('all'), 0)
      assert.equal(
        sum - one.row.sharedVisitors('all'),
        visitorsOf(inAll),
        `visitors of all services ${keyOf(one)}`,
      )
    }
  }
}

/** Fails unless the stored areas are what a plain recount of the requests gives, up to the number of cells of a day. */
export async function assertDemand(
  database: SeriesDatabase,
  requests: readonly RequestEvent[],
  { zone, dayOf, cells }: UsageComparison & { cells: number },
): Promise<void> {
  const placed = requests.filter((one) => one.area != null && isDelivered(one))
  const groups = new Map<string, RequestEvent[]>()
  for (const request of placed)
    for (const { type, name } of request.resources) {
      if (type !== 'layer') continue
      const key = `${request.serviceId} ${dayOf(Math.floor(request.created / 1000))} ${name}`
      groups.set(key, [...(groups.get(key) ?? []), request])
    }
  const rows = await readDemand(database, { from: 0, to: 4e9, zone })
  assert.equal(rows.length, groups.size)
  for (const { serviceId, day, resource, row } of rows) {
    const some = groups.get(`${serviceId} ${day} ${resource.name}`) ?? []
    assert.equal(row.wide, some.filter(({ area }) => area === '*').length)
    const byCell = new Map<number, RequestEvent[]>()
    for (const request of some)
      for (const cell of request.area === '*' ? [] : (request.area ?? '').split(','))
        byCell.set(Number(cell), [...(byCell.get(Number(cell)) ?? []), request])
    assert.ok(row.cells.size <= cells)
    for (const [at, cell] of row.cells) {
      const expected = byCell.get(at) ?? []
      assert.deepEqual(
        [cell.requests, cell.visitors.count],
        [expected.length, visitorsOf(expected)],
        `cell ${at}`,
      )
      byCell.delete(at)
    }
    const left = [...byCell.values()].reduce((sum, { length }) => sum + length, 0)
    assert.equal(row.other.requests, left)
  }
}
