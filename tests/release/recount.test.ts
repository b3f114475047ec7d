import { describe, it } from 'node:test'
import { databases } from '../support/monitoring-client.ts'
import { startCountedDay } from '../support/recount-run.ts'

for (const [database, envOf] of Object.entries(databases)) {
  describe(`a day of 200,000 requests on ${database}`, () => {
    it('is told by metric_data as a plain recount has it, in every metric, grouping, window and filter', async (t) => {
      const day = await startCountedDay(t, { env: await envOf(), requests: 200_000, kills: 3, queries: 3 })
      await day.compare(day.queries)
    })
  })
}
