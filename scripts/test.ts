// `npm test`: the check, then every test in one run of node's test runner, whose summary ends the output.
// `npm test -- 'src/geo/**/*.test.ts'` runs those files only, without the check, and with a PostgreSQL only where one of them
// needs it; `--test-name-pattern=...` and other options of the runner may follow. `--times` tells what files took.
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import { readSources } from './check/imports.ts'
import { reaches } from './check/reach.ts'
import { runSteps } from './check/run-steps.ts'
import { staticSteps } from './check/steps.ts'
import { compileCache } from './check/unit-tests.ts'
import { countTimes } from './test/times.ts'

const root = dirname(import.meta.dirname)
const minuteMilliseconds = 60_000
const everything = [
  'scripts/**/*.test.ts',
  'src/**/*.test.ts',
  'web/**/*.test.ts',
  'tests/support/**/*.test.ts',
  'tests/contract/**/*.test.ts',
  'tests/integration/**/*.test.ts',
  'tests/regression/**/*.test.ts',
  'tests/clients/**/*.test.ts',
  'tests/e2e/**/*.test.ts',
  'tests/pages/**/*.test.ts',
]

const postgres = 'tests/support/postgres.ts'

/** Whether one of the files, or what it imports, needs a database. */
function needPostgres(patterns: string[]): boolean {
  const paths = patterns.flatMap((pattern) => globSync(pattern, { cwd: root }))
  const files = readSources(root, ['src/**/*.ts', 'web/**/*.ts', 'tests/**/*.ts', 'scripts/**/*.ts'])
  return paths.some((path) => reaches(files, path.replaceAll('\\', '/'), postgres))
}

/** Runs the files with a PostgreSQL that they share, where one needs it; gives the exit code. */
async function runTests(files: string[], options: string[]): Promise<number> {
  if (!needPostgres(files)) return runNode(files, options, {})
  const { sharedClusterVariable, startPostgres } = await import('../tests/support/postgres.ts')
  const cluster = await startPostgres()
  try {
    return await runNode(files, options, { [sharedClusterVariable]: cluster.url('postgres') })
  } finally {
    await cluster.stop()
  }
}

async function runNode(files: string[], options: string[], env: Record<string, string>): Promise<number> {
  const child = spawn(
    process.execPath,
    [
      '--test',
      '--test-reporter=spec',
      `--test-concurrency=${availableParallelism()}`,
      `--test-timeout=${15 * minuteMilliseconds}`,
      ...(times?.options ?? []),
      ...options,
      ...files,
    ],
    {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { NODE_COMPILE_CACHE: compileCache(root), ...process.env, ...env, ...times?.env },
    },
  )
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal))
  return await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? 1))
  })
}

const words = process.argv.slice(2)
const timesOption = '--times'
const options = words.filter((word) => word.startsWith('-') && word !== timesOption)
const chosen = words.filter((word) => !word.startsWith('-'))
const times = words.includes(timesOption) ? countTimes(root) : undefined
const isRight =
  chosen.length + options.length > 0 || (await runSteps(staticSteps(root), (line) => console.log(line)))
process.exitCode = isRight ? await runTests(chosen.length > 0 ? chosen : everything, options) : 1
if (times !== undefined) console.log(times.tell())
