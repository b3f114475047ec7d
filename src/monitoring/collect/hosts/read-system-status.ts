import type { HostReading, Memory, Storage, Traffic } from '../../metrics/hosts/host-reading.ts'
import { isMeasuredInterface, maxInterfaces, measuredStorages, toLabel } from './measured-devices.ts'

/** One entry of GeoServer's system status. */
interface StatusEntry {
  name: string
  /** The partition or interface it describes. */
  subject: string
  value: number
}

/** Reads the host values of GeoServer's `system-status`. Throws if the text is not one. */
export function readSystemStatus(text: string): HostReading {
  const entries = parseEntries(text)
  const byName = new Map(entries.map((entry) => [entry.name, entry.value]))
  const uptimeSeconds = byName.get('SYSTEM_UPTIME')
  return {
    loads: {
      one: byName.get('SYSTEM_AVERAGE_LOAD_1') ?? byName.get('SYSTEM_AVERAGE_LOAD'),
      five: byName.get('SYSTEM_AVERAGE_LOAD_5'),
      fifteen: byName.get('SYSTEM_AVERAGE_LOAD_15'),
    },
    memory: memoryOf(byName),
    storages: measuredStorages(storagesOf(entries)),
    busyPercent: byName.get('CPU_LOAD'),
    traffic: trafficOf(entries, byName),
    uptimeSeconds,
  }
}

function memoryOf(byName: ReadonlyMap<string, number>): Memory {
  const [all, free, percent] = ['MEMORY_TOTAL', 'MEMORY_FREE', 'MEMORY_USED'].map((name) => byName.get(name))
  if (all !== undefined && free !== undefined) return { all, free }
  return percent === undefined ? {} : { usedPercent: percent }
}

function storagesOf(entries: readonly StatusEntry[]): Storage[] {
  const free = bySubject(entries, 'PARTITION_FREE')
  return [...bySubject(entries, 'PARTITION_TOTAL')].flatMap(([mountPoint, total]) => {
    const left = free.get(mountPoint)
    return left === undefined ? [] : [{ mountPoint, total, used: total - left, free: left }]
  })
}

/** Uses the sum over all interfaces only if no interface is listed, so that no byte counts twice. */
function trafficOf(entries: readonly StatusEntry[], byName: ReadonlyMap<string, number>): Traffic[] {
  const sent = bySubject(entries, 'NETWORK_INTERFACE_SEND')
  const named = [...bySubject(entries, 'NETWORK_INTERFACE_RECEIVED')].flatMap(([name, received]) => {
    const out = sent.get(name)
    return out === undefined ? [] : [{ label: toLabel(name), received, sent: out }]
  })
  if (named.length > 0) return named.filter(({ label }) => isMeasuredInterface(label)).slice(0, maxInterfaces)
  const [allIn, allOut] = [byName.get('NETWORK_INTERFACES_RECEIVED'), byName.get('NETWORK_INTERFACES_SEND')]
  return allIn === undefined || allOut === undefined
    ? []
    : [{ label: 'count', received: allIn, sent: allOut }]
}

function bySubject(entries: readonly StatusEntry[], name: string): Map<string, number> {
  return new Map(entries.filter((entry) => entry.name === name).map(({ subject, value }) => [subject, value]))
}

function parseEntries(text: string): StatusEntry[] {
  const list = member(member(parseJson(text), 'metrics'), 'metric')
  if (list === undefined)
    throw new Error('The answer is not the system status of a GeoServer: it has no metrics')
  return (Array.isArray(list) ? list : [list]).flatMap((entry) => {
    const [name, value] = [member(entry, 'name'), parseNumber(member(entry, 'value'))]
    if (typeof name !== 'string' || value === undefined || isUnavailable(entry)) return []
    return [{ name, subject: subjectOf(entry), value }]
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error('The answer is not the system status of a GeoServer: it is not JSON', { cause: error })
  }
}

function isUnavailable(entry: unknown): boolean {
  const available = member(entry, 'available')
  return available === false || available === 'false'
}

/**
 * Returns the name of the partition or interface: older versions have it in brackets in the description,
 * newer versions also as identifier.
 */
function subjectOf(entry: unknown): string {
  const [description, identifier] = [member(entry, 'description'), member(entry, 'identifier')]
  const bracketed = typeof description === 'string' ? /\[([^\]]*)\]/.exec(description)?.[1] : undefined
  return bracketed ?? (typeof identifier === 'string' ? identifier : '')
}

/** Parses a number, which the status contains as text, in some languages with a decimal comma. */
function parseNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || !/^-?\d+([.,]\d+)?(E[+-]?\d+)?$/i.test(value.trim())) return undefined
  return Number(value.trim().replace(',', '.'))
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
}
