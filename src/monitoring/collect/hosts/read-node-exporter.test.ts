import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { HostReading } from '../../metrics/hosts/host-reading.ts'
import { readNodeExporter } from './read-node-exporter.ts'
import { toSamples } from './to-samples.ts'

function gaugesOf(reading: HostReading) {
  return toSamples(reading, undefined, { serviceId: 1, now: 0 })
}

const filesystem = (name: string, device: string, mountPoint: string, type: string, value: number): string =>
  `node_filesystem_${name}_bytes{device="${device}",fstype="${type}",mountpoint="${mountPoint}"} ${value}\n`

describe('a node exporter', () => {
  it('tells busy and all seconds of its processors, guests among users', () => {
    const seconds = { user: 10, nice: 1, system: 5, irq: 1, softirq: 1, idle: 70, iowait: 8, steal: 4 }
    const text = ['0', '1']
      .flatMap((cpu) =>
        Object.entries(seconds).map(
          ([mode, value]) => `node_cpu_seconds_total{cpu="${cpu}",mode="${mode}"} ${value}`,
        ),
      )
      .join('\n')
    const guests = 'node_cpu_guest_seconds_total{cpu="0",mode="user"} 3'
    assert.deepEqual(readNodeExporter(`${guests}\n${text}`).processors, { busy: 36, total: 200 })
  })

  it('tells sizes of disks, once each', () => {
    const of = (device: string, mountPoint: string, type: string): string =>
      filesystem('size', device, mountPoint, type, 100) +
      filesystem('free', device, mountPoint, type, 40) +
      filesystem('avail', device, mountPoint, type, 30)
    const text =
      of('/dev/sda1', '/', 'ext4') + of('/dev/sda1', '/var/lib/bound', 'ext4') + of('tmpfs', '/run', 'tmpfs')
    const gauges = gaugesOf(readNodeExporter(text)).filter(({ metric }) => metric.startsWith('storage.'))
    assert.deepEqual(
      gauges.map(({ metric, label, value }) => [metric, label, value]),
      [
        ['storage.total', '/', 100],
        ['storage.used', '/', 60],
        ['storage.free', '/', 30],
        ['storage.usage.percent', '/', (100 * 60) / 90],
      ],
    )
  })

  it('keeps what a host is full of within bounds', () => {
    const many = Array.from(
      { length: 5000 },
      (_, index) =>
        filesystem('size', `/dev/d${index}`, `/m${index}`, 'ext4', 1) +
        `node_network_receive_bytes_total{device="eth${index}"} 1\n` +
        `node_network_transmit_bytes_total{device="eth${index}"} 1\n`,
    ).join('')
    const reading = readNodeExporter(many)
    assert.equal(gaugesOf(reading).filter(({ metric }) => metric === 'storage.total').length, 64)
    assert.equal(reading.traffic.length, 64)
    const long = filesystem('size', '/dev/x', `/${'x'.repeat(5000)}\\n\u0007`, 'ext4', 1)
    const label =
      gaugesOf(readNodeExporter(long)).find(({ metric }) => metric === 'storage.total')?.label ?? ''
    assert.equal(label.length, 255)
  })

  it('is not what answers with something else', () => {
    for (const text of ['', '<html><body>Sign in</body></html>', '{"node_load1": 1}', 'go_goroutines 8'])
      assert.throws(() => readNodeExporter(text), /has no metrics of a node exporter/, text)
  })
})
