import { join } from 'node:path'
import { bundleFolder } from '../lib/bundle-folder.ts'
import type { Environment } from './environment.ts'

/** By default the main thread alone keeps 100 MB and more of what is garbage; of this size, 24 MB. */
const youngOption = '--max-semi-space-size'
const options = [`${youngOption}=8`, '--expose-gc']
/** Threads share two pools of the C library, which gives back to the system what is free from 128 KiB on. */
const pools = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' }

/**
 * Starts this process anew, in its place, with settings of memory that only the start of a process takes (decision 51).
 * Does nothing where `--max-semi-space-size` is given already, or where a process cannot be replaced (Windows).
 */
export function becomeFrugal(env: Environment): void {
  const given = [...process.execArgv, env['NODE_OPTIONS'] ?? '']
  if (process.execve === undefined || given.some((one) => one.includes(youngOption))) return
  const args = [process.execPath, ...process.execArgv, ...options, ...programAndWords()]
  process.execve(process.execPath, args, { ...pools, ...env })
}

/** A bundle that was found to be made of the present sources is started directly, so that they are compared once. */
function programAndWords(): string[] {
  if (bundleFolder === undefined) return process.argv.slice(1)
  return [join(bundleFolder, 'main.js'), ...process.argv.slice(2)]
}
