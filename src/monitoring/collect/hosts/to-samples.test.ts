import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { HostReading } from '../../metrics/hosts/host-reading.ts'
import { findMetric } from '../../metrics/metrics.ts'
import { countersOf, parseCounters, toSamples } from './to-samples.ts'

const minute = 60_000

function reading(some: Partial<HostReading> = {}): HostReading {
  return { storages: [], traffic: [], ...some }
}

/** Amounts by `metric` or `metric label` of a reading that follows another. */
function follow(before: HostReading, after: HostReading, milliseconds = minute): Record<string, number> {
  const state = parseCounters(JSON.stringify(countersOf(before, 1_000_000)))
  const samples = toSamples(after, state, { serviceId: 1, now: 1_000_000 + milliseconds })
  return Object.fromEntries(
    samples.map(({ metric, label, value }) => [
      /^(count|value)$/.test(label) ? metric : `${metric} ${label}`,
      value,
    ]),
  )
}

const eth = (received: number, sent: number) => ({ label: 'eth0', received, sent })

describe('samples of a host', () => {
  it('are gauges alone at the first reading', () => {
    const first = reading({
      loads: { one: 0.5 },
      processors: { busy: 100, total: 400 },
      traffic: [eth(1000, 2000)],
      uptimeSeconds: 200,
    })
    assert.deepEqual(toSamples(first, undefined, { serviceId: 7, now: 5 }), [
      { serviceId: 7, created: 5, metric: 'load.1m', label: 'value', value: 0.5 },
      { serviceId: 7, created: 5, metric: 'uptime', label: 'value', value: 200 },
    ])
  })

  it('give what counters rose by, and that by the second', () => {
    const before = reading({
      processors: { busy: 100, total: 400 },
      traffic: [eth(1000, 2000)],
      uptimeSeconds: 200,
    })
    const after = reading({
      processors: { busy: 130, total: 520 },
      traffic: [eth(7000, 2600)],
      uptimeSeconds: 260,
    })
    assert.deepEqual(follow(before, after), {
      uptime: 260,
      'cpu.usage': 30,
      'cpu.usage.rate': 0.5,
      'cpu.usage.percent': 25,
      'network.in eth0': 6000,
      'network.in.rate eth0': 100,
      'network.out eth0': 600,
      'network.out.rate eth0': 10,
    })
  })

  it('count from 0 after a restart of the host, though counters are higher than before', () => {
    const before = reading({
      boot: 'a',
      uptimeSeconds: 30,
      processors: { busy: 10, total: 60 },
      traffic: [eth(100, 100)],
    })
    const after = reading({
      boot: 'b',
      uptimeSeconds: 40,
      processors: { busy: 20, total: 80 },
      traffic: [eth(150, 300)],
    })
    const amounts = follow(before, after)
    assert.equal(amounts['cpu.usage'], 20)
    assert.equal(amounts['cpu.usage.percent'], 25)
    assert.equal(amounts['network.in eth0'], 150)
    assert.equal(amounts['network.out eth0'], 300)
  })

  it('see a restart by a shorter uptime too, but not by a second of rounding', () => {
    const before = reading({ uptimeSeconds: 5000, traffic: [eth(100, 100)] })
    assert.equal(
      follow(before, reading({ uptimeSeconds: 20, traffic: [eth(130, 130)] }))['network.in eth0'],
      130,
    )
    assert.equal(
      follow(before, reading({ uptimeSeconds: 4999, traffic: [eth(130, 130)] }))['network.in eth0'],
      30,
    )
  })

  it('count an interface that began again from 0, and never a negative amount', () => {
    const before = reading({
      uptimeSeconds: 100,
      processors: { busy: 50, total: 90 },
      traffic: [eth(9000, 9000)],
    })
    const after = reading({
      uptimeSeconds: 160,
      processors: { busy: 40, total: 100 },
      traffic: [eth(500, 9500)],
    })
    const amounts = follow(before, after)
    assert.equal(amounts['network.in eth0'], 500)
    assert.equal(amounts['network.out eth0'], 500)
    assert.equal(amounts['cpu.usage'], 0)
  })

  it('leave out an interface that was not there before, since it may have counted for long', () => {
    const amounts = follow(
      reading({ uptimeSeconds: 1 }),
      reading({ uptimeSeconds: 61, traffic: [eth(1e9, 1e9)] }),
    )
    assert.deepEqual(Object.keys(amounts), ['uptime'])
  })

  it("divide by the host's own seconds, whatever our clock does meanwhile", () => {
    const before = reading({ uptimeSeconds: 100, traffic: [eth(0, 0)] })
    const after = reading({ uptimeSeconds: 160, traffic: [eth(600, 0)] })
    assert.equal(follow(before, after, -3_600_000)['network.in.rate eth0'], 10)
    assert.equal(follow(before, after, 3_600_000)['network.in.rate eth0'], 10)
    const blind = follow(reading({ traffic: [eth(0, 0)] }), reading({ traffic: [eth(600, 0)] }), -5)
    assert.deepEqual(blind, { 'network.in eth0': 600, 'network.out eth0': 0 })
  })

  it('give the whole amount after a gap of hours', () => {
    const before = reading({ uptimeSeconds: 0, traffic: [eth(0, 0)] })
    const after = reading({ uptimeSeconds: 36_000, traffic: [eth(36_000_000, 0)] })
    const amounts = follow(before, after, 36_000_000)
    assert.equal(amounts['network.in eth0'], 36_000_000)
    assert.equal(amounts['network.in.rate eth0'], 1000)
  })

  it('lose and double nothing, however often the reader is restarted in between', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ by: fc.nat(1e6), restarts: fc.boolean() }), { minLength: 1 }),
        (steps) => {
          let [total, counter, sum] = [0, 0, 0]
          let state = countersOf(reading({ boot: '0', uptimeSeconds: 0, traffic: [eth(0, 0)] }), 0)
          for (const [index, { by, restarts }] of steps.entries()) {
            counter = (restarts ? 0 : counter) + by
            total += by
            const boots = steps.slice(0, index + 1).filter((step) => step.restarts).length
            const next = reading({ boot: String(boots), traffic: [eth(counter, 0)] })
            const kept = parseCounters(JSON.stringify(state))
            const samples = toSamples(next, kept, { serviceId: 1, now: index })
            sum += samples.find(({ metric }) => metric === 'network.in')?.value ?? Number.NaN
            state = countersOf(next, index)
          }
          assert.equal(sum, total)
        },
      ),
    )
  })

  it('are finite, not negative, and of metrics of hosts, whatever the counters are', () => {
    const number = fc.double()
    const any = fc.record({
      loads: fc.constant({ one: Number.NaN }),
      memory: fc.constant({ free: -1 }),
      storages: fc.constant([]),
      processors: fc.record({ busy: number, total: number }),
      traffic: fc.array(fc.record({ label: fc.constantFrom('a', 'b'), received: number, sent: number })),
      uptimeSeconds: number,
    })
    fc.assert(
      fc.property(any, any, fc.integer(), (before, after, now) => {
        const state = parseCounters(JSON.stringify(countersOf(before, 0)))
        for (const sample of toSamples(after, state, { serviceId: 1, now })) {
          assert.ok(Number.isFinite(sample.value) && sample.value >= 0, JSON.stringify(sample))
          assert.ok(findMetric(sample.metric) !== undefined)
        }
      }),
    )
  })

  it('take a counter that was not a number for one that was not there', () => {
    const before = reading({ traffic: [eth(Number.NaN, 5)], processors: { busy: Number.NaN, total: 1 } })
    const after = reading({ traffic: [eth(1e9, 1e9)], processors: { busy: 1e6, total: 1e9 } })
    assert.deepEqual(follow(before, after), {})
  })

  it('begin anew where the counters of the reading before cannot be read', () => {
    for (const text of ['', '{', 'null', '7', '{"at":"x"}', '{"at":1,"traffic":3}']) {
      assert.equal(parseCounters(text), undefined, text)
    }
  })
})
