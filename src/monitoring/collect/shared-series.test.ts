import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { temporaryData } from '../../../tests/support/terrane-process.ts'
import { createSeriesWriter } from '../series/series-writer.ts'
import { SharedSeries } from './shared-series.ts'

const created = Date.UTC(2026, 10, 21, 12)
const limits = { labels: 100, visitors: 100, resources: 100 }

function sample(serviceId: number) {
  return { serviceId, created, metric: 'mem.free', label: 'value', value: 1 } as const
}

describe('SharedSeries', () => {
  it('takes nothing of a service that was removed while it was collected, and everything of the others', async (test) => {
    const location = { path: `${temporaryData(test)}/monitoring.sqlite` }
    const series = new SharedSeries({ location, limits, openWriter: createSeriesWriter })
    test.after(() => series.close())
    await series.append({ samples: [sample(1), sample(2)] })
    await series.removeService(1)
    const cursor = { source: 'log:1', from: undefined, to: '7' }

    assert.equal(await series.append({ samples: [sample(1)], cursor }), true)
    await series.append({ samples: [sample(1), { ...sample(3), created: created + 1 }] })

    const services = await series.withDatabase((database) =>
      database.arrays('select distinct service_id from monitoring_series order by service_id'),
    )
    assert.deepEqual(services, [[2], [3]])
    assert.equal(await series.cursor('log:1'), undefined)
  })
})
