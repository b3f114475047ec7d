import { randomBytes } from 'node:crypto'
import type { SeriesDatabase } from '../../series/series-database.ts'

const dayMs = 86_400_000
const saltBytes = 32

type WithDatabase = <T>(work: (database: SeriesDatabase) => Promise<T>) => Promise<T>

export function saltDay(time: number): number {
  return Math.floor(time / dayMs)
}

/**
 * Random salt of each day, which makes visitors of one day comparable with each other but not with those of
 * other days. Created on first use and shared by all servers of one database; deleted one day after its last
 * use, so that addresses of visitors cannot be reconstructed.
 */
export class Salts {
  readonly #withDatabase: WithDatabase
  #known = new Map<number, string>()

  constructor(withDatabase: WithDatabase) {
    this.#withDatabase = withDatabase
  }

  /** Returns the salts of these days, counted from 1970. */
  async of(days: ReadonlySet<number>, now: number): Promise<ReadonlyMap<number, string>> {
    const missing = [...days].filter((day) => !this.#known.has(day))
    if (missing.length > 0) await this.#make(missing, now)
    return this.#known
  }

  /**
   * Removes salts of days before yesterday that are at least one day old: importing older requests may create
   * salts of past days.
   */
  async forget(now: number): Promise<void> {
    const bounds = [saltDay(now) - 1, now - dayMs]
    await this.#withDatabase(async (database) => {
      const old = await database.all('select day from monitoring_salts where day < ? and created < ?', bounds)
      if (old.length === 0) return
      await removeForGood(database, bounds)
      this.#known = new Map()
    })
  }

  async #make(days: number[], now: number): Promise<void> {
    const rows = days.map((day) => [day, randomBytes(saltBytes).toString('hex'), now])
    await this.#withDatabase((database) =>
      database.transaction(async (inside) => {
        await inside.insert('monitoring_salts', ['day', 'salt', 'created'], rows, 'on conflict do nothing')
        for (const day of days) {
          const [row] = await inside.all<{ salt: string }>(
            'select salt from monitoring_salts where day = ?',
            [day],
          )
          if (row !== undefined) this.#known.set(day, row.salt)
        }
      }),
    )
  }
}

/**
 * Deletes rows so that they cannot be recovered: SQLite overwrites their bytes, in its write-ahead log too.
 */
async function removeForGood(database: SeriesDatabase, bounds: number[]): Promise<void> {
  const isFile = database.kind === 'sqlite'
  if (isFile) await database.all('pragma secure_delete = on')
  await database.run('delete from monitoring_salts where day < ? and created < ?', bounds)
  if (!isFile) return
  await database.all('pragma secure_delete = off')
  await database.all('pragma wal_checkpoint(truncate)')
}
