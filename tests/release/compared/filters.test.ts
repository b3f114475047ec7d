import { after, before, describe, it } from 'node:test'
import type { FilterSamples } from '../../support/filter-samples.ts'
import { compareEncodings, compareWithSql, serveFilterSamples } from '../../support/filter-samples.ts'

describe('many filters in CQL2', () => {
  let samples: FilterSamples
  const cleanups: (() => unknown)[] = []

  before(async () => {
    samples = await serveFilterSamples({ after: (cleanup) => void cleanups.push(cleanup as () => unknown) })
  })
  after(async () => {
    for (const cleanup of cleanups) await cleanup()
    await samples.server.close()
  })

  it('find in each store what SQL finds in PostGIS', () => compareWithSql(samples, 180))

  it('find the same by Filter Encoding 2.0 and 1.1, and by cql_filter', () => compareEncodings(samples, 130))
})
