import type { Memory, Traffic } from '../../metrics/hosts/host-reading.ts'
import type { Mount } from './measured-devices.ts'
import { isMeasuredInterface, maxInterfaces, toLabel } from './measured-devices.ts'

/**
 * Seconds per tick in /proc/stat: Linux reports 100 ticks a second to programs on every platform that Node
 * supports.
 */
const secondsPerTick = 0.01

export function parseLoads(loadavg: string): [one: number, five: number, fifteen: number] {
  const [one = Number.NaN, five = Number.NaN, fifteen = Number.NaN] = numbers(loadavg.split(' ').slice(0, 3))
  return [one, five, fifteen]
}

/** Parses /proc/meminfo; values in bytes. Linux before 3.14 does not report available memory. */
export function parseMemory(meminfo: string): Required<Omit<Memory, 'usedPercent'>> {
  const bytes = (name: string): number | undefined => {
    const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(meminfo)
    return found === null ? undefined : Number(found[1]) * 1024
  }
  const [buffers = 0, cached = 0] = [bytes('Buffers'), bytes('Cached')]
  const free = bytes('MemAvailable') ?? (bytes('MemFree') ?? Number.NaN) + buffers + cached
  return { all: bytes('MemTotal') ?? Number.NaN, free, buffers }
}

/**
 * Parses /proc/stat: seconds of all processors since the start. Time that the hypervisor gave to other
 * machines does not count as busy.
 */
export function parseProcessors(stat: string): { busy: number; total: number } | undefined {
  const line = /^cpu\s+([\d ]+)$/m.exec(stat)?.[1]
  if (line === undefined) return undefined
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softIrq = 0, stolen = 0] = numbers(
    line.trim().split(/ +/),
  )
  const busy = user + nice + system + irq + softIrq
  return { busy: busy * secondsPerTick, total: (busy + idle + waiting + stolen) * secondsPerTick }
}

export function parseUptime(uptime: string): number | undefined {
  const seconds = Number.parseFloat(uptime)
  return Number.isFinite(seconds) ? seconds : undefined
}

/** Parses /proc/net/dev. */
export function parseTraffic(text: string): Traffic[] {
  const traffic: Traffic[] = []
  for (const [, name = '', columns = ''] of text.matchAll(/^ *([^\s|]+): *([\d ]+)$/gm)) {
    if (!isMeasuredInterface(name) || traffic.length === maxInterfaces) continue
    const counts = numbers(columns.trim().split(/ +/))
    const [received, sent] = [counts[0], counts[8]]
    if (received !== undefined && sent !== undefined) traffic.push({ label: toLabel(name), received, sent })
  }
  return traffic
}

/** Parses /proc/self/mounts, where spaces and similar characters are octal escapes. */
export function parseMounts(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    const [device, mountPoint, type] = line.split(' ').map(unescapeOctal)
    return device === undefined || mountPoint === undefined || type === undefined
      ? []
      : [{ device, mountPoint, type }]
  })
}

function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
}

function numbers(texts: readonly string[]): number[] {
  return texts.map(Number)
}
