import { describe, it } from 'node:test'
import { databases } from '../../support/monitoring-client.ts'
import { startCountedDay } from '../../support/recount-run.ts'

for (const [database, envOf] of Object.entries(databases)) {
  describe(`a day of requests on ${database}`, () => {
    it('is told by metric_data as a plain recount has it, in every metric, grouping, window and filter', async (t) => {
      // tests/release/recount.test.ts has a hundred times the requests, and three queries of each metric and grouping.
      const day = await startCountedDay(t, { env: await envOf(), requests: 2000, kills: 1, queries: 1 })
      await day.compare(day.queries)
    })
  })
}
