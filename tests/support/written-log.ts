import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { gzipSync } from 'node:zlib'
import { seededRandom } from '../../bench/random.ts'
import type { RequestEvent } from '../../src/monitoring/series/request-event.ts'
import { requestAt } from './fed-monitoring.ts'

const layers = ['ws:roads', 'ws:rivers', 'towns', 'ws:"quoted"', 'Straße №1']
const agents = ['QGIS/3.40', 'Mozilla/5.0 (X11; Linux x86_64)', 'curl/8.5.0', 'Ågent "x"']
const operations = { 'OWS:WMS': 'GetMap', 'OWS:WFS': 'GetFeature', 'OWS:WCS': 'GetCoverage' } as const
const layerKeys = { 'OWS:WMS': 'LAYERS', 'OWS:WFS': 'typeNames', 'OWS:WCS': 'coverage' } as const
type OwsType = keyof typeof operations
const usageClasses = {
  'OWS:WMS': 'maps',
  'OWS:WFS': 'features',
  'OWS:WCS': 'features',
  mapserver: 'other',
} as const
/** Cells of zoom 8, a box too wide for any, and no box. */
const areas = ['21385', '21386', '137', '65535', '0', '*', null]

/** Returns a seeded list of requests that an access log can represent, in order of time. */
export function makeLogged(options: {
  seed: number
  serviceId: number
  from: number
  to: number
  count: number
}): RequestEvent[] {
  const { serviceId, from, to, count } = options
  const draw = seededRandom(options.seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(draw() * list.length)] as T
  return Array.from({ length: count }, (_, at) => {
    // A log has whole seconds.
    const created = Math.floor((from + ((to - from) * at) / count) / 1000) * 1000
    const eventType = pick<OwsType | 'mapserver'>(['OWS:WMS', 'OWS:WMS', 'OWS:WFS', 'OWS:WCS', 'mapserver'])
    const used = new Set(Array.from({ length: Math.floor(draw() * 3) }, () => pick(layers)))
    const status = pick([200, 200, 200, 304, 404, 500, 502])
    const [clientIp, userAgent, userName] = [
      `10.0.0.${Math.floor(draw() * 20)}`,
      pick(agents),
      pick(['jo', 'anna', undefined]),
    ]
    const day = new Date(created).toISOString().slice(0, 10)
    const resources =
      eventType === 'mapserver' ? [] : [...used].map((name) => ({ type: 'layer' as const, name }))
    return requestAt(new Date(created).toISOString(), {
      usageClass: usageClasses[eventType],
      area: eventType === 'OWS:WMS' && resources.length > 0 ? pick(areas) : null,
      serviceId,
      eventType,
      method: pick(['GET', 'GET', 'POST', 'HEAD']),
      status,
      clientIp,
      userAgent,
      path: `/ows/${Math.floor(draw() ** 3 * 150)}`,
      sizeBytes: Math.floor(draw() * 1e6),
      milliseconds: Math.floor(draw() * 5000),
      visitor: `${day} ${clientIp} ${userAgent} ${userName}`,
      userName: userName ?? 'AnonymousUser',
      resources,
      errorType: status >= 500 ? `HTTP ${status}` : null,
    })
  })
}

/** A box within a cell of zoom 8, in degrees, as parameters of WMS 1.1.1. */
function boxOf(area: string | null | undefined): string {
  if (area == null) return ''
  if (area === '*') return 'srs=EPSG:4326&bbox=-180,-90,180,90&'
  const [column, row] = [Number(area) % 256, Math.floor(Number(area) / 256)]
  const longitude = (x: number): number => (x / 256) * 360 - 180
  const latitude = (y: number): number => (Math.atan(Math.sinh(Math.PI * (1 - y / 128))) * 180) / Math.PI
  const corners = [longitude(column + 0.2), latitude(row + 0.8), longitude(column + 0.6), latitude(row + 0.3)]
  return `version=1.1.1&srs=EPSG:4326&bbox=${corners.map((one) => one.toFixed(6)).join(',')}&`
}

const escaped = (text: string): string => text.replaceAll('"', '\\x22')

/** A line as nginx writes it, with a number in its query that no other has. */
function logLine(request: RequestEvent, number: number): string {
  const { created, eventType, method, path, status, sizeBytes, milliseconds, clientIp, userAgent, userName } =
    request
  const [, day, month, year, time] =
    /(\d\d) (\w{3}) (\d{4}) ([\d:]{8})/.exec(new Date(created).toUTCString()) ?? []
  const names = request.resources.map(({ name }) => encodeURIComponent(name)).join(',')
  const type = eventType as OwsType
  const ows =
    eventType === 'mapserver'
      ? ''
      : `${boxOf(request.area)}service=${type.slice(4)}&request=${operations[type]}&${layerKeys[type]}=${names}&`
  const user = userName === 'AnonymousUser' ? '-' : userName
  const seconds = ((milliseconds ?? 0) / 1000).toFixed(3)
  return (
    `${clientIp} - ${user} [${day}/${month}/${year}:${time} +0000] "${method} ${path}?${ows}n=${number} HTTP/1.1" ` +
    `${status} ${sizeBytes} "-" "${escaped(userAgent ?? '')}" rt=${seconds}\n`
  )
}

/** A log that is written piece by piece, also within lines and characters, and rotated in every way in between. */
export class WrittenLog {
  readonly #path: string
  readonly #bytes: Buffer
  readonly #draw: () => number
  #written = 0
  #parts = 0

  constructor(path: string, requests: readonly RequestEvent[], seed: number) {
    this.#path = path
    this.#bytes = Buffer.from(requests.map(logLine).join(''))
    this.#draw = seededRandom(seed)
    writeFileSync(path, '')
  }

  get isWhole(): boolean {
    return this.#written === this.#bytes.length
  }

  /** Writes some more; whole lines before the log is rotated, as servers do. */
  write(share: number): void {
    const expected = this.#written + Math.ceil(this.#bytes.length * share * this.#draw())
    this.#writeTo(Math.min(this.#bytes.length, expected))
  }

  rotate(): void {
    const lineEnd = this.#bytes.indexOf(0x0a, Math.max(0, this.#written - 1)) + 1
    this.#writeTo(lineEnd === 0 ? this.#bytes.length : lineEnd)
    this.#parts += 1
    // The highest number is the oldest part.
    const part = `${this.#path}.${1000 - this.#parts}`
    if (this.#draw() < 0.5) {
      renameSync(this.#path, part)
      writeFileSync(this.#path, '')
    } else {
      copyFileSync(this.#path, part)
      truncateSync(this.#path)
    }
    if (this.#draw() < 0.5) this.#compress(`${this.#path}.${1000 - Math.ceil(this.#draw() * this.#parts)}`)
  }

  #writeTo(end: number): void {
    appendFileSync(this.#path, this.#bytes.subarray(this.#written, end))
    this.#written = end
  }

  #compress(part: string): void {
    if (!existsSync(part)) return
    writeFileSync(`${part}.gz`, gzipSync(readFileSync(part)))
    rmSync(part)
  }
}
