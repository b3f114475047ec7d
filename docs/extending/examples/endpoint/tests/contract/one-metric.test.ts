import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startFed } from '../support/fed-monitoring.ts'

describe('one metric', () => {
  it('is told by its name, and is not found by another', async (t) => {
    const { call } = await startFed(t)
    const { status, json } = await call('GET', '/api/metrics/response.time')
    assert.equal(status, 200)
    assert.deepEqual(json.data, {
      name: 'response.time',
      type: 'rate',
      unit: 'ms',
      description: 'Response time',
    })
    assert.equal((await call('GET', '/api/metrics/response.colour')).status, 404)
  })
})
