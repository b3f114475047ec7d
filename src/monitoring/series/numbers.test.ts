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

for (const [name, open] of Object.entries(openers)) {
  describe(`numbers of ${name}`, () => {
    it('gives whole and real numbers row after row, null as NaN, and nothing of no rows', async () => {
      const database = await open()
      try {
        const sql = `select 1 as a, 0.5 as b, null as c union all select -${2 ** 50}, 1e300, 3`
        const numbers = await database.numbers(sql, ['a', 'b', 'c'])
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
        assert.equal((await database.numbers('select 1 as a where 1 = 0', ['a'])).length, 0)
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
        const numbers = await database.snapshot((snapshot) => snapshot.numbers(sql, ['one', 'two']))
        assert.equal(numbers.length, 3000 * 20 * 2)
        assert.equal(
          numbers.reduce((sum, one) => sum + one, 0),
          20 * 2999 * 1500 + 3000 * 190,
        )
      } finally {
        await database.close()
      }
    })

    it('tells what is wrong with a query and goes on', async () => {
      const database = await open()
      try {
        await assert.rejects(database.numbers('select nothing_of_that_name as a', ['a']))
        assert.deepEqual([...(await database.numbers('select 7 as a', ['a']))], [7])
      } finally {
        await database.close()
      }
    })
  })
}
