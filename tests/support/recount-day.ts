import { createHash } from 'node:crypto'
import { seededRandom } from '../../bench/random.ts'
import type { RequestEventType } from '../../src/monitoring/model/event-types.ts'
import type { ResourceType } from '../../src/monitoring/model/resource-types.ts'
import type { RequestEvent, Sample, UsedResource } from '../../src/monitoring/series/request-event.ts'
import { anonymousUser } from '../../src/monitoring/series/request-event.ts'

const minuteMs = 60_000

export interface DayOptions {
  seed: number
  requests: number
  /** Start of the day, in milliseconds; not necessarily midnight. */
  from: number
  minutes: number
  applications: number[]
  mapServers: number[]
  hosts: number[]
}

/** Events of a generated day, each list in the order of time. */
export interface Day {
  requests: RequestEvent[]
  samples: Sample[]
}

type Draw = () => number

const methods = ['GET', 'GET', 'GET', 'GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']
const statuses = [200, 200, 200, 200, 200, 204, 302, 304, 400, 401, 404, 404, 500, 503]
const countries = ['ITA', 'DEU', 'FRA', 'USA', 'BRA', 'IDN', 'KEN', null]
const cities = ['Genova', 'Köln', 'São Paulo', 'नई दिल्ली', null, null]
const errorTypes = ['ValueError', 'java.lang.NullPointerException', 'TimeoutError', 'PG::ConnectionBad']
const applicationTypes: (RequestEventType | null)[] = [
  'view',
  'view',
  'view',
  'download',
  'upload',
  'create',
  'change',
  'remove',
  'publish',
  'view_metadata',
  'change_metadata',
  null,
]
const mapServerTypes: (RequestEventType | null)[] = [
  'OWS:WMS',
  'OWS:WMS',
  'OWS:WMS',
  'OWS:WMTS',
  'OWS:WFS',
  'OWS:WCS',
  'OWS:TMS',
  'OWS:WPS',
  'OWS:WMS-C',
  'mapserver',
  'mapserver',
  null,
]
const families = ['PC / Windows / Chrome', 'PC / Ubuntu / Firefox', 'Phone / iOS / Safari', 'Bot', 'QGIS']

/** A seeded day: crowded and silent minutes, requests on the edges of minutes, some of everything that splits. */
export function makeDay(options: DayOptions): Day {
  const draw = seededRandom(options.seed)
  const resources = makeResources()
  const times = makeTimes(options, draw)
  const requests = times.map(({ created, isCrowded }) =>
    makeRequest(options, created, isCrowded, resources, draw),
  )
  return { requests, samples: makeSamples(options, draw) }
}

function makeTimes(
  { from, minutes, requests }: DayOptions,
  draw: Draw,
): { created: number; isCrowded: boolean }[] {
  const weights = Array.from({ length: minutes }, (_, minute) => weightOf(minute, draw))
  const whole = weights.reduce((sum, one) => sum + one, 0)
  const times: { created: number; isCrowded: boolean }[] = []
  weights.forEach((weight, minute) => {
    const count = Math.round((weight / whole) * requests)
    const inside = Array.from(
      { length: count },
      (_, index) => from + minute * minuteMs + momentOf(index, draw),
    )
    for (const created of inside.sort((a, b) => a - b)) times.push({ created, isCrowded: weight > 3 })
  })
  return times
}

/** Few minutes are crowded, most are silent. */
function weightOf(minute: number, draw: Draw): number {
  if (minute % 241 === 0) return 8 + draw() * 4
  return minute % 5 === 0 || minute % 60 < 2 ? draw() * 2 : 0
}

/** The first ones are at the edges of the minute. */
function momentOf(index: number, draw: Draw): number {
  if (index === 0) return 0
  return index === 1 ? minuteMs - 1 : Math.floor(draw() * minuteMs)
}

function makeResources(): UsedResource[] {
  const named = (type: ResourceType, count: number, name: (index: number) => string): UsedResource[] =>
    Array.from({ length: count }, (_, index) => ({ type, name: name(index) }))
  return [
    ...named('layer', 6, (index) => `ws${index % 3}:layer ${index}`),
    ...named('map', 3, (index) => `ws${index % 3}:layer ${index}`),
    ...named('document', 2, (index) => `Bericht "${index}" №`),
    ...named('style', 1, (index) => `style_${index}`),
    ...named('url', 1, (index) => `/pages/${index}`),
  ]
}

function makeRequest(
  { applications, mapServers }: DayOptions,
  created: number,
  isCrowded: boolean,
  resources: UsedResource[],
  draw: Draw,
): RequestEvent {
  const isMap = draw() < 0.6
  const pathCount = isCrowded ? 3000 : 12
  const agent = pick(isCrowded ? 200 : 8, draw)
  const place = pick(countries.length, draw)
  return {
    serviceId: one(isMap ? mapServers : applications, draw),
    created,
    eventType: near(isMap ? mapServerTypes : applicationTypes, created, draw),
    method: one(methods, draw),
    path: `/${isMap ? 'ows' : 'pages'}/${pick(pathCount, draw)}`,
    host: 'maps.example.org',
    status: one(statuses, draw),
    sizeBytes: Math.floor(1000 / (draw() + 0.001)),
    firstByteMilliseconds: draw() < 0.1 ? null : Math.round(100 * draw()) / 4,
    milliseconds: draw() < 0.02 ? null : Math.round(400 * -Math.log(1 - draw() * 0.999)) / 8,
    contentType: 'text/html',
    userAgent: draw() < 0.05 ? null : `Agent/${agent}.0`,
    userAgentFamily: families[agent % families.length] ?? null,
    clientIp: draw() < 0.1 ? null : `10.${pick(isCrowded ? 40 : 1, draw)}.${pick(12, draw)}.0`,
    country: countries[place] ?? null,
    region: null,
    city: cities[place % cities.length] ?? null,
    latitude: null,
    longitude: null,
    ...makeVisitor(isCrowded, draw),
    resources: someOf(resources, created, draw),
    errorType: draw() < 0.02 ? one(errorTypes, draw) : null,
  }
}

/** A tenth has no visitor, a third are sessions of 40 users, the others are anonymous. */
function makeVisitor(isCrowded: boolean, draw: Draw): Pick<RequestEvent, 'visitor' | 'userName'> {
  const kind = draw()
  if (kind < 0.1) return { visitor: null, userName: null }
  const session = pick(isCrowded ? 2000 : 15, draw)
  const userName = kind < 0.4 ? `user${session % 40}` : anonymousUser
  const visitor = createHash('sha256').update(`${userName} ${session}`).digest('hex')
  return { visitor, userName }
}

/** Most of the requests use nothing, the others one to three things. */
function someOf(resources: UsedResource[], created: number, draw: Draw): UsedResource[] {
  if (draw() < 0.85) return []
  const chosen = new Set<UsedResource>()
  for (let count = 1 + pick(3, draw); count > 0; count -= 1) chosen.add(near(resources, created, draw))
  return [...chosen]
}

function makeSamples({ from, minutes, hosts }: DayOptions, draw: Draw): Sample[] {
  const samples: Sample[] = []
  for (let minute = 0; minute < minutes; minute += 1) {
    for (const serviceId of hosts) {
      const created = from + minute * minuteMs + pick(minuteMs, draw)
      const take = (metric: string, label: string, value: number): void => {
        samples.push({ serviceId, created, metric, label, value })
      }
      take('load.1m', 'value', pick(400, draw) / 64)
      take('mem.free', 'value', pick(2 ** 33, draw))
      take('cpu.usage', 'count', pick(240, draw) / 4)
      take('uptime', 'value', 1000 + minute * 60)
      for (const mount of ['/', '/var', '/data']) take('storage.used', mount, pick(2 ** 40, draw))
      for (const name of ['eth0', 'lo']) take('network.in', name, pick(2 ** 24, draw))
    }
  }
  return samples
}

function pick(count: number, draw: Draw): number {
  return Math.floor(draw() * count)
}

/** Picks one of three that are in use in that minute, so that a day has all of them and a minute few. */
function near<T>(list: readonly T[], created: number, draw: Draw): T {
  const minute = Math.floor(created / minuteMs)
  return one(
    [0, 1, 2].flatMap((step) => list.slice((minute + 5 * step) % list.length).slice(0, 1)),
    draw,
  )
}

function one<T>(list: readonly T[], draw: Draw): T {
  const chosen = list[pick(list.length, draw)]
  if (chosen === undefined) throw new Error('Nothing to choose from')
  return chosen
}
