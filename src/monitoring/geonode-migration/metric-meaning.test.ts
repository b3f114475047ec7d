import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { metricNamed } from '../metrics/metrics.ts'
import type { ImportedValue } from './metric-meaning.ts'
import { meaningOf } from './metric-meaning.ts'

function meant(name: string, older: Partial<ImportedValue>) {
  const value = { label: 'count', value: 10, samples: 5, isAggregated: false, ...older }
  return meaningOf(metricNamed(name), value, (address) => (address === '192.0.2.7' ? '192.0.2.0' : null))
}

describe('a value of the older system', () => {
  it('keeps its label where the metric is split by labels, else has the default one', () => {
    assert.deepEqual(meant('request.count', { label: 'Count' }), { label: 'count', value: 10, samples: 5 })
    assert.deepEqual(meant('response.time', { label: 'rate' }), { label: 'value', value: 10, samples: 5 })
    assert.equal(meant('request.method', { label: 'GET' }).label, 'GET')
    assert.equal(meant('request.path', { label: '/a?b=c' }).label, '/a')
    assert.equal(meant('request.ip', { label: '192.0.2.7' }).label, '192.0.2.0')
  })

  it('has as many samples as it counts where none are told, and one where it is a mean', () => {
    assert.equal(meant('request.count', { samples: 0 }).samples, 10)
    assert.equal(meant('response.time', { samples: 0 }).samples, 1)
  })

  it('is left out where it means nothing that is true', () => {
    const useless: [name: string, older: Partial<ImportedValue>, reason: RegExp][] = [
      ['request.count', { value: 0, samples: 0 }, /counts nothing/],
      ['request.users', { value: 0 }, /counts nothing/],
      ['request.country', {}, /counts nothing/],
      ['response.time', { isAggregated: true }, /aggregated without weights/],
      ['network.in', { isAggregated: true }, /a sum of readings/],
      ['request.ip', { label: '198.51.100.1' }, /TERRANE_PRIVACY/],
    ]
    for (const [name, older, reason] of useless) assert.throws(() => meant(name, older), reason, name)
  })

  it('is the mean reading of an uptime that was summed up', () => {
    assert.equal(meant('uptime', { value: 5000, samples: 5, isAggregated: true }).value, 1000)
  })
})
