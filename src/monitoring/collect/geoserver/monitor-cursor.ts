import { isRecord, isWhole } from '../../../core/values/record-keys.ts'
import type { RequestData } from './request-data.ts'

/** Read position of a monitor. */
export interface MonitorCursor {
  /** Start of the earliest request that may still be listed as new, in milliseconds since 1970. */
  from: number
  /** Highest number of a request that was listed. */
  newest: number
  /** Counted requests by number, with their start: a restarted server reuses numbers. */
  seen: [id: number, start: number][]
  /**
   * Requests that began before this time are no longer counted, since it is unknown which of them are
   * counted; absent while all are known.
   */
  closed?: number
}

/** Maximum duration of requests, which count when they have ended. */
const overlapMs = 300_000
/** Requests that run longer are not waited for. */
const longestMs = 3_600_000
/** The monitor filters lists by whole seconds. */
const secondMs = 1000
const maxSeen = 50_000

/** Parses a stored cursor; throws if it is invalid. */
export function parseMonitorCursor(text: string): MonitorCursor {
  const value: unknown = JSON.parse(text)
  if (!isMonitorCursor(value)) throw new Error('What was kept of a monitor is not a place in it')
  return value
}

function isMonitorCursor(value: unknown): value is MonitorCursor {
  if (!isRecord(value) || !isWhole(value['from']) || !isWhole(value['newest'])) return false
  const { seen, closed } = value
  const isPair = (one: unknown): boolean => Array.isArray(one) && one.length === 2 && one.every(isWhole)
  return Array.isArray(seen) && seen.every(isPair) && (closed === undefined || isWhole(closed))
}

function isEnded({ status }: RequestData): boolean {
  return status === 'FINISHED' || status === 'FAILED'
}

/**
 * Returns the number of requests that the monitor dropped before they were read; 0 if it still lists a known
 * one.
 */
export function countMissed(ids: readonly number[], known: MonitorCursor | undefined): number {
  if (known === undefined || known.seen.length === 0 || ids.length === 0) return 0
  const seen = new Set(known.seen.map(([id]) => id))
  if (ids.some((id) => seen.has(id))) return 0
  return Math.max(0, ids.reduce((least, id) => Math.min(least, id)) - known.newest - 1)
}

export interface Listed {
  /** Complete records, some of which may have been counted already. */
  records: readonly RequestData[]
  /** Numbers of all listed requests. */
  ids: readonly number[]
  /** False if the list is truncated, so that the next list must begin later. */
  isWhole: boolean
}

/** Returns the cursor after these requests are counted, as far as they have ended. */
export function nextCursor(
  known: MonitorCursor | undefined,
  { records, ids, isWhole }: Listed,
): MonitorCursor {
  const latest = records.reduce((time, { start }) => Math.max(time, start), known?.from ?? 0)
  const overlapping = latest - (isWhole ? overlapMs : 0)
  const pending = records.filter((one) => isPending(one) && one.start > latest - longestMs)
  const earliest = pending.reduce((time, { start }) => Math.min(time, start), overlapping)
  const from = Math.max(earliest, known?.from ?? 0)
  const ended = records.filter(isEnded).map(({ id, start }): Seen => [id, start])
  const all = new Map([...(known?.seen ?? []), ...ended].map((one) => [keyOf(...one), one]))
  const listed = new Set(ids)
  const seen = [...all.values()].filter(([id, start]) => start >= from - secondMs || listed.has(id))
  const tooMany = seen.sort((a, b) => a[1] - b[1]).splice(0, Math.max(0, seen.length - maxSeen))
  const closed = Math.max(known?.closed ?? 0, (tooMany.at(-1)?.[1] ?? -1) + 1)
  return {
    closed: closed > 0 ? closed : undefined,
    from,
    newest: ids.reduce((most, id) => Math.max(most, id), ids.length === 0 ? (known?.newest ?? 0) : 0),
    seen,
  }
}

/** Returns the requests that have ended and are not counted yet. */
export function newlyEnded(records: readonly RequestData[], known: MonitorCursor | undefined): RequestData[] {
  const seen = new Set(known?.seen.map((one) => keyOf(...one)))
  return records.filter((one) => {
    const key = keyOf(one.id, one.start)
    const since = Math.max((known?.from ?? 0) - secondMs, known?.closed ?? 0)
    if (!isEnded(one) || seen.has(key) || one.start < since) return false
    seen.add(key)
    return true
  })
}

type Seen = MonitorCursor['seen'][number]

function keyOf(id: number, start: number): string {
  return `${id} ${start}`
}

function isPending({ status }: RequestData): boolean {
  return status === 'RUNNING' || status === 'WAITING' || status === 'CANCELLING'
}
