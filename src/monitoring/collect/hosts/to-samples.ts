import type { HostAmounts, HostReading } from '../../metrics/hosts/host-reading.ts'
import { hostMetrics } from '../../metrics/metrics.ts'
import type { Sample } from '../../series/request-event.ts'

/** Counters of the previous reading, stored as the cursor of a host. */
export interface CounterState {
  /** Milliseconds since 1970. */
  at: number
  uptime?: number
  boot?: string
  /** Busy seconds and total seconds. */
  processors?: [busy: number, total: number]
  traffic: [label: string, received: number, sent: number][]
}

/** Tolerance for the rounding of a host's uptime and for corrections of its clock. */
const uptimeSlackSeconds = 5

export function countersOf(reading: HostReading, at: number): CounterState {
  const { processors, traffic, uptimeSeconds, boot } = reading
  return {
    at,
    uptime: isNumber(uptimeSeconds) ? uptimeSeconds : undefined,
    boot,
    processors:
      processors !== undefined && isNumber(processors.busy + processors.total)
        ? [processors.busy, processors.total]
        : undefined,
    traffic: traffic
      .filter(({ received, sent }) => isNumber(received + sent))
      .map(({ label, received, sent }) => [label, received, sent]),
  }
}

function isNumber(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value)
}

/** Parses the text of a state; undefined for any other text, which counts like a missing previous reading. */
export function parseCounters(text: string | undefined): CounterState | undefined {
  if (text === undefined) return undefined
  try {
    const state = JSON.parse(text) as CounterState
    return Number.isFinite(state.at) && Array.isArray(state.traffic) ? state : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the samples of a reading. Counters yield the increase since the previous reading, whatever its age,
 * so that sums are exact; the first reading yields none. After a restart of the host the increase is the
 * counter's value.
 */
export function toSamples(
  reading: HostReading,
  before: CounterState | undefined,
  { serviceId, now }: { serviceId: number; now: number },
): Sample[] {
  const since = before === undefined ? undefined : amountsSince(reading, before, now)
  return hostMetrics.flatMap(({ name: metric, values }) =>
    values(reading, since)
      .filter(({ value }) => Number.isFinite(value) && value >= 0)
      .map(({ label, value }) => ({ serviceId, created: now, metric, label, value })),
  )
}

function amountsSince(reading: HostReading, before: CounterState, now: number): HostAmounts {
  const isRestarted = hasRestarted(reading, before)
  const processors = processorAmounts(reading, before, isRestarted)
  return {
    seconds: secondsSince(reading, before, { now, isRestarted }),
    processors,
    traffic: trafficAmounts(reading, before, isRestarted),
  }
}

function hasRestarted({ boot, uptimeSeconds }: HostReading, before: CounterState): boolean {
  if (boot !== undefined && before.boot !== undefined) return boot !== before.boot
  if (uptimeSeconds === undefined || before.uptime === undefined) return false
  return uptimeSeconds < before.uptime - uptimeSlackSeconds
}

/** Uses the host's uptime if it has one, since clocks may jump. */
function secondsSince(
  { uptimeSeconds }: HostReading,
  before: CounterState,
  { now, isRestarted }: { now: number; isRestarted: boolean },
): number {
  if (isRestarted || uptimeSeconds === undefined || before.uptime === undefined)
    return (now - before.at) / 1000
  return uptimeSeconds - before.uptime
}

function processorAmounts(
  { processors }: HostReading,
  before: CounterState,
  isRestarted: boolean,
): HostAmounts['processors'] {
  if (processors === undefined || before.processors === undefined) return undefined
  const [busyBefore, totalBefore] = isRestarted ? [0, 0] : before.processors
  // The sums decrease if a processor is switched off.
  return { busy: Math.max(0, processors.busy - busyBefore), total: processors.total - totalBefore }
}

function trafficAmounts(
  { traffic }: HostReading,
  before: CounterState,
  isRestarted: boolean,
): HostAmounts['traffic'] {
  const known = new Map(before.traffic.map(([label, received, sent]) => [label, { received, sent }]))
  return traffic.flatMap(({ label, received, sent }) => {
    const last = isRestarted ? { received: 0, sent: 0 } : known.get(label)
    if (last === undefined) return []
    return [{ label, received: amount(received, last.received), sent: amount(sent, last.sent) }]
  })
}

/**
 * Returns the increase of a counter. A counter that decreased has restarted at 0, such as that of an
 * interface that was taken down.
 */
function amount(count: number, before: number): number {
  return count >= before ? count - before : count
}
