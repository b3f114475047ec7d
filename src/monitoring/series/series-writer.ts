import type { Retention, SeriesLimits } from '../../core/config/monitoring-settings.ts'
import { ZoneDays } from '../../core/values/zone-days.ts'
import { logRequests, moveCursor, toBlocks, writeExceptions } from './append.ts'
import { maxDemandCells } from './demand-row.ts'
import { SeriesDictionary } from './dictionary.ts'
import { mergeIntoMinutes, mergeIntoPeriods } from './merge-rows.ts'
import { MinuteCounts } from './minute-counts.ts'
import { dayOfMinute } from './minute-rows.ts'
import { OpenBatch } from './open-batch.ts'
import { PeriodRows } from './period-rows.ts'
import { removeServicePiece } from './remove-service.ts'
import type { RequestEvent, Sample } from './request-event.ts'
import { retainPiece } from './retain.ts'
import { isRollingDue, rollDayPiece } from './roll-days.ts'
import { renewTotals, samplesOf } from './roll-up.ts'
import type { Work } from './roll-up-minutes.ts'
import { findDirty, rollUpMinutes } from './roll-up-minutes.ts'
import { sampleRows } from './samples.ts'
import { resolutions, tableOf } from './schema.ts'
import type { Batch, RollUpReport, SeriesWriter } from './series.ts'
import type { SeriesDatabase } from './series-database.ts'
import { pagesOf } from './series-size.ts'
import { SeriesState } from './series-state.ts'
import { StalePeriods, spanOf } from './stale-periods.ts'
import type { StoredRow } from './stored-row.ts'

const freeShareKept = 0.2
const freePagesKept = 2000

/** Creates the writer of a series; closing it closes the database. */
export function createSeriesWriter(database: SeriesDatabase, limits: SeriesLimits): SeriesWriter {
  return new DatabaseSeriesWriter(database, limits)
}

class DatabaseSeriesWriter implements SeriesWriter {
  readonly #database: SeriesDatabase
  readonly #limits: SeriesLimits
  readonly #dictionary = new SeriesDictionary()
  readonly #counts = new MinuteCounts()
  readonly #zoneDays: ZoneDays
  #open: OpenBatch | undefined

  constructor(database: SeriesDatabase, limits: SeriesLimits) {
    this.#database = database
    this.#limits = limits
    this.#zoneDays = new ZoneDays(limits.zone ?? 'UTC')
  }

  async cursor(source: string): Promise<string | undefined> {
    const [found] = await this.#database.arrays('select value from monitoring_cursors where source = ?', [
      source,
    ])
    return found === undefined ? undefined : String(found[0])
  }

  async append({
    events = [],
    exceptions = [],
    samples = [],
    cursor,
    isFrequent = false,
  }: Batch): Promise<boolean> {
    const before = isFrequent ? this.#open : undefined
    let open = this.#open
    const isWritten = await this.#write(async (work) => {
      const { database } = work
      if (cursor !== undefined && !(await moveCursor(database, cursor))) return false
      if (events.length > 0) {
        const next = await this.#log(work, events, before)
        if (isFrequent) open = next
      }
      if (exceptions.length > 0)
        await writeExceptions({ ...work, resources: work.limits.resources }, exceptions)
      if (samples.length > 0) await addSamples(work, samples)
      return true
    })
    this.#open = open
    return isWritten
  }

  /** Writes requests to the log, with those of an earlier batch where it is still open. */
  async #log(
    { database, state }: Pick<Work, 'database' | 'state'>,
    events: readonly RequestEvent[],
    open: OpenBatch | undefined,
  ): Promise<OpenBatch> {
    const reopened = await open?.reopen(database, events)
    if (reopened !== undefined) {
      await logRequests(database, reopened.blocks, reopened.batch)
      return reopened.next
    }
    const batch = state.get('batch') + 1
    await state.set('batch', batch)
    const blocks = toBlocks(events)
    await logRequests(database, blocks, batch)
    return new OpenBatch(batch, events, blocks)
  }

  async settle(now: number): Promise<RollUpReport> {
    return this.#write(async (work) => {
      const seconds = Math.floor(now / 1000)
      const dirty = await findDirty(work.database, seconds - (seconds % 60))
      const first = dirty[0]
      if (first !== undefined) await startRolling(work, first.minute)
      else if (isRollingDue(work, seconds)) await rollDayPiece(work)
      const settled = await rollUpMinutes(work, dirty)
      return { ...settled, hasMore: settled.periods < dirty.length || isRollingDue(work, seconds) }
    })
  }

  async retain(now: number, keep: Retention): Promise<boolean> {
    const seconds = Math.floor(now / 1000)
    const { demandCells = maxDemandCells } = this.#limits
    const hasMore = await this.#write(({ database, state }) =>
      retainPiece({ database, state, keep, demandCells, now: seconds }),
    )
    return hasMore || this.#giveBack()
  }

  async removeService(serviceId: number): Promise<void> {
    this.#open = undefined
    while (await this.#write((work) => removeServicePiece(work, serviceId)));
  }

  async close(): Promise<void> {
    await this.#database.close()
  }

  /** Returns unused space in the file to the disk if there is much of it. */
  async #giveBack(): Promise<boolean> {
    if (this.#database.kind !== 'sqlite') return false
    const { freeShare, freePages } = await pagesOf(this.#database)
    if (freeShare < freeShareKept || freePages < freePagesKept) return false
    await this.#database.all(`pragma incremental_vacuum(${freePagesKept})`)
    return true
  }

  async #write<T>(work: (work: Work) => Promise<T>): Promise<T> {
    try {
      return await this.#database.transaction(async (database) => {
        const state = await SeriesState.read(database)
        this.#dictionary.begin(state.get('dictionary'))
        return work({
          database,
          state,
          dictionary: this.#dictionary,
          limits: this.#limits,
          counts: this.#counts,
          zoneDays: this.#zoneDays,
        })
      })
    } catch (error) {
      this.#dictionary.clear()
      this.#open = undefined
      throw error
    }
  }
}

/** Sets the first day to roll up, from the first data that are written. */
async function startRolling({ state }: Pick<Work, 'state'>, minute: number): Promise<void> {
  if (state.has('hours_rolled_before')) return
  await state.set('hours_rolled_before', dayOfMinute(minute))
  await state.set('days_rolled_before', dayOfMinute(minute))
}

async function addSamples(work: Work, samples: readonly Sample[]): Promise<void> {
  const { database, state, dictionary } = work
  const rows = sampleRows(samples, dictionary)
  await dictionary.resolve(database)
  await startRolling(work, Math.min(...rows.map(({ period }) => period)))
  const stale = new StalePeriods(work)
  for (const size of resolutions) {
    const ofSize = rows.filter(({ period }) => sizeKept(work, period) === size)
    for (const [serviceId, part] of Map.groupBy(ofSize, ({ series }) => series.split.serviceId)) {
      const minutes = part.map(({ period }) => period)
      const range = spanOf(serviceId, Math.min(...minutes), size)
      range.validTo = Math.max(...minutes) + 60
      if (size === 60) await mergeIntoMinutes(database, part)
      else await mergeIntoPeriods(database, tableOf[size], inPeriods(part, size))
      await renewTotals(database, { table: tableOf[size], ...range, series: samplesOf(serviceId) })
      for (const minute of minutes) {
        if (size === 60) stale.minute(serviceId, minute)
        if (size === 3600) stale.day(serviceId, minute)
      }
    }
  }
  await state.set('newest_minute', Math.max(state.get('newest_minute'), ...rows.map(({ period }) => period)))
  await stale.roll()
}

/** Converts minute rows to rows of the periods that contain them. */
function inPeriods(rows: readonly StoredRow[], size: number): StoredRow[] {
  const periods = Map.groupBy(rows, ({ period }) => period - (period % size))
  return [...periods].flatMap(([start, some]) => {
    const period = new PeriodRows(start)
    period.add(some)
    return period.rows()
  })
}

/** Returns the period length of the finest table that still contains a minute; undefined if none does. */
function sizeKept({ state }: Pick<Work, 'state'>, minute: number): 60 | 3600 | 86_400 | undefined {
  if (minute >= state.get('minutes_kept_from')) return 60
  if (minute >= state.get('hours_kept_from')) return 3600
  return minute >= state.get('days_kept_from') ? 86_400 : undefined
}
