import assert from 'node:assert/strict'
import { it } from 'node:test'
import { divideUnitTests } from './unit-tests.ts'

const file = (path: string, imports: string[] = []) => ({ path, imports })

it('divides unit tests among processes, and leaves slow ones and those with a database to the whole run', () => {
  const files = [
    file('src/geo/a.test.ts'),
    file('src/geo/b.test.ts'),
    file('src/geo/c.test.ts'),
    file('src/core/workers/worker-handle.test.ts'),
    file('src/core/jobs/jobs.test.ts', ['tests/support/postgres.ts']),
    file('src/formats/csv/damage.test.ts'),
    file('src/formats/gdal/gdal.test.ts'),
  ]
  assert.deepEqual(divideUnitTests(files, 2), {
    shared: [['src/geo/a.test.ts', 'src/geo/c.test.ts'], ['src/geo/b.test.ts']],
    alone: ['src/core/workers/worker-handle.test.ts'],
  })
})
