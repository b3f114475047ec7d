import { join } from 'node:path'
import { bundleFolder } from '../core/bundle/bundle-folder.ts'
import type { Environment } from './options.ts'

/** By default the main thread retains 100 MB or more of garbage; with this size it retains 24 MB. */
const youngOption = '--max-semi-space-size'
const options = [`${youngOption}=8`, '--expose-gc']
/**
 * Threads share two memory pools of the C library, which returns free memory of 128 KiB or more to the
 * system.
 */
const pools = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' }

/**
 * Restarts this process in place with memory settings that only apply at the start of a process (decision
 * 51). Does nothing if `--max-semi-space-size` is already set, or if a process cannot be replaced (Windows).
 */
export function becomeFrugal(env: Environment): void {
  const given = [...process.execArgv, env['NODE_OPTIONS'] ?? '']
  if (process.execve === undefined || given.some((one) => one.includes(youngOption))) return
  const args = [process.execPath, ...process.execArgv, ...options, ...programAndWords()]
  process.execve(process.execPath, args, { ...pools, ...env })
}

/**
 * Starts a bundle that matches the present sources directly, so that bundle and sources are compared only
 * once.
 */
function programAndWords(): string[] {
  if (bundleFolder === undefined) return process.argv.slice(1)
  return [join(bundleFolder, 'main.js'), ...process.argv.slice(2)]
}
