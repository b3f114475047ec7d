// `npm test`: the check, then every test in one run of node's test runner, whose summary ends the output.
// `npm test -- 'src/geo/**/*.test.ts'` runs those files only, without the check; `--test-name-pattern=...` and other options
// of the runner may follow.
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { sharedClusterVariable, startPostgres } from '../tests/support/postgres.ts'
import { runSteps } from './check/run-steps.ts'
import { staticSteps } from './check/steps.ts'

const root = dirname(import.meta.dirname)
const minuteMilliseconds = 60_000
/** Servers, threads and processes of tests start in a third of the time. */
const compileCache = join(root, 'node_modules', '.cache', 'node')
const everything = [
  'scripts/**/*.test.ts',
  'src/**/*.test.ts',
  'tests/support/**/*.test.ts',
  'tests/contract/**/*.test.ts',
  'tests/integration/**/*.test.ts',
  'tests/regression/**/*.test.ts',
  'tests/e2e/**/*.test.ts',
]

/** Runs the files with a PostgreSQL that they share; gives the exit code. */
async function runTests(files: string[]): Promise<number> {
  const cluster = await startPostgres()
  try {
    const options = [
      '--test',
      '--test-reporter=spec',
      `--test-concurrency=${availableParallelism()}`,
      `--test-timeout=${15 * minuteMilliseconds}`,
    ]
    const child = spawn(process.execPath, [...options, ...files], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        NODE_COMPILE_CACHE: compileCache,
        ...process.env,
        [sharedClusterVariable]: cluster.url('postgres'),
      },
    })
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal))
    return await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code) => resolve(code ?? 1))
    })
  } finally {
    await cluster.stop()
  }
}

const words = process.argv.slice(2)
/** The runner takes options before files alone. */
const chosen = [
  ...words.filter((word) => word.startsWith('-')),
  ...words.filter((word) => !word.startsWith('-')),
]
const isRight = chosen.length > 0 || (await runSteps(staticSteps(root), (line) => console.log(line)))
process.exitCode = isRight ? await runTests(chosen.length > 0 ? chosen : everything) : 1
