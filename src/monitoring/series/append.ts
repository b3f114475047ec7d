import type { SeriesDictionary } from './dictionary.ts'
import { cleanText, encodeRequests } from './request-block.ts'
import type { CaughtException, RequestEvent } from './request-event.ts'
import { knownResources } from './resource-cap.ts'
import type { CursorMove } from './series.ts'
import type { SeriesDatabase, SqlValue } from './series-database.ts'

const maxBlock = 20_000

/** Requests of a service and minute, as bytes for the log. */
export interface LoggedBlock {
  serviceId: number
  /** Start of the minute, in seconds since 1970. */
  minute: number
  requests: number
  data: Uint8Array
}

/** Groups requests by service, by minute, and by whether they are only counted. */
export function toBlocks(events: readonly RequestEvent[]): LoggedBlock[] {
  const parts = new Map<string, RequestEvent[]>()
  let [lastService, lastMinute, lastIsCountedOnly] = [-1, -1, false]
  let last: RequestEvent[] = []
  for (const event of events) {
    const minute = Math.floor(event.created / 60_000)
    const { serviceId, isCountedOnly = false } = event
    if (serviceId !== lastService || minute !== lastMinute || isCountedOnly !== lastIsCountedOnly) {
      lastService = serviceId
      lastMinute = minute
      lastIsCountedOnly = isCountedOnly
      const key = `${serviceId} ${minute} ${isCountedOnly}`
      last = parts.get(key) ?? []
      parts.set(key, last)
    }
    last.push(event)
  }
  return [...parts.values()].flatMap(encodeParts)
}

function encodeParts(events: RequestEvent[]): LoggedBlock[] {
  const blocks: LoggedBlock[] = []
  for (let start = 0; start < events.length; start += maxBlock) {
    const part = events.slice(start, start + maxBlock)
    const { serviceId = 0, created = 0 } = part[0] ?? {}
    const minute = Math.floor(created / 60_000) * 60
    blocks.push({ serviceId, minute, requests: part.length, data: encodeRequests(part) })
  }
  return blocks
}

/** Returns false if the cursor has another value. */
export async function moveCursor(
  database: SeriesDatabase,
  { source, from, to }: CursorMove,
): Promise<boolean> {
  const [found] = await database.arrays('select value from monitoring_cursors where source = ?', [source])
  const current = found === undefined ? undefined : String(found[0])
  if (current !== from) return false
  await database.run(
    `insert into monitoring_cursors (source, value) values (?, ?)
     on conflict (source) do update set value = excluded.value`,
    [source, to],
  )
  return true
}

/** Writes requests to the log and marks their minutes. */
export async function logRequests(
  database: SeriesDatabase,
  blocks: readonly LoggedBlock[],
  batch: number,
): Promise<void> {
  await database.insert(
    'monitoring_requests',
    ['batch', 'service_id', 'minute', 'requests', 'data'],
    blocks.map(({ serviceId, minute, requests, data }) => [batch, serviceId, minute, requests, data]),
  )
  await database.insert(
    'monitoring_dirty',
    ['service_id', 'minute', 'batch'],
    blocks.map(({ serviceId, minute }) => [serviceId, minute, batch]),
    'on conflict do nothing',
  )
}

interface ExceptionPlace {
  database: SeriesDatabase
  dictionary: SeriesDictionary
  /** See `SeriesLimits.resources`. */
  resources: number
}

export async function writeExceptions(
  { database, dictionary, resources }: ExceptionPlace,
  exceptions: readonly CaughtException[],
): Promise<void> {
  const named = exceptions.map(({ request }) =>
    (request?.resources ?? []).map(({ type, name }) => ({ type, name: cleanText(name) ?? '' })),
  )
  const capped = await knownResources(named.flat(), resources, database)
  const used = named.map((resources) => capped(resources).map((one) => dictionary.resource(one)))
  await dictionary.resolve(database)
  const columns = ['service_id', 'created', 'error_type', 'message', 'stack', 'request', 'resource_ids']
  const rows = exceptions.map(
    ({ serviceId, created, errorType, message, stack, request }, index): SqlValue[] => [
      serviceId,
      Math.floor(created),
      wellFormed(errorType),
      wellFormed(message),
      wellFormed(stack),
      request === undefined ? null : JSON.stringify(request),
      JSON.stringify((used[index] ?? []).map(({ id }) => id)),
    ],
  )
  await database.insert('monitoring_exceptions', columns, rows)
}

/** Removes characters that PostgreSQL cannot store. */
function wellFormed(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}
