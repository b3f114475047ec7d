import type { SeriesLimits } from '../../core/config/monitoring-settings.ts'
import type { ZoneDays } from '../../core/values/zone-days.ts'
import { everyRequest, labelMetrics, tellsUsers } from '../metrics/metrics.ts'
import { eventTypeId } from '../model/event-types.ts'
import { isPagesService } from '../model/service-types.ts'
import type { CountedBlock } from './counted-only.ts'
import { forgetCounted, hasForgotten } from './counted-only.ts'
import type { SeriesDictionary } from './dictionary.ts'
import { mergeIntoMinutes, mergeIntoPeriods } from './merge-rows.ts'
import type { MinuteCounts } from './minute-counts.ts'
import { minuteRows } from './minute-rows.ts'
import { PackedRows } from './packed-rows.ts'
import { PeriodRows } from './period-rows.ts'
import { decodeRequests } from './request-block.ts'
import { capResources } from './resource-cap.ts'
import { removeRows, renewTotals, requestsOf } from './roll-up.ts'
import { tableOf } from './schema.ts'
import type { SeriesDatabase, SqlValue } from './series-database.ts'
import type { SeriesState } from './series-state.ts'
import { StalePeriods, spanOf } from './stale-periods.ts'
import type { StoredRow } from './stored-row.ts'
import { insertStoredRows } from './stored-row.ts'
import { UsageCounts } from './usage-counts.ts'
import { findAliases, writeUsage } from './usage-store.ts'

/** Approximate limit of requests and rows in one transaction. */
const maxSize = 300_000
const allId = eventTypeId('all')

/** Context of one transaction. */
export interface Work {
  database: SeriesDatabase
  state: SeriesState
  dictionary: SeriesDictionary
  limits: SeriesLimits
  /** Counts of the current minute; reused for each minute. */
  counts: MinuteCounts
  /** Days of the time zone in which usage is counted. */
  zoneDays: ZoneDays
}

/** A minute of a service with new requests. */
export interface DirtyMinute {
  serviceId: number
  /** Start of the minute, in seconds since 1970. */
  minute: number
  batches: number[]
}

export async function findDirty(database: SeriesDatabase, before: number): Promise<DirtyMinute[]> {
  const rows = await database.arrays(
    'select minute, service_id, batch from monitoring_dirty where minute < ? order by minute, service_id, batch limit 2000',
    [before],
  )
  const found: DirtyMinute[] = []
  for (const [minute, serviceId, batch] of rows) {
    const last = found.at(-1)
    if (last !== undefined && last.minute === minute && last.serviceId === serviceId)
      last.batches.push(Number(batch))
    else found.push({ serviceId: Number(serviceId), minute: Number(minute), batches: [Number(batch)] })
  }
  return found
}

/** Computes dirty minutes, oldest first, up to the size limit. Returns the computed minutes. */
export async function rollUpMinutes(work: Work, dirty: readonly DirtyMinute[]): Promise<RolledUp> {
  const settlement = new Settlement(work)
  for (const one of dirty) {
    if (settlement.size > maxSize) break
    await settlement.add(one)
  }
  return settlement.finish()
}

export interface RolledUp {
  periods: number
  requests: number
  dropped: number
}

/** Amounts to be added to an hour or a day of a service. */
interface LatePeriod {
  serviceId: number
  size: 3600 | 86_400
  start: number
  rows: PeriodRows
}

const labelledIds = new Set(labelMetrics.map(({ id }) => id))

function isLabelled(metricId: number): boolean {
  return labelledIds.has(metricId)
}

/** Computes several minutes and writes their rows. */
class Settlement {
  readonly #work: Work
  readonly #stale: StalePeriods
  readonly #rows = new PackedRows()
  readonly #settled: RolledUp = { periods: 0, requests: 0, dropped: 0 }
  readonly #hours = new Set<string>()
  readonly #late = new Map<string, LatePeriod>()
  readonly #usage = new UsageCounts()
  #newest = 0
  readonly #countedOnly: CountedBlock[] = []
  #hasNobody = false
  #rowCount = 0

  constructor(work: Work) {
    this.#work = work
    this.#stale = new StalePeriods(work)
  }

  /** Number of requests and rows so far. */
  get size(): number {
    return this.#settled.requests + this.#rowCount
  }

  async add(dirty: DirtyMinute): Promise<void> {
    const { serviceId, minute } = dirty
    const { database, state } = this.#work
    if (minute >= state.get('days_kept_from') && !isPagesService(serviceId)) await this.#countUsage(dirty)
    if (minute >= state.get('minutes_kept_from')) {
      if (await this.#isWhole(dirty, 60)) await this.#replaceMinute(dirty)
      else await this.#mergeMinute(dirty)
    } else if (minute >= state.get('hours_kept_from')) {
      if (await this.#isWhole(dirty, 3600)) await this.#replaceHour(dirty)
      else await this.#mergePeriod(dirty, 3600)
    } else if (minute >= state.get('days_kept_from')) await this.#mergePeriod(dirty, 86_400)
    else this.#settled.dropped += await this.#removeRequests(dirty)
    await forgetCounted(database, this.#countedOnly.splice(0))
    this.#settled.periods += 1
    this.#newest = Math.max(this.#newest, minute)
    await database.run('delete from monitoring_dirty where minute = ? and service_id = ? and batch <= ?', [
      minute,
      serviceId,
      dirty.batches.at(-1) ?? 0,
    ])
  }

  async finish(): Promise<RolledUp> {
    const { database, state, dictionary } = this.#work
    await dictionary.resolve(database)
    await this.#rows.insert(database, tableOf[60])
    for (const late of this.#late.values()) await this.#writeLate(late)
    await this.#stale.roll()
    await writeUsage({ database, dictionary, state, limits: this.#work.limits }, this.#usage)
    if (this.#hasNobody) await state.set('has_nobody', 1)
    await state.set('newest_minute', Math.max(this.#newest, state.get('newest_minute')))
    return this.#settled
  }

  /**
   * True if the log still contains every request of the minute, or contained every request of its hour when
   * that hour was recomputed.
   */
  async #isWhole({ serviceId, minute }: DirtyMinute, size: 60 | 3600): Promise<boolean> {
    const { validFrom, validTo } = spanOf(serviceId, minute, size)
    if (size === 3600 && this.#hours.has(`${serviceId} ${validFrom}`)) return true
    if (!this.#isLogged(minute)) return false
    return !(await hasForgotten(this.#work.database, { serviceId, validFrom, validTo }))
  }

  #isLogged(minute: number): boolean {
    return minute >= this.#work.state.get('requests_kept_from')
  }

  async #replaceMinute({ serviceId, minute }: DirtyMinute): Promise<void> {
    const { database } = this.#work
    await this.#count('service_id = ? and minute = ?', [serviceId, minute])
    if (await this.#isKnown(serviceId, minute))
      await removeRows(database, {
        table: tableOf[60],
        series: requestsOf(serviceId),
        validFrom: minute,
        validTo: minute + 60,
      })
    for (const row of this.#countedRows(serviceId, minute)) this.#rows.add(row)
    this.#stale.minute(serviceId, minute)
  }

  /** True if the minute has been computed before. */
  async #isKnown(serviceId: number, minute: number): Promise<boolean> {
    const { database, dictionary } = this.#work
    const series = dictionary.series(dictionary.split(serviceId, allId, 0), everyRequest.id, false)
    await dictionary.resolve(database)
    const found = await database.arrays(
      'select 1 from monitoring_minutes where series_id = ? and period = ?',
      [series.id, minute],
    )
    return found.length > 0
  }

  /** Adds to the rows of a minute whose requests are no longer in the log. */
  async #mergeMinute(dirty: DirtyMinute): Promise<void> {
    const { database, dictionary } = this.#work
    const { serviceId, minute } = dirty
    await this.#countBatches(dirty)
    const rows = this.#countedRows(serviceId, minute)
    await dictionary.resolve(database)
    await mergeIntoMinutes(database, rows)
    await renewTotals(database, { table: tableOf[60], ...spanOf(serviceId, minute, 60) })
    if (!this.#isLogged(minute)) await this.#removeRequests(dirty)
    this.#stale.minute(serviceId, minute)
  }

  /**
   * Recomputes all minutes of an hour whose minute rows have expired but whose requests are still in the log.
   */
  async #replaceHour({ serviceId, minute }: DirtyMinute): Promise<void> {
    const { database, dictionary } = this.#work
    const span = spanOf(serviceId, minute, 3600)
    if (this.#hours.has(`${serviceId} ${span.validFrom}`)) return
    this.#hours.add(`${serviceId} ${span.validFrom}`)
    const minutes = await database.arrays(
      'select distinct minute from monitoring_requests where service_id = ? and minute >= ? and minute < ?',
      [serviceId, span.validFrom, span.validTo],
    )
    const period = new PeriodRows(span.validFrom)
    for (const [one] of minutes) {
      await this.#count('service_id = ? and minute = ?', [serviceId, Number(one)])
      period.add(this.#countedRows(serviceId, Number(one)))
    }
    const rows = period.finish(dictionary, isLabelled)
    await dictionary.resolve(database)
    await removeRows(database, { table: tableOf[3600], ...span, series: requestsOf(serviceId) })
    await insertStoredRows(database, tableOf[3600], rows)
    this.#stale.day(serviceId, minute)
  }

  /** Adds to the hour or day of a minute whose rows and requests have expired. */
  async #mergePeriod(dirty: DirtyMinute, size: 3600 | 86_400): Promise<void> {
    const { serviceId, minute } = dirty
    const start = minute - (minute % size)
    const key = `${serviceId} ${size} ${start}`
    const late = this.#late.get(key) ?? { serviceId, size, rows: new PeriodRows(start), start }
    this.#late.set(key, late)
    await this.#countBatches(dirty)
    late.rows.add(this.#countedRows(serviceId, minute))
    if (!this.#isLogged(minute)) await this.#removeRequests(dirty)
  }

  async #writeLate({ serviceId, size, start, rows: late }: LatePeriod): Promise<void> {
    const { database, dictionary } = this.#work
    const rows = late.finish(dictionary, isLabelled)
    await dictionary.resolve(database)
    await mergeIntoPeriods(database, tableOf[size], rows)
    await renewTotals(database, { table: tableOf[size], ...spanOf(serviceId, start, size) })
    if (size === 3600) this.#stale.day(serviceId, start)
  }

  /** Counts the usage of new requests only; each batch marks a minute once. */
  async #countUsage({ serviceId, minute, batches }: DirtyMinute): Promise<void> {
    const { database, zoneDays } = this.#work
    const day = zoneDays.dayOf(minute).start
    const placeholders = batches.map(() => '?').join(',')
    const blocks = await database.arrays(
      `select data from monitoring_requests where service_id = ? and minute = ? and batch in (${placeholders}) order by id`,
      [serviceId, minute, ...batches],
    )
    for (const [data] of blocks) {
      if (!(data instanceof Uint8Array)) continue
      const block = decodeRequests(data)
      const aliases = await findAliases(database, serviceId, block.resources.values)
      this.#usage.add(block, { serviceId, day, second: minute - day, aliases })
    }
  }

  async #countBatches({ serviceId, minute, batches }: DirtyMinute): Promise<void> {
    const placeholders = batches.map(() => '?').join(',')
    await this.#count(`service_id = ? and minute = ? and batch in (${placeholders})`, [
      serviceId,
      minute,
      ...batches,
    ])
  }

  async #count(where: string, values: readonly SqlValue[]): Promise<void> {
    const { database, counts, limits } = this.#work
    counts.clear()
    const blocks = await database.arrays(
      `select data, id, service_id, minute from monitoring_requests where ${where} order by id`,
      values,
    )
    for (const [data, id, serviceId, minute] of blocks) {
      if (!(data instanceof Uint8Array)) continue
      const block = decodeRequests(data)
      counts.add(block)
      this.#settled.requests += block.count
      if (!block.isCountedOnly) continue
      const cell = { serviceId: Number(serviceId), minute: Number(minute) }
      this.#countedOnly.push({ id: Number(id), requests: block.count, ...cell })
    }
    await capResources(counts.groups, limits.resources, database)
  }

  #countedRows(serviceId: number, minute: number): StoredRow[] {
    const { dictionary, limits, counts } = this.#work
    const rows = minuteRows(counts, { serviceId, minute, dictionary, limits })
    this.#hasNobody ||= counts.labelled.some(({ metric, none }) => tellsUsers(metric) && none !== undefined)
    this.#rowCount += rows.length
    return rows
  }

  /** Deletes requests of a time that the log no longer covers. */
  async #removeRequests({ serviceId, minute, batches }: DirtyMinute): Promise<number> {
    const { database } = this.#work
    let requests = 0
    for (const batch of batches) {
      const values = [serviceId, minute, batch]
      const where = 'where service_id = ? and minute = ? and batch = ?'
      const [found] = await database.arrays(`select sum(requests) from monitoring_requests ${where}`, values)
      requests += Number(found?.[0] ?? 0)
      await database.run(`delete from monitoring_requests ${where}`, values)
    }
    return requests
  }
}
