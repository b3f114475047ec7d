import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testCluster } from '../../../tests/support/postgres.ts'
import { PostgresSeriesDatabase } from './postgres-series-database.ts'
import type { SeriesDatabase } from './series-database.ts'
import { SqliteSeriesDatabase } from './sqlite-series-database.ts'

const openers: Record<string, () => Promise<SeriesDatabase>> = {
  SQLite: async () => new SqliteSeriesDatabase(':memory:'),
  PostgreSQL: async () => PostgresSeriesDatabase.open(await (await testCluster()).createDatabase()),
}

async function readAll(database: SeriesDatabase, sql: string, columns: string[]): Promise<number[]> {
  const numbers: number[] = []
  await database.numbers(sql, columns, (part) => numbers.push(...part))
  return numbers
}

for (const [name, open] of Object.entries(openers)) {
  describe(`numbers of ${name}`, () => {
    it('gives whole and real numbers row after row, null as NaN, and nothing of no rows', async () => {
      const database = await open()
      try {
        const sql = `select 1 as a, 0.5 as b, null as c union all select -${2 ** 50}, 1e300, 3`
        const numbers = await readAll(database, sql, ['a', 'b', 'c'])
        const rows = [numbers.slice(0, 3), numbers.slice(3)].sort(
          (one, other) => (other[0] ?? 0) - (one[0] ?? 0),
        )
        assert.deepEqual(
          rows.map((row) => [...row]),
          [
            [1, 0.5, Number.NaN],
            [-(2 ** 50), 1e300, 3],
          ],
        )
        assert.equal((await readAll(database, 'select 1 as a where 1 = 0', ['a'])).length, 0)
      } finally {
        await database.close()
      }
    })

    it('gives many rows, within a snapshot too', async () => {
      const database = await open()
      try {
        await database.run('delete from monitoring_state')
        await database.insert(
          'monitoring_state',
          ['name', 'value'],
          Array.from({ length: 3000 }, (_, n) => [`${n}`, n]),
        )
        const sql =
          'select a.value as one, b.value as two from monitoring_state a, monitoring_state b where b.value < 20'
        const { count, total } = await database.snapshot(async (snapshot) => {
          let count = 0
          let total = 0
          await snapshot.numbers(sql, ['one', 'two'], (part) => {
            assert.equal(part.length % 2, 0)
            count += part.length
            total += part.reduce((sum, one) => sum + one, 0)
          })
          return { count, total }
        })
        assert.equal(count, 3000 * 20 * 2)
        assert.equal(total, 20 * 2999 * 1500 + 3000 * 190)
      } finally {
        await database.close()
      }
    })

    it('tells what is wrong with a query or its reader and goes on', async () => {
      const database = await open()
      try {
        await assert.rejects(readAll(database, 'select nothing_of_that_name as a', ['a']))
        const refuse = (): never => {
          throw new Error('That is too much')
        }
        await assert.rejects(database.numbers('select 1 as a', ['a'], refuse), /That is too much/)
        const many =
          'with recursive n(a) as (select 1 union all select a + 1 from n where a < 70000) select a from n'
        await assert.rejects(database.numbers(many, ['a'], refuse), /That is too much/)
        assert.deepEqual(await readAll(database, 'select 7 as a', ['a']), [7])
      } finally {
        await database.close()
      }
    })
  })
}
