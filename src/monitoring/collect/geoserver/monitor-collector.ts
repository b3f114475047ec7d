import type { CaughtException, RequestEvent } from '../../series/request-event.ts'
import { ExceptionQuota } from '../exception-quota.ts'
import type {
  CollectedService,
  CollectorDeps,
  CollectReport,
  ServiceCollector,
} from '../service-collector.ts'
import { MonitorClient } from './monitor-client.ts'
import type { MonitorCursor } from './monitor-cursor.ts'
import { countMissed, newlyEnded, nextCursor, parseMonitorCursor } from './monitor-cursor.ts'
import type { MonitorReading } from './monitor-reader.ts'
import { readMonitor } from './monitor-reader.ts'
import { toRawRequest } from './monitor-request.ts'
import type { RequestData } from './request-data.ts'

const aheadMs = 300_000
const maxStackLength = 20_000
const maxMessageLength = 2000

/**
 * Creates a collector for the monitor extension of a GeoServer; undefined for a service with another source.
 */
export function createMonitorCollector(
  service: CollectedService,
  { writer, classifier }: CollectorDeps,
): ServiceCollector | undefined {
  const { id, source } = service
  if (source.kind !== 'geoserver-monitor') return undefined
  const client = new MonitorClient(source)
  const quota = new ExceptionQuota()
  const name = `geoserver:${id}`

  return {
    async collect(now, signal): Promise<CollectReport> {
      const from = await writer.cursor(name)
      const before = from === undefined ? undefined : parseMonitorCursor(from)
      const reading = await readMonitor(client, before, signal)
      // Skips requests with a start time in the future, so that the cursor does not move there.
      const records = reading.records.filter(({ start }) => start <= now + aheadMs)
      const counted = newlyEnded(records, reading.known)
      const events = await classifier.classify(counted.map((data) => toRawRequest(data, id)))
      const exceptions = events.flatMap((event, at) => exceptionOf(event, counted[at], { quota, classifier }))
      const to = JSON.stringify(nextCursor(reading.known, { ...reading, records }))
      // If another server has read the monitor meanwhile, the next poll continues from there.
      await quota.whileKept(exceptions, async () => {
        signal.throwIfAborted()
        return to !== from && writer.append({ events, exceptions, cursor: { source: name, from, to } })
      })
      return {
        hasMore: !reading.isWhole,
        problems: problemsOf(before, reading, reading.records.length - records.length),
      }
    },
    close: async () => undefined,
  }
}

function problemsOf(
  before: MonitorCursor | undefined,
  { ids, gone }: MonitorReading,
  ahead: number,
): string[] {
  const problems: string[] = []
  const newest = ids.at(-1)
  const missed = countMissed(ids, before) + gone
  if (missed > 0) {
    problems.push(
      `${missed} requests were missed: the monitor has dropped them. It keeps the last 100 in memory; collect more often, or let it store them in a database`,
    )
  }
  if (before !== undefined && newest !== undefined && newest < before.newest) {
    problems.push(
      'GeoServer counts its requests anew: those between the last collection and its restart are missing',
    )
  }
  if (ahead > 0) problems.push(`${ahead} requests were not counted: they are in the future. Set the clocks`)
  return problems
}

function exceptionOf(
  event: RequestEvent,
  data: RequestData | undefined,
  { quota, classifier }: { quota: ExceptionQuota; classifier: CollectorDeps['classifier'] },
): CaughtException[] {
  const { serviceId, created, errorType, method, path, status } = event
  if (errorType === null || !quota.take(created)) return []
  const output = data?.error?.message ?? ''
  const message = output === '' ? `${method} ${path} was answered with ${status}` : output
  const stack = data?.error?.stack ?? message
  const scrub = (text: string, length: number): string => classifier.scrub(text.slice(0, length))
  return [
    {
      serviceId,
      created,
      errorType,
      request: event,
      message: scrub(message, maxMessageLength),
      stack: scrub(stack, maxStackLength),
    },
  ]
}
