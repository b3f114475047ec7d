import { describe, it } from 'node:test'
import { databases } from '../../support/monitoring-client.ts'
import { startCountedDay } from '../../support/recount-run.ts'

const minuteMs = 60_000

// `tests/release/recount.test.ts` recounts more than three times as many requests. Both databases count at the same time.
describe('a day of requests', { concurrency: true }, () => {
  for (const [database, envOf] of Object.entries(databases))
    it(`is told by metric_data as a plain recount has it, in every metric, grouping, window and filter, on ${database}`, {
      timeout: 20 * minuteMs,
    }, async (t) => {
      // In crowded minutes this is more than the caps of labels and visitors.
      const day = await startCountedDay(t, { env: await envOf(), requests: 60_000, kills: 2, queries: 2 })
      await day.compare(day.queries)
    })
})
