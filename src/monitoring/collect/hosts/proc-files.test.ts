import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { diskMounts, isMeasuredInterface } from './measured-devices.ts'
import {
  parseLoads,
  parseMemory,
  parseMounts,
  parseProcessors,
  parseTraffic,
  parseUptime,
} from './proc-files.ts'

describe('/proc', () => {
  it('tells loads and the time since the start', () => {
    assert.deepEqual(parseLoads('0.76 0.44 1.47 2/256 12345\n'), [0.76, 0.44, 1.47])
    assert.equal(parseUptime('24230.36 20171.98\n'), 24230.36)
    assert.equal(parseUptime(''), undefined)
  })

  it('tells what memory is available, and estimates it for kernels that do not', () => {
    const text =
      'MemTotal:  1000 kB\nMemFree:  200 kB\nMemAvailable:   700 kB\nBuffers:  50 kB\nCached:   300 kB\n'
    assert.deepEqual(parseMemory(text), { all: 1_024_000, free: 716_800, buffers: 51_200 })
    const old = parseMemory(text.replace(/MemAvailable.*\n/, ''))
    assert.equal(old.free, 550 * 1024)
  })

  it('tells seconds of all processors; waiting, idling and stolen ones are not at work', () => {
    const text = 'cpu  100 20 300 4000 500 6 7 800 90 9\ncpu0 1 1 1 1 1 1 1 1 1 1\nintr 5\n'
    const { busy = 0, total = 0 } = parseProcessors(text) ?? {}
    assert.equal(Math.round(busy * 100), 100 + 20 + 300 + 6 + 7)
    assert.equal(Math.round(total * 100), 433 + 4000 + 500 + 800)
    assert.equal(parseProcessors('intr 5\n'), undefined)
  })

  it('tells bytes of interfaces that lead elsewhere', () => {
    const text = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 43561237537 15475067    0    0    0     0          0         0 43561237537 15475067    0    0    0     0       0          0
 ens3d1:1098910953   31535    0    0    0     0          0         0  2532169   22098    0    0    0     0       0          0
vethab12:       5       0    0    0    0     0          0         0        0       0    0    0    0     0       0          0
`
    assert.deepEqual(parseTraffic(text), [{ label: 'ens3d1', received: 1_098_910_953, sent: 2_532_169 }])
    for (const name of ['lo', 'lo0', 'docker0', 'br-1f2e', 'veth1', 'virbr0', 'ifb0']) {
      assert.equal(isMeasuredInterface(name), false, name)
    }
    for (const name of ['eth0', 'enp3s0', 'wlan0', 'bond0', 'br0', 'long0']) {
      assert.equal(isMeasuredInterface(name), true, name)
    }
  })

  it('keeps a bounded number of interfaces', () => {
    const lines = Array.from({ length: 500 }, (_, index) => `eth${index}: 1 0 0 0 0 0 0 0 2 0 0 0 0 0 0 0`)
    assert.equal(parseTraffic(lines.join('\n')).length, 64)
  })

  it('tells mounted disks, each once by its shortest path, with blanks in paths', () => {
    const text = `overlay / overlay rw 0 0
proc /proc proc rw 0 0
tmpfs /run tmpfs rw 0 0
/dev/sda1 /etc/resolv.conf ext4 rw 0 0
/dev/sda1 /data ext4 rw 0 0
/dev/sdb1 /mnt/my\\040disk xfs rw 0 0
/dev/loop3 /snap/core squashfs ro 0 0
server:/export /mnt/nfs nfs4 rw 0 0
sshfs#x /mnt/ssh fuse.sshfs rw 0 0
tank/home /home zfs rw 0 0
`
    const mountPoints = diskMounts(parseMounts(text)).map(({ mountPoint }) => mountPoint)
    assert.deepEqual(mountPoints, ['/', '/data', '/mnt/my disk', '/home'])
  })

  it('may hold anything', () => {
    const piece = fc.constantFrom(
      'cpu ',
      'eth0:',
      'MemTotal:',
      ' kB',
      ' ',
      '\n',
      '\\040',
      '\\',
      '9',
      '/dev/x',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string())), (pieces) => {
        const text = pieces.join('')
        for (const parse of [parseLoads, parseMemory, parseProcessors, parseTraffic, parseUptime]) parse(text)
        diskMounts(parseMounts(text))
      }),
    )
  })
})
