import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { HostReading } from '../../metrics/hosts/host-reading.ts'
import { measuredStorages } from './measured-devices.ts'
import {
  parseLoads,
  parseMemory,
  parseMounts,
  parseProcessors,
  parseTraffic,
  parseUptime,
} from './proc-files.ts'
import { readElsewhere } from './read-elsewhere.ts'
import { DiskSizes } from './statfs.ts'

const folder = '/proc'
const maxFileBytes = 1 << 20

/** Returns the function that reads the metrics of the machine of this process. */
export function openThisHost(): () => Promise<HostReading> {
  const disks = new DiskSizes()
  return existsSync(join(folder, 'loadavg')) ? () => readProc(disks) : readElsewhere
}

async function readProc(disks: DiskSizes): Promise<HostReading> {
  const names = [
    'loadavg',
    'meminfo',
    'stat',
    'uptime',
    'net/dev',
    'self/mounts',
    'sys/kernel/random/boot_id',
  ]
  const texts = await Promise.all(names.map((name) => readStart(join(folder, name))))
  const [loadavg = '', meminfo = '', stat = '', uptime = '', net = '', mounts = '', boot = ''] = texts
  const [one, five, fifteen] = parseLoads(loadavg)
  const processors = parseProcessors(stat)
  const uptimeSeconds = parseUptime(uptime)
  return {
    loads: { one, five, fifteen },
    memory: parseMemory(meminfo),
    storages: measuredStorages(await disks.read(parseMounts(mounts))),
    processors,
    traffic: parseTraffic(net),
    uptimeSeconds,
    boot: boot === '' ? undefined : boot.trim(),
  }
}

/** Reads the beginning of a file of /proc, whose size is not known; empty if this process may not read it. */
async function readStart(path: string): Promise<string> {
  const chunks: Buffer[] = []
  try {
    const file = await open(path)
    try {
      for (let size = 0; size < maxFileBytes; ) {
        const { bytesRead, buffer } = await file.read(Buffer.alloc(65_536))
        if (bytesRead === 0) break
        chunks.push(buffer.subarray(0, bytesRead))
        size += bytesRead
      }
    } finally {
      await file.close()
    }
  } catch {
    return ''
  }
  return Buffer.concat(chunks).toString('utf8')
}
