import type { SeriesPeriod } from '../../../packages/geonode-migration/index.ts'
import { idsWhere } from '../metrics/metrics.ts'
import { eventTypeId } from '../model/event-types.ts'
import type { LabelRef } from '../series/dictionary.ts'
import { SeriesDictionary } from '../series/dictionary.ts'
import { splitOfType, tableOf } from '../series/schema.ts'
import type { SeriesDatabase, SqlValue } from '../series/series-database.ts'
import { rowColumns } from '../series/stored-row.ts'

type Row = SeriesPeriod['rows'][number]

/** Load that rows belong to. */
export interface LoadTarget {
  database: SeriesDatabase
  loadId: number
  /** Day of the load in seconds since 1970, from which the age of labels counts. */
  day: number
}

const rowsPerTransaction = 5000
const labelled = idsWhere(({ isLabelled }) => isLabelled)

/** Writes values to the series, with the totals of labels. */
export async function writePeriods(periods: Iterable<SeriesPeriod>, target: LoadTarget): Promise<void> {
  const writer = new PeriodWriter(target)
  let open: SeriesPeriod[] = []
  let rows = 0
  const flush = async (): Promise<void> => {
    const batch = open
    open = []
    rows = 0
    await target.database.transaction((database) => writer.write(database, batch))
  }
  for (const period of periods) {
    open.push(period)
    rows += period.rows.length
    if (rows >= rowsPerTransaction) await flush()
  }
  await flush()
}

class PeriodWriter {
  readonly #target: LoadTarget
  readonly #dictionary = new SeriesDictionary()
  readonly #seriesIds = new Map<string, number>()

  constructor(target: LoadTarget) {
    this.#target = target
  }

  async write(database: SeriesDatabase, periods: SeriesPeriod[]): Promise<void> {
    const labels = new Map<Row, LabelRef>()
    for (const { resource, rows } of periods) {
      for (const row of rows)
        labels.set(row, this.#dictionary.label(row.label, row.userName, this.#target.day))
      if (typeof resource === 'object' && resource !== null) this.#dictionary.resource(resource)
    }
    await this.#dictionary.resolve(database)
    const tables = new Map<string, SqlValue[][]>()
    for (const period of periods) {
      const { metricId, resolution, start, rows } = period
      const values = tables.get(tableOf[resolution]) ?? []
      tables.set(tableOf[resolution], values)
      const seriesId = await this.#seriesId(database, period, 0)
      for (const row of rows) values.push([seriesId, start, labels.get(row)?.id ?? 0, ...valuesOf([row])])
      if (labelled.has(metricId))
        values.push([await this.#seriesId(database, period, 1), start, 0, ...valuesOf(rows)])
    }
    for (const [table, rows] of tables) await database.insert(table, rowColumns, rows)
  }

  async #seriesId(
    database: SeriesDatabase,
    { serviceId, metricId, eventType, resource }: SeriesPeriod,
    isTotal: 0 | 1,
  ): Promise<number> {
    const split = this.#splitOf(resource)
    const values = [serviceId, metricId, eventTypeId(eventType), split, isTotal, this.#target.loadId]
    const key = values.join(' ')
    const known = this.#seriesIds.get(key)
    if (known !== undefined) return known
    const [made] = await database.all<{ id: number }>(
      `insert into monitoring_series (service_id, metric_id, event_type, resource_id, is_total, load_id)
       values (?, ?, ?, ?, ?, ?) returning id`,
      values,
    )
    const id = made?.id ?? 0
    this.#seriesIds.set(key, id)
    return id
  }

  #splitOf(resource: SeriesPeriod['resource']): number {
    if (resource === null) return 0
    return typeof resource === 'string' ? splitOfType(resource) : this.#dictionary.resource(resource).id
  }
}

/**
 * Returns sum, weighted, min, max, samples, count, labels, users and sketch of one row, or of all labels of a
 * period.
 */
function valuesOf(rows: readonly Row[]): SqlValue[] {
  const values = rows.map((row) => row.value)
  const total = (read: (row: Row) => number): number => rows.reduce((sum, row) => sum + read(row), 0)
  const users = new Set(rows.map((row) => row.userName).filter((name) => name !== null))
  return [
    total((row) => row.value),
    total((row) => row.value * row.samples),
    values.reduce((least, one) => Math.min(least, one)),
    values.reduce((most, one) => Math.max(most, one)),
    total((row) => row.samples),
    rows.length,
    rows.length,
    users.size,
    null,
  ]
}
