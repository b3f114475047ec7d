import { idsWhere } from '../metrics/metrics.ts'
import type { LabelRef } from '../series/dictionary.ts'
import { SeriesDictionary } from '../series/dictionary.ts'
import type { Resolution } from '../series/schema.ts'
import { tableOf } from '../series/schema.ts'
import type { SeriesDatabase, SqlValue } from '../series/series-database.ts'
import type { Staging } from './staging.ts'
import type { DumpResource } from './translate-values.ts'

interface Row {
  service: string
  metric: number
  event_type: number
  resource: number
  resolution: Resolution
  period: number
  label: string
  user_name: string | null
  value: number
  samples: number
}

export interface SeriesTarget {
  database: SeriesDatabase
  loadId: number
  /** Hidden id of a service's rows until the load is published: below 0, where no query finds them. */
  hiddenServiceId(service: string): number
  /** The day of the load in seconds: labels count their age from it. */
  day: number
}

const rowsPerTransaction = 5000
const columns = [
  'series_id',
  'period',
  'label_id',
  'sum',
  'weighted',
  'min',
  'max',
  'samples',
  'count',
  'labels',
  'users',
  'sketch',
] as const
const labelled = idsWhere(({ isLabelled }) => isLabelled)

/**
 * Writes the translated rows to the series, with the totals of labels; they are hidden until the load is
 * published.
 */
export async function writeSeries(
  staging: Staging,
  resources: readonly DumpResource[],
  target: SeriesTarget,
  onRow: () => void,
): Promise<void> {
  const writer = new RowWriter(target, resources)
  const sql = 'select * from rows order by service, metric, event_type, resource, resolution, period, label'
  for (const row of staging.iterate<Row>(sql)) {
    onRow()
    await writer.add(row)
  }
  await writer.finish()
}

/** The rows of one series and period. */
interface Period {
  key: string
  rows: Row[]
}

class RowWriter {
  readonly #target: SeriesTarget
  readonly #resources: readonly DumpResource[]
  readonly #dictionary = new SeriesDictionary()
  readonly #seriesIds = new Map<string, number>()
  #open: Period = { key: '', rows: [] }
  #closed: Row[][] = []
  #closedRows = 0

  constructor(target: SeriesTarget, resources: readonly DumpResource[]) {
    this.#target = target
    this.#resources = resources
  }

  async add(row: Row): Promise<void> {
    const { service, metric, event_type: eventType, resource, resolution, period } = row
    const key = JSON.stringify([service, metric, eventType, resource, resolution, period])
    if (key !== this.#open.key) {
      this.#close()
      this.#open = { key, rows: [] }
      if (this.#closedRows >= rowsPerTransaction) await this.#flush()
    }
    this.#open.rows.push(row)
  }

  async finish(): Promise<void> {
    this.#close()
    await this.#flush()
  }

  #close(): void {
    if (this.#open.rows.length > 0) this.#closed.push(this.#open.rows)
    this.#closedRows += this.#open.rows.length
  }

  async #flush(): Promise<void> {
    const periods = this.#closed
    this.#closed = []
    this.#closedRows = 0
    await this.#target.database.transaction((database) => this.#write(database, periods))
  }

  async #write(database: SeriesDatabase, periods: Row[][]): Promise<void> {
    const labels = new Map<Row, LabelRef>()
    for (const row of periods.flat()) {
      labels.set(row, this.#dictionary.label(row.label, row.user_name, this.#target.day))
      this.#resource(row)
    }
    await this.#dictionary.resolve(database)
    const tables = new Map<string, SqlValue[][]>()
    const put = (row: Row, values: SqlValue[]): void => {
      const table = tableOf[row.resolution]
      const list = tables.get(table) ?? []
      tables.set(table, list)
      list.push(values)
    }
    for (const rows of periods) {
      const [first] = rows
      if (first === undefined) continue
      const seriesId = await this.#seriesId(database, first, 0)
      for (const row of rows) put(row, [seriesId, row.period, labels.get(row)?.id ?? 0, ...valuesOf([row])])
      if (labelled.has(first.metric))
        put(first, [await this.#seriesId(database, first, 1), first.period, 0, ...valuesOf(rows)])
    }
    for (const [table, rows] of tables) await database.insert(table, columns, rows)
  }

  async #seriesId(database: SeriesDatabase, row: Row, isTotal: 0 | 1): Promise<number> {
    const { loadId, hiddenServiceId } = this.#target
    const split = this.#resource(row)?.id ?? row.resource
    const values = [hiddenServiceId(row.service), row.metric, row.event_type, split, isTotal, loadId]
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

  #resource({ resource }: Row): ReturnType<SeriesDictionary['resource']> | undefined {
    const found = resource > 0 ? this.#resources[resource - 1] : undefined
    return found && this.#dictionary.resource(found)
  }
}

/**
 * Returns sum, weighted, min, max, samples, count, labels, users and sketch of one row, or of all labels of a
 * period.
 */
function valuesOf(rows: readonly Row[]): SqlValue[] {
  const values = rows.map((row) => row.value)
  const total = (read: (row: Row) => number): number => rows.reduce((sum, row) => sum + read(row), 0)
  const users = new Set(rows.map((row) => row.user_name).filter((name) => name !== null))
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
