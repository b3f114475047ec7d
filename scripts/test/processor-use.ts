import { cpus } from 'node:os'

const sampleMs = 10_000
const lastMinutes = 3

/** CPU time of all processors so far, in milliseconds. */
interface ProcessorTimes {
  busyMs: number
  totalMs: number
}

/** Measures how busy the processors of this machine are from now on. Returns a line about it. */
export function watchProcessors(): () => string {
  const samples = [readTimes()]
  setInterval(() => samples.push(readTimes()), sampleMs).unref()
  return () => describeUse([...samples, readTimes()])
}

/** Describes samples that were taken every ten seconds. */
export function describeUse(samples: readonly ProcessorTimes[]): string {
  const last = samples.slice(-((lastMinutes * 60_000) / sampleMs) - 1)
  return `The processors were busy for ${share(samples)} % of the time, in the last ${lastMinutes} minutes for ${share(last)} %.`
}

function share(samples: readonly ProcessorTimes[]): number {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined || last.totalMs === first.totalMs) return 0
  return Math.round((100 * (last.busyMs - first.busyMs)) / (last.totalMs - first.totalMs))
}

function readTimes(): ProcessorTimes {
  const times = cpus().map(({ times: { user, nice, sys, irq, idle } }) => {
    const busyMs = user + nice + sys + irq
    return { busyMs, totalMs: busyMs + idle }
  })
  return {
    busyMs: times.reduce((sum, { busyMs }) => sum + busyMs, 0),
    totalMs: times.reduce((sum, { totalMs }) => sum + totalMs, 0),
  }
}
