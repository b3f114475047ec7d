import type { MonitorClient } from './monitor-client.ts'
import type { Listed, MonitorCursor } from './monitor-cursor.ts'
import type { MonitorList } from './monitor-list.ts'
import type { RequestData } from './request-data.ts'

const pageSize = 1000
const maxPages = 10
/** Maximum number of characters of lists in one piece. */
const maxLength = 16 << 20
const maxRecords = 300
const atOnce = 4
/** Time limit for records that are fetched one by one. */
const recordsMs = 12_000

export interface MonitorReading extends Listed {
  /** Number of records that were listed but no longer exist. */
  gone: number
  /** Known state of the monitor; reduced if its server was restarted. */
  known: MonitorCursor | undefined
}

/**
 * Reads the pages of the monitor's list one after the other, and single records if the list contains only
 * numbers.
 */
export async function readMonitor(
  client: MonitorClient,
  known: MonitorCursor | undefined,
  signal: AbortSignal,
): Promise<MonitorReading> {
  const { list, isWhole } = await readPages(client, known?.from, signal)
  const ids = [...new Set([...list.ids, ...list.records.map(({ id }) => id)])].sort((a, b) => a - b)
  // A number in a list of complete records belongs to a record without a time.
  if (list.ids.length === 0 || list.records.length > 0)
    return { records: list.records, ids, isWhole, gone: 0, known }
  const still = await verified(client, known, ids, signal)
  const seen = new Set(still?.seen.map(([id]) => id))
  const requested = ids.filter((id) => !seen.has(id))
  const { records, gone, isComplete } = await readRecords(client, requested, signal)
  return { records: [...list.records, ...records], ids, isWhole: isWhole && isComplete, gone, known: still }
}

async function readPages(
  client: MonitorClient,
  from: number | undefined,
  signal: AbortSignal,
): Promise<{ list: MonitorList; isWhole: boolean }> {
  const list: MonitorList = { records: [], ids: [], length: 0 }
  const found = new Set<string>()
  for (let page = 0; page < maxPages; page += 1) {
    const part = await client.list({ from, offset: page * pageSize, count: pageSize }, signal)
    const before = found.size
    for (const one of part.records) found.add(`${one.id} ${one.start}`)
    for (const id of part.ids) found.add(String(id))
    for (const record of part.records) list.records.push(record)
    for (const id of part.ids) list.ids.push(id)
    list.length += part.length
    const isLast = part.records.length + part.ids.length < pageSize || found.size === before
    if (isLast) return { list, isWhole: true }
    if (list.length > maxLength) break
  }
  return { list, isWhole: false }
}

/** Returns the known state without the numbers of a restarted server, which now identify other requests. */
async function verified(
  client: MonitorClient,
  known: MonitorCursor | undefined,
  ids: readonly number[],
  signal: AbortSignal,
): Promise<MonitorCursor | undefined> {
  const listed = new Set(ids)
  const last = known?.seen.findLast(([id]) => listed.has(id))
  if (known === undefined || last === undefined) return known
  const record = await client.record(last[0], signal)
  return record === undefined || record.start === last[1] ? known : { ...known, seen: [] }
}

async function readRecords(
  client: MonitorClient,
  ids: readonly number[],
  signal: AbortSignal,
): Promise<{ records: RequestData[]; gone: number; isComplete: boolean }> {
  const records: RequestData[] = []
  const end = performance.now() + recordsMs
  let gone = 0
  let at = 0
  while (at < Math.min(ids.length, maxRecords) && performance.now() < end) {
    const some = ids.slice(at, at + atOnce)
    for (const record of await Promise.all(some.map((id) => client.record(id, signal)))) {
      if (record === undefined) gone += 1
      else records.push(record)
    }
    at += some.length
  }
  return { records, gone, isComplete: at >= ids.length }
}
