import { readFileSync, readlinkSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/** Fields of `/proc/…/stat` are in hundredths of a second on every Linux (USER_HZ). */
const tickMs = 10
const stateField = 0
const utimeField = 11
const stimeField = 12

/** CPU time of a process of this user, all its threads; undefined where `/proc` does not tell. */
export function cpuTimeOfProcess(pid: number): number | undefined {
  return readStat(`/proc/${pid}/stat`)
}

/** CPU time of a thread of this process by its `osThreadId`; undefined where `/proc` does not tell. */
export function cpuTimeOfThread(tid: number): number | undefined {
  return readStat(`/proc/self/task/${tid}/stat`)
}

/** True if a process waits for something else than a processor, or is stopped. False where `/proc` does not tell. */
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

/** Id of the calling thread in the operating system; undefined where `/proc` does not tell. */
export function osThreadId(): number | undefined {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1))
  } catch {
    return undefined
  }
}

/** The fields from the third one on: the name of the program stands in parentheses and may have spaces. */
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
