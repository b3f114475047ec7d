import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { TargetMetric } from './import-target.ts'
import type { ImportedValue } from './metric-meaning.ts'
import { translateValue } from './metric-meaning.ts'

const plain = {
  type: 'count',
  isLabelled: false,
  isAddress: false,
  isHost: false,
  defaultLabel: 'count',
} as const
const labelled = { ...plain, type: 'value', isLabelled: true, defaultLabel: 'value' } as const
const metrics: Record<string, Omit<TargetMetric, 'id' | 'name'>> = {
  'request.count': plain,
  'response.time': { ...plain, type: 'rate', defaultLabel: 'value' },
  'request.method': labelled,
  'request.path': labelled,
  'request.country': labelled,
  'request.users': labelled,
  'request.ip': { ...labelled, isAddress: true },
  'network.in': { ...plain, isLabelled: true, isHost: true },
  uptime: { ...plain, type: 'rate', isHost: true, defaultLabel: 'value' },
}

function translate(name: string, source: Partial<ImportedValue>) {
  const value = { label: 'count', value: 10, samples: 5, isAggregated: false, ...source }
  const metric = metrics[name]
  assert.ok(metric)
  return translateValue({ id: 1, name, ...metric }, value, {
    keepAddress: (address) => (address === '192.0.2.7' ? '192.0.2.0' : null),
  })
}

describe('a value of GeoNode', () => {
  it('keeps its label where the metric is split by labels, else has the default one', () => {
    assert.deepEqual(translate('request.count', { label: 'Count' }), {
      label: 'count',
      value: 10,
      samples: 5,
    })
    assert.deepEqual(translate('response.time', { label: 'rate' }), { label: 'value', value: 10, samples: 5 })
    assert.equal(translate('request.method', { label: 'GET' }).label, 'GET')
    assert.equal(translate('request.path', { label: '/a?b=c' }).label, '/a')
    assert.equal(translate('request.ip', { label: '192.0.2.7' }).label, '192.0.2.0')
  })

  it('has as many samples as it counts if it has none, and one where it is a mean', () => {
    assert.equal(translate('request.count', { samples: 0 }).samples, 10)
    assert.equal(translate('response.time', { samples: 0 }).samples, 1)
  })

  it('is left out where it means nothing that is true', () => {
    const useless: [name: string, source: Partial<ImportedValue>, reason: RegExp][] = [
      ['request.count', { value: 0, samples: 0 }, /counts nothing/],
      ['request.users', { value: 0 }, /counts nothing/],
      ['request.country', {}, /counts nothing/],
      ['response.time', { isAggregated: true }, /aggregated without weights/],
      ['network.in', { isAggregated: true }, /a sum of readings/],
      ['request.ip', { label: '198.51.100.1' }, /TERRANE_PRIVACY/],
    ]
    for (const [name, source, reason] of useless) assert.throws(() => translate(name, source), reason, name)
  })

  it('is the mean reading of an uptime that was summed up', () => {
    assert.equal(translate('uptime', { value: 5000, samples: 5, isAggregated: true }).value, 1000)
  })
})
