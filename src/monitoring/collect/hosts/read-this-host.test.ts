import assert from 'node:assert/strict'
import { totalmem } from 'node:os'
import { describe, it } from 'node:test'
import type { HostReading } from '../../metrics/hosts/host-reading.ts'
import { maxMounts } from './measured-devices.ts'
import { readElsewhere } from './read-elsewhere.ts'
import { openThisHost } from './read-this-host.ts'
import { DiskSizes } from './statfs.ts'
import { toSamples } from './to-samples.ts'

function gaugeOf(reading: HostReading, metric: string, label = 'value'): number {
  const samples = toSamples(reading, undefined, { serviceId: 1, now: 0 })
  return samples.find((one) => one.metric === metric && one.label === label)?.value ?? Number.NaN
}

describe('this machine', () => {
  it('is told alike by /proc and where there is none', async () => {
    const [proc, elsewhere] = [await openThisHost()(), await readElsewhere()]
    for (const reading of [proc, elsewhere]) {
      assert.equal(gaugeOf(reading, 'mem.all'), totalmem())
      const { busy = 0, total = 0 } = reading.processors ?? {}
      assert.ok(busy > 0 && busy < total)
      assert.ok(gaugeOf(reading, 'load.15m') >= 0)
    }
    assert.equal(gaugeOf(elsewhere, 'storage.total', '/'), gaugeOf(proc, 'storage.total', '/'))
    assert.ok(Math.abs((elsewhere.uptimeSeconds ?? 0) - (proc.uptimeSeconds ?? 0)) < 60)
    const labels = ({ traffic }: HostReading): string[] => traffic.map(({ label }) => label).sort()
    assert.deepEqual(labels(elsewhere), labels(proc))
  })

  it('has sizes of the disks that can be asked, and a bounded number of them', async () => {
    const disks = new DiskSizes()
    const gone = { device: '/dev/gone', mountPoint: '/no/such/folder', type: 'ext4' }
    const file = { device: '/dev/file', mountPoint: '/etc/hosts', type: 'ext4' }
    const root = { device: '/dev/root', mountPoint: '/', type: 'ext4' }
    const sizes = await disks.read([gone, file, root])
    assert.deepEqual(
      sizes.map(({ mountPoint }) => mountPoint),
      ['/'],
    )
    const many = Array.from({ length: 500 }, (_, index) => ({ ...root, device: `/dev/d${index}` }))
    assert.ok((await disks.read(many)).length <= maxMounts)
  })
})
