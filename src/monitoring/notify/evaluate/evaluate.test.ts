import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { defined, without } from '../../../core/values/defined.ts'
import type { Breach, ComparedValue } from '../comparisons/comparison.ts'
import { comparisonNames, findComparison } from '../comparisons/comparisons.ts'
import type { Threshold } from '../model/model.ts'
import type { WatchedService } from './evaluate.ts'
import { compareBreaches, planOf } from './evaluate.ts'

const to = Date.UTC(2026, 10, 21, 12, 5) / 1000
const now = (to + 5) * 1000

function service(changes: Partial<WatchedService>): WatchedService {
  const lastCheck = new Date(to * 1000).toISOString()
  return { id: 1, name: 'one', type: 'app', isActive: true, checkIntervalSeconds: 60, lastCheck, ...changes }
}

function plan(
  metric: string,
  threshold: Omit<Threshold, 'value'>,
  services: WatchedService[],
  windowSeconds = 60,
) {
  return planOf({ metric, option: 'max_value' }, { value: 1, ...threshold }, services, { windowSeconds, to })
}

/** Calls the comparison of that name. */
function findBreach({ option, ...changes }: Partial<ComparedValue> & { option: string }): Breach | undefined {
  const found = { value: 5, lastValidTo: to }
  const compared = { limit: 5, metric: { type: 'count' } as const, found, isCollected: true, now, ...changes }
  return (findComparison(option) ?? assert.fail(option)).findBreach(compared)
}

const nothing = { value: undefined, lastValidTo: undefined }

describe('what is asked', () => {
  it('is one number over every active service that measures the metric', () => {
    const services = [
      service({}),
      service({ id: 2, type: 'mapserver' }),
      service({ id: 3, type: 'hostapp' }),
      service({ id: 4, isActive: false }),
    ]
    const requested = plan('request.count', { resourceId: 7, label: 'x', eventType: 'OWS:WMS' }, services)
    assert.ok(requested.kind === 'ask')
    assert.deepEqual(
      requested.asks.map(({ query }) => query),
      [
        {
          metric: 'request.count',
          serviceIds: [1, 2],
          resourceId: 7,
          label: 'x',
          eventType: 'OWS:WMS',
          from: to - 60,
          to,
        },
      ],
    )
  })

  it('is about the last complete period, or a longer window, or the interval of a service that is read seldom', () => {
    const from = (services: WatchedService[], window?: number): number => {
      const requested = plan('request.count', {}, services, window)
      assert.ok(requested.kind === 'ask')
      return to - (requested.asks[0]?.query.from ?? 0)
    }
    assert.equal(from([service({})]), 60)
    assert.equal(from([service({})], 300), 300)
    assert.equal(from([service({}), service({ id: 2, checkIntervalSeconds: 900 })], 300), 900)
  })

  it('is the one service that the threshold names', () => {
    const requested = plan('request.count', { serviceId: 2 }, [service({}), service({ id: 2, name: 'two' })])
    assert.ok(requested.kind === 'ask')
    assert.deepEqual(requested.asks[0]?.query.serviceIds, [2])
    assert.deepEqual(requested.asks[0]?.about, ['two'])
  })

  it('is each host by itself for gauges, and each of their labels', () => {
    const hosts = [service({ type: 'hostapp' }), service({ id: 2, type: 'hostmapserver', name: 'two' })]
    const requested = plan('storage.usage.percent', {}, hosts)
    assert.ok(requested.kind === 'ask')
    assert.deepEqual(
      requested.asks.map(({ query }) => query.serviceIds),
      [[1], [2]],
    )
    assert.equal(requested.eachLabel, true)
    const memory = plan('mem.usage.percent', {}, hosts)
    assert.ok(memory.kind === 'ask' && !memory.eachLabel && memory.asks.length === 2)
  })

  it('cannot be answered for a service that is gone, switched off or of another kind', () => {
    const reasonOf = (
      metric: string,
      threshold: Omit<Threshold, 'value'>,
      services: WatchedService[],
    ): string => {
      const requested = plan(metric, threshold, services)
      return requested.kind === 'impossible' ? requested.reason : ''
    }
    assert.match(reasonOf('request.count', { serviceId: 9 }, [service({})]), /no longer exists/)
    assert.match(reasonOf('request.count', { serviceId: 1 }, [service({ isActive: false })]), /switched off/)
    assert.match(reasonOf('uptime', { serviceId: 1 }, [service({})]), /does not measure uptime/)
    assert.match(reasonOf('request.count', {}, []), /no active service measures request.count/)
    assert.match(reasonOf('no.such', {}, [service({})]), /no metric no.such/)
  })

  it('counts a service as collected when it was read in the window', () => {
    const isCollected = (lastCheck: string | undefined): boolean => {
      const rest = without(service({}), 'lastCheck')
      const requested = plan('request.count', {}, [lastCheck === undefined ? rest : { ...rest, lastCheck }])
      return requested.kind === 'ask' && requested.asks[0]?.isCollected === true
    }
    assert.equal(isCollected('2026-11-21T12:04:30.000Z'), true)
    assert.equal(isCollected('2026-11-21T12:03:59.000Z'), false)
    assert.equal(isCollected(undefined), false)
  })
})

describe('a number and its limit', () => {
  it('may be equal', () => {
    assert.equal(findBreach({ option: 'max_value' }), undefined)
    assert.equal(findBreach({ option: 'min_value' }), undefined)
  })

  it('break when 11 are wanted and 10 are there, and hold between 1 and 11', () => {
    const found = { value: 10, lastValidTo: to }
    assert.deepEqual(findBreach({ option: 'min_value', limit: 11, found }), { kind: 'beyond', value: 10 })
    assert.equal(findBreach({ option: 'min_value', limit: 1, found }), undefined)
    assert.equal(findBreach({ option: 'max_value', limit: 11, found }), undefined)
    assert.deepEqual(findBreach({ option: 'max_value', limit: 9, found }), { kind: 'beyond', value: 10 })
  })

  it('no row is 0 for sums of a service that was collected, and unknown otherwise', () => {
    const none = { option: 'min_value', limit: 1, found: nothing } as const
    assert.deepEqual(findBreach(none), { kind: 'beyond', value: 0 })
    assert.deepEqual(findBreach({ ...none, metric: { type: 'value' } }), { kind: 'beyond', value: 0 })
    assert.deepEqual(findBreach({ ...none, isCollected: false }), { kind: 'uncollected' })
  })

  it('no row of a rate is no problem', () => {
    for (const isCollected of [true, false])
      for (const one of ['min_value', 'max_value'] as const)
        assert.equal(
          findBreach({ option: one, metric: { type: 'rate' }, found: nothing, isCollected }),
          undefined,
        )
  })

  it('are late when the newest value is older than the limit, or there never was one', () => {
    const late = (lastValidTo: number | undefined, limit: number) =>
      findBreach({ option: 'max_timeout', limit, found: { value: undefined, lastValidTo } })
    assert.equal(late(to - 115, 120), undefined)
    assert.deepEqual(late(to - 116, 120), { kind: 'beyond', value: 121 })
    assert.deepEqual(late(undefined, 120), { kind: 'beyond' })
  })

  it('follow the rule for every number', () => {
    const numbers = fc.double({ min: -1e12, max: 1e12, noNaN: true })
    fc.assert(
      fc.property(
        fc.constantFrom(...comparisonNames),
        fc.constantFrom('count', 'value', 'rate'),
        fc.option(numbers, { nil: undefined }),
        numbers,
        fc.boolean(),
        (one, type, value, limit, isCollected) => {
          const found = { value, lastValidTo: to }
          const metric = { type: type as 'count' }
          const breach = findBreach({ option: one, metric, found, limit, isCollected })
          const number = value ?? (type === 'rate' || !isCollected ? undefined : 0)
          const isUnknown = value === undefined && type !== 'rate' && !isCollected
          const isBroken =
            one === 'max_timeout'
              ? 5 > limit
              : isUnknown || (number !== undefined && (one === 'min_value' ? number < limit : number > limit))
          assert.equal(breach !== undefined, isBroken)
        },
      ),
    )
  })
})

describe('the worst of several', () => {
  it('is furthest beyond the limit', () => {
    const compare = (option: string, one: number | undefined, other: number) =>
      compareBreaches(
        { kind: 'beyond', ...defined({ value: one }) },
        { kind: 'beyond', value: other },
        findComparison(option) ?? assert.fail(option),
      )
    assert.ok(compare('max_value', 95, 91) > 0)
    assert.ok(compare('min_value', 1, 3) > 0)
    assert.ok(compare('max_timeout', undefined, 500) > 0)
  })
})
