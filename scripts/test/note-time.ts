// Loaded before a test file into its process: notes what the file took, with the programs that it started.
import { appendFileSync, readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/** Names the file in which times are noted. */
export const timesVariable = 'TERRANE_TEST_TIMES'

/** How often a second Linux counts the time of processes. */
const ticksPerSecond = 100

/** Processor time in seconds: of this process, and where Linux tells it of those that it started and that have ended. */
function processorTime(): { own: number; children: number } {
  const { user, system } = process.cpuUsage()
  const own = (user + system) / 1e6
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return { own, children: (Number(fields[13]) + Number(fields[14])) / ticksPerSecond }
  } catch {
    return { own, children: 0 }
  }
}

const path = process.env[timesVariable]
const [, file = ''] = process.argv
if (path !== undefined && isMainThread && file.endsWith('.test.ts')) {
  process.on('exit', () => appendFileSync(path, `${JSON.stringify({ file, ...processorTime() })}\n`))
}
