import { spawn } from 'node:child_process'
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Cleanup } from './terrane-process.ts'
import { until } from './until.ts'

/** Share of one processor for a starved process and all processes that it starts. */
const share = 0.25
const periodUs = 100_000
const cgroupV1 = '/sys/fs/cgroup/cpu'
const cgroupV2 = '/sys/fs/cgroup'
let groups = 0

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Starves a process: it and all that it starts from then on share a quarter of a processor. */
export type Starve = (pid: number) => void

/**
 * Makes what starves processes until the test ends: a control group where those can be written, otherwise busy processes
 * that are pinned to the same processor.
 */
export function openStarvation(t: Cleanup): Starve {
  return groupStarvation(t) ?? pinnedStarvation(t)
}

function groupStarvation(t: Cleanup): Starve | undefined {
  const name = `terrane-test-${process.pid}-${groups}`
  groups += 1
  const quotaUs = String(periodUs * share)
  if (existsSync(join(cgroupV1, 'cpu.cfs_quota_us'))) {
    const folder = join(cgroupV1, name)
    return groupIn(t, folder, () => {
      writeFileSync(join(folder, 'cpu.cfs_period_us'), String(periodUs))
      writeFileSync(join(folder, 'cpu.cfs_quota_us'), quotaUs)
    })
  }
  const folder = join(cgroupV2, name)
  return groupIn(t, folder, () => writeFileSync(join(folder, 'cpu.max'), `${quotaUs} ${periodUs}`))
}

function groupIn(t: Cleanup, folder: string, limit: () => void): Starve | undefined {
  if (!isWritable(join(folder, '..'))) return undefined
  try {
    mkdirSync(folder)
  } catch {
    return undefined
  }
  const remove = async (): Promise<void> => {
    const members = join(folder, 'cgroup.procs')
    await until(() => readFileSync(members, 'utf8') === '', 60_000)
    rmdirSync(folder)
  }
  try {
    limit()
  } catch {
    rmdirSync(folder)
    return undefined
  }
  t.after(remove)
  return (pid) => writeFileSync(join(folder, 'cgroup.procs'), String(pid))
}

function pinnedStarvation(t: Cleanup): Starve {
  const processor = String(availableParallelism() - 1)
  for (let count = 1; count < 1 / share; count += 1) {
    const busy = spawn('taskset', ['-c', processor, process.execPath, '-e', 'for (;;);'], { stdio: 'ignore' })
    t.after(() => busy.kill('SIGKILL'))
  }
  return (pid) => {
    spawn('taskset', ['-a', '-c', '-p', processor, String(pid)], { stdio: 'ignore' })
  }
}
