import { TimeReader } from '../../../core/values/time-reader.ts'
import { geoserverDateTime } from '../../../core/values/time-rules.ts'

/** A request in GeoServer's monitor. */
export interface RequestData {
  id: number
  /** Such as `FINISHED`. */
  status: string
  /** Milliseconds since 1970. */
  start: number
  milliseconds: number
  path: string
  query: string
  method: string
  host: string
  service: string
  operation: string
  resources: string[]
  clientIp: string
  userName: string
  userAgent: string
  referer: string
  responseStatus: number
  sizeBytes: number
  contentType: string
  error: { type: string; message: string; stack: string } | undefined
}

const times = new TimeReader(geoserverDateTime)
const maxResources = 100
const maxTraceLines = 300
const maxCauses = 5
/** Maximum number of values visited for a list of texts. */
const maxSteps = 2000

/**
 * Reads a record from a JSON object or a converted XML element; undefined if the value is not a record or has
 * no time.
 */
export function toRequestData(value: unknown): RequestData | undefined {
  if (!isObject(value)) return undefined
  const id = Number(requestText(value['id']))
  const start = parseMonitorTime(requestText(value['startTime']))
  if (requestText(value['id']) === '' || !Number.isSafeInteger(id) || Number.isNaN(start)) return undefined
  return {
    id,
    status: requestText(value['status']).toUpperCase(),
    start,
    milliseconds: amountOf(value['totalTime']),
    path: requestText(value['path']),
    query: requestText(value['queryString']),
    method: requestText(value['httpMethod']).toUpperCase(),
    host: requestText(value['host']),
    service: requestText(value['service']),
    operation: requestText(value['operation']),
    resources: textsOf(value['resources'], maxResources),
    clientIp: requestText(value['remoteAddr']),
    userName: requestText(value['remoteUser']),
    userAgent: requestText(value['remoteUserAgent']),
    referer: requestText(value['httpReferer']),
    responseStatus: amountOf(value['responseStatus']),
    sizeBytes: amountOf(value['responseLength']),
    contentType: requestText(value['responseContentType']),
    error: errorOf(value['error'], requestText(value['errorMessage'])),
  }
}

/** Parses `2025-10-10 11:55:36.123 UTC` or ISO 8601, UTC without a zone; NaN for other texts. */
export function parseMonitorTime(text: string): number {
  return times.parseText(text) && times.hasTime ? times.milliseconds : Number.NaN
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the text of a field, or the first text of a list; empty for other values. */
export function requestText(value: unknown): string {
  if (typeof value === 'string') return value.trim()
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return requestText(value[0])
  return ''
}

function amountOf(value: unknown): number {
  const number = Number(requestText(value))
  return number > 0 && Number.isFinite(number) ? number : 0
}

/**
 * Returns the texts of a list in any of the forms `{string: a}`, `{string: [a, b]}`, `[{string: a}]` and `[a,
 * b]`.
 */
function textsOf(value: unknown, limit: number): string[] {
  const found: string[] = []
  const open: unknown[] = [value]
  for (let steps = 0; open.length > 0 && found.length < limit && steps < maxSteps; steps += 1) {
    const one = open.shift()
    if (Array.isArray(one)) open.unshift(...one.slice(0, limit))
    else if (isObject(one)) open.unshift(one['string'] ?? one['trace'])
    else if (requestText(one) !== '') found.push(requestText(one))
  }
  return found
}

function errorOf(value: unknown, errorMessage: string): RequestData['error'] {
  if (!isObject(value)) {
    const message = requestText(value) || errorMessage
    return message === '' ? undefined : { type: '', message, stack: message }
  }
  const causes = causesOf(value)
  const [{ type, message: reported } = { type: '', message: '' }] = causes
  const message = reported || errorMessage
  const chain = causes
    .map((one) => one.message)
    .filter((text, at, all) => text !== '' && all.indexOf(text) === at)
  return {
    type,
    message: chain.length > 1 ? chain.join(': ') : message,
    stack: causes
      .map((one, at) => [`${one.type}: ${one.message || (at === 0 ? message : '')}`, ...one.trace].join('\n'))
      .join('\nCaused by: '),
  }
}

interface Cause {
  type: string
  message: string
  trace: string[]
}

/**
 * Returns an exception and its causes, the outermost first. Stops at an exception that names itself as its
 * cause, as Java does.
 */
function causesOf(value: Record<string, unknown>): Cause[] {
  const causes: Cause[] = []
  for (let at: unknown = value; isObject(at) && causes.length < maxCauses; at = at['cause'] ?? at['target']) {
    const type = requestText(at['@class']) || requestText(at['class'])
    const message = requestText(at['detailMessage'])
    const trace = textsOf(at['stackTrace'], maxTraceLines)
    const isReference = at['@reference'] !== undefined || at['reference'] !== undefined
    if (isReference || (type === '' && message === '' && trace.length === 0)) break
    causes.push({ type, message, trace })
  }
  return causes
}
