import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { HostReading } from '../../metrics/hosts/host-reading.ts'
import { readSystemStatus } from './read-system-status.ts'
import { toSamples } from './to-samples.ts'

function status(...metric: object[]): string {
  return JSON.stringify({ metrics: { metric } })
}

function entry(name: string, value: unknown, more: object = {}): object {
  return {
    available: true,
    category: 'X',
    description: name,
    identifier: name,
    name,
    priority: 1,
    unit: '',
    value,
    ...more,
  }
}

/** Returns the samples of a first reading without the uptime. */
function gaugesOf({ uptimeSeconds, ...reading }: HostReading): Record<string, number> {
  const samples = toSamples(reading, undefined, { serviceId: 1, now: 0 })
  return Object.fromEntries(
    samples.map(({ metric, label, value }) => [label === 'value' ? metric : `${metric} ${label}`, value]),
  )
}

describe('the system status of a GeoServer', () => {
  it('tells load, processors, memory, partitions, interfaces and uptime', () => {
    const reading = readSystemStatus(
      status(
        entry('OPERATING_SYSTEM', 'Linux 6.1'),
        entry('SYSTEM_UPTIME', '86400'),
        entry('SYSTEM_AVERAGE_LOAD_1', '0.5'),
        entry('SYSTEM_AVERAGE_LOAD_5', 0.25),
        entry('SYSTEM_AVERAGE_LOAD_15', '1.5E-2'),
        entry('CPU_LOAD', '12.5'),
        entry('PER_CPU_LOAD', '99', { identifier: 'CPU 1' }),
        entry('MEMORY_USED', '75'),
        entry('MEMORY_TOTAL', '1000'),
        entry('MEMORY_FREE', '250'),
        entry('PARTITION_USED', '60', { description: 'Partition [/data] used space', identifier: '/data' }),
        entry('PARTITION_TOTAL', '500', {
          description: 'Partition [/data] total space',
          identifier: '/data',
        }),
        entry('PARTITION_FREE', '200', { description: 'Partition [/data] free space', identifier: '/data' }),
        entry('NETWORK_INTERFACES_SEND', '99'),
        entry('NETWORK_INTERFACES_RECEIVED', '99'),
        entry('NETWORK_INTERFACE_SEND', '20', { description: 'Network interface [eth0] send' }),
        entry('NETWORK_INTERFACE_RECEIVED', '10', { description: 'Network interface [eth0] received' }),
        entry('NETWORK_INTERFACE_SEND', '5', { description: 'Network interface [lo] send' }),
        entry('NETWORK_INTERFACE_RECEIVED', '5', { description: 'Network interface [lo] received' }),
      ),
    )
    assert.deepEqual(gaugesOf(reading), {
      'load.1m': 0.5,
      'load.5m': 0.25,
      'load.15m': 0.015,
      'cpu.usage.percent': 12.5,
      'mem.all': 1000,
      'mem.free': 250,
      'mem.usage': 750,
      'mem.usage.percent': 75,
      'storage.total /data': 500,
      'storage.used /data': 300,
      'storage.free /data': 200,
      'storage.usage.percent /data': 60,
    })
    assert.equal(reading.uptimeSeconds, 86_400)
    assert.deepEqual(reading.traffic, [{ label: 'eth0', received: 10, sent: 20 }])
    assert.equal(reading.processors, undefined)
  })

  it('is read from older versions: one load, commas, names in brackets, one entry that is not a list', () => {
    assert.deepEqual(gaugesOf(readSystemStatus(status(entry('SYSTEM_AVERAGE_LOAD', '1,25')))), {
      'load.1m': 1.25,
    })
    const alone = JSON.stringify({ metrics: { metric: entry('MEMORY_USED', '80,5') } })
    assert.deepEqual(gaugesOf(readSystemStatus(alone)), { 'mem.usage.percent': 80.5 })
  })

  it('tells the sum of all interfaces where none is named', () => {
    const text = status(entry('NETWORK_INTERFACES_SEND', '7'), entry('NETWORK_INTERFACES_RECEIVED', '8'))
    assert.deepEqual(readSystemStatus(text).traffic, [{ label: 'count', received: 8, sent: 7 }])
  })

  it('leaves out what is not available', () => {
    const reading = readSystemStatus(
      status(
        entry('SYSTEM_AVERAGE_LOAD_1', 'NOT AVAILABLE', { available: false }),
        entry('CPU_LOAD', '0', { available: false }),
        entry('MEMORY_USED', null),
        entry('SYSTEM_UPTIME', '1 day'),
      ),
    )
    assert.deepEqual([gaugesOf(reading), reading.traffic, reading.uptimeSeconds], [{}, [], undefined])
  })

  it('says so when an answer is something else', () => {
    for (const text of ['', '<html>', 'null', '[]', '{}', '{"metrics":{}}', '{"metrics":[1]}', '"x"'])
      assert.throws(() => readSystemStatus(text), /The answer is not the system status of a GeoServer/, text)
  })

  it('does not stumble over any JSON', () => {
    const names = fc.constantFrom('PARTITION_TOTAL', 'PARTITION_FREE', 'NETWORK_INTERFACE_SEND', 'CPU_LOAD')
    const odd = fc.record({
      name: fc.oneof(names, fc.jsonValue()),
      value: fc.jsonValue(),
      description: fc.jsonValue(),
    })
    fc.assert(
      fc.property(fc.array(fc.oneof(odd, fc.jsonValue())), (metric) => {
        readSystemStatus(JSON.stringify({ metrics: { metric } }))
      }),
    )
  })
})
