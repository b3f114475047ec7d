import type { SeriesDatabase } from './series-database.ts'

const stateNames = [
  'batch',
  'dictionary',
  'newest_minute',
  'rolling_series',
  'dropped_requests',
  'has_nobody',
  'usage_closed_before',
  'hours_rolled_before',
  'days_rolled_before',
  'minutes_kept_from',
  'hours_kept_from',
  'days_kept_from',
  'requests_kept_from',

  'minutes_removed_to',
  'hours_removed_to',
  'days_removed_to',
  'removing_to',
  'removing_series',
  'swept_day',
  'sweep_step',
  'sweeping_id',
  'retained_at',
  'jumped_at',
  'shrunk_at',
] as const
/**
 * Names of stored numbers. `schema.ts` documents those about tables; the others are positions of long-running
 * work.
 */
export type StateName = (typeof stateNames)[number]

/** Reads and writes the numbers of `monitoring_state` within one transaction. */
export class SeriesState {
  readonly #database: SeriesDatabase
  readonly #values: Map<string, number>

  private constructor(database: SeriesDatabase, values: Map<string, number>) {
    this.#database = database
    this.#values = values
  }

  static async read(database: SeriesDatabase): Promise<SeriesState> {
    const rows = await database.arrays('select name, value from monitoring_state')
    return new SeriesState(database, new Map(rows.map(([name, value]) => [String(name), Number(value)])))
  }

  has(name: StateName): boolean {
    return this.#values.has(name)
  }

  get(name: StateName): number {
    return this.#values.get(name) ?? 0
  }

  async set(name: StateName, value: number): Promise<void> {
    if (this.#values.get(name) === value) return
    this.#values.set(name, value)
    await this.#database.run(
      `insert into monitoring_state (name, value) values (?, ?)
       on conflict (name) do update set value = excluded.value`,
      [name, value],
    )
  }
}
