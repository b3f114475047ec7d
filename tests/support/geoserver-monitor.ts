import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { startWebServer } from './web-server.ts'

/** Request as GeoServer's monitor stores it; times in milliseconds since 1970. */
export interface MonitoredRequest {
  id: number
  status: string
  startTime: number
  totalTime: number
  path: string
  queryString?: string
  httpMethod: string
  remoteAddr: string
  remoteUser?: string
  remoteUserAgent?: string
  host: string
  service?: string | undefined
  operation?: string
  resources: string[]
  responseLength: number
  responseContentType?: string
  responseStatus: number
  errorMessage?: string
  error?: MonitoredError
}

interface MonitoredError {
  type: string
  message: string
  trace: string[]
  /** Java's own name for none is the exception itself. */
  cause?: MonitoredError | 'itself'
}

/**
 * Form of the responses with lists: whole records as JSON or XML, numbers and links as JSON or XML as newer
 * servers do, or only the HTML page.
 */
export type ListStyle = 'json' | 'xml' | 'json-links' | 'xml-links' | 'html'

export interface GeoServerOptions {
  listStyle: ListStyle
  /** Single records as XML alone. */
  isXmlOnly?: boolean
  /** HTTP status for an unknown format; default: 500. */
  statusOfNoFormat?: number
  /** Number of ended requests that the server keeps; if absent it keeps all of them, as with a database. */
  capacity?: number
  credentials?: string
}

/** Server that responds like the monitor extension of a GeoServer. */
export class TestGeoServer {
  readonly requests: MonitoredRequest[] = []
  /** URLs requested so far. */
  readonly requested: string[] = []
  url = ''
  #options: GeoServerOptions
  #id = 0
  /** Sends the response instead of the monitor. */
  override: ((response: ServerResponse) => void) | undefined

  private constructor(options: GeoServerOptions) {
    this.#options = options
  }

  static async start(test: TestContext, options: GeoServerOptions): Promise<TestGeoServer> {
    const server = new TestGeoServer(options)
    server.url = `${await startWebServer(test, (request, response) => server.#answer(request, response))}/geoserver`
    return server
  }

  /** A request of this moment. */
  add(startTime: number, facts: Partial<MonitoredRequest> = {}): MonitoredRequest {
    this.#id += 1
    const request: MonitoredRequest = {
      id: this.#id,
      status: 'FINISHED',
      startTime,
      totalTime: 25,
      path: '/wms',
      httpMethod: 'GET',
      remoteAddr: '192.0.2.77',
      host: 'maps.example.org',
      service: 'WMS',
      operation: 'GetMap',
      resources: ['topp:states'],
      responseLength: 1000,
      responseContentType: 'image/png',
      responseStatus: 200,
      remoteUserAgent: 'QGIS/3.40',
      ...facts,
    }
    this.requests.push(request)
    const ended = this.requests.filter(({ status }) => status === 'FINISHED' || status === 'FAILED')
    const { capacity = Number.POSITIVE_INFINITY } = this.#options
    for (const one of ended.slice(0, Math.max(0, ended.length - capacity))) {
      this.requests.splice(this.requests.indexOf(one), 1)
    }
    return request
  }

  /** Forgets everything and counts from 1 again. */
  restart(): void {
    this.requests.length = 0
    this.#id = 0
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    this.requested.push(request.url ?? '')
    if (this.override !== undefined) {
      this.override(response)
      return
    }
    const { credentials } = this.#options
    const isKnown =
      credentials === undefined ||
      request.headers.authorization === `Basic ${Buffer.from(credentials).toString('base64')}`
    const [, id, format = ''] =
      /^\/geoserver\/rest\/monitor\/requests(?:\/(\d+))?\.(\w+)$/.exec(pathname) ?? []
    const answer = id === undefined ? this.#list(searchParams, format) : this.#one(Number(id), format)
    const { status, type, body } = isKnown ? answer : { ...failure, status: 401 }
    response.writeHead(status, { 'content-type': type }).end(body)
  }

  #one(id: number, format: string): Answer {
    const found = this.requests.find((one) => one.id === id)
    if (found === undefined) return { ...failure, status: 404 }
    if (format === 'xml') return xml(toXml(found))
    if (this.#options.isXmlOnly === true) return { ...failure, status: this.#options.statusOfNoFormat ?? 500 }
    const body = { 'org.geoserver.monitor.RequestData': toJson(found) }
    return json(body)
  }

  #list(parameters: URLSearchParams, format: string): Answer {
    const { listStyle } = this.#options
    if (listStyle.split('-')[0] !== format) return failure
    const found = this.#find(parameters)
    const name = 'org.geoserver.monitor.RequestData'
    const href = (id: number): string => `${this.url}/rest/monitor/requests/${id}.${format}`
    const links = found.map(({ id }) => ({ id, href: href(id) }))
    if (listStyle === 'json') {
      const records = found.map(toJson)
      // A list with one element is written without the list.
      const list = records.length === 0 ? '' : { [name]: records.length === 1 ? records[0] : records }
      return json({ list })
    }
    if (listStyle === 'json-links') return json({ [`${name}s`]: { [name]: links } })
    if (listStyle === 'xml') return xml(`<list>${found.map(toXml).join('')}</list>`)
    if (listStyle === 'xml-links') {
      const atom = 'xmlns:atom="http://www.w3.org/2005/Atom"'
      const items = links.map(
        (one) =>
          `<${name}><id>${one.id}</id><atom:link ${atom} rel="alternate" href="${one.href}"/></${name}>`,
      )
      return xml(`<${name}s>${items.join('')}</${name}s>`)
    }
    const rows = links.map((one) => `<tr><td><a href="${one.href}">${one.id}</a></td><td>FINISHED</td></tr>`)
    return {
      status: 200,
      type: 'text/html',
      body: `<html><body><table>${rows.join('')}</table></body></html>`,
    }
  }

  #find(parameters: URLSearchParams): MonitoredRequest[] {
    const from = parameters.get('from')
    const since = from === null ? 0 : Date.parse(from)
    const offset = Number(parameters.get('offset') ?? 0)
    const count = Number(parameters.get('count') ?? Number.MAX_SAFE_INTEGER)
    const found = this.requests.filter(({ startTime }) => startTime >= since)
    if (parameters.get('order') === 'startTime') found.sort((a, b) => a.startTime - b.startTime)
    return found.slice(offset, offset + count)
  }
}

interface Answer {
  status: number
  type: string
  body: string
}

const failure: Answer = { status: 500, type: 'text/plain', body: 'no converter' }

function json(value: object): Answer {
  return { status: 200, type: 'application/json', body: JSON.stringify(value) }
}

function xml(body: string): Answer {
  return { status: 200, type: 'application/xml', body }
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('T', ' ').replace('Z', ' UTC')
}

function toJson({ error, resources, ...request }: MonitoredRequest): object {
  return {
    internalid: request.id + 1000,
    ...request,
    category: request.service === undefined ? 'OTHER' : 'OWS',
    startTime: timeOf(request.startTime),
    endTime: timeOf(request.startTime + request.totalTime),
    resources: resources.length === 0 ? '' : { string: resources.length === 1 ? resources[0] : resources },
    ...(error === undefined ? {} : { error: errorToJson(error) }),
  }
}

function errorToJson({ type, message, trace, cause }: MonitoredError): object {
  return {
    '@class': type,
    detailMessage: message,
    ...(cause === undefined
      ? {}
      : { cause: cause === 'itself' ? { '@class': type, '@reference': '..' } : errorToJson(cause) }),
    stackTrace: { trace },
    suppressedExceptions: { '@class': 'java.util.Collections$EmptyList' },
  }
}

function errorToXml(name: string, { type, message, trace, cause }: MonitoredError): string {
  const lines = trace.map((line) => `<trace>${escaped(line)}</trace>`).join('')
  const inner =
    cause === undefined
      ? ''
      : cause === 'itself'
        ? `<cause class="${escaped(type)}" reference=".."/>`
        : errorToXml('cause', cause)
  return (
    `<${name} class="${escaped(type)}"><detailMessage>${escaped(message)}</detailMessage>${inner}` +
    `<stackTrace>${lines}</stackTrace></${name}>`
  )
}

function toXml({ error, resources, ...request }: MonitoredRequest): string {
  const plain = { ...request, startTime: timeOf(request.startTime) }
  const known = Object.entries(plain).filter(([, value]) => value !== undefined)
  const fields = known.map(([name, value]) => `<${name}>${escaped(String(value))}</${name}>`)
  const strings = resources.map((name) => `<string>${escaped(name)}</string>`).join('')
  const failure = error === undefined ? '' : errorToXml('error', error)
  const name = 'org.geoserver.monitor.RequestData'
  return `<${name}>${fields.join('')}<resources>${strings}</resources>${failure}</${name}>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
