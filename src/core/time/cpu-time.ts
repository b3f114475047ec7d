import { readFileSync, readlinkSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/** Fields of `/proc/…/stat` are in hundredths of a second on every Linux (USER_HZ). */
const tickMs = 10
const stateField = 0
const utimeField = 11
const stimeField = 12

/** Returns the CPU time of all threads of a process of this user; undefined if `/proc` is not available. */
export function cpuTimeOfProcess(pid: number): number | undefined {
  return readStat(`/proc/${pid}/stat`)
}

/**
 * Returns the CPU time of a thread of this process by its `osThreadId`; undefined if `/proc` is not
 * available.
 */
export function cpuTimeOfThread(tid: number): number | undefined {
  return readStat(`/proc/self/task/${tid}/stat`)
}

/**
 * True if a process is stopped or waits for something other than a processor. False if `/proc` is not
 * available.
 */
export function isProcessIdle(pid: number): boolean {
  return isIdle(`/proc/${pid}/stat`)
}

/** The same for a thread of this process, by its `osThreadId`. */
export function isThreadIdle(tid: number): boolean {
  return isIdle(`/proc/self/task/${tid}/stat`)
}

/** CPU time of the calling thread, or of the process if it is the main thread. */
export function ownCpuTime(): number {
  const { user, system } = isMainThread ? process.cpuUsage() : process.threadCpuUsage()
  return (user + system) / 1000
}

/** Returns the operating system's id of the calling thread; undefined if `/proc` is not available. */
export function osThreadId(): number | undefined {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1))
  } catch {
    return undefined
  }
}

/** Returns the fields from the third one on. The program name is in parentheses and may contain spaces. */
function readFields(path: string): string[] {
  const text = readFileSync(path, 'latin1')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

function isIdle(path: string): boolean {
  try {
    return readFields(path)[stateField] !== 'R'
  } catch {
    return false
  }
}

function readStat(path: string): number | undefined {
  try {
    const fields = readFields(path)
    const ticks = Number(fields[utimeField]) + Number(fields[stimeField])
    return Number.isFinite(ticks) ? ticks * tickMs : undefined
  } catch {
    return undefined
  }
}
