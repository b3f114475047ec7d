// `npm test`: runs the check, then the tests of a tier in one run of node's test runner, whose summary ends
// the output. `--tier extended` and `--tier release` run only the tests of those tiers. `npm test --
// 'src/geo/**/*.test.ts'` runs only those files, each in its own process, without the check, and with a
// PostgreSQL only if one of them needs it; `--test-name-pattern=...` and other options of the runner may
// follow. `--times` lists the CPU time of files and folders. `--shard 'application 3'` runs the named shards
// of a tier.
import { spawn } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readSources, type SourceFile } from './check/imports.ts'
import { reaches } from './check/reach.ts'
import { runSteps } from './check/run-steps.ts'
import { staticSteps } from './check/steps.ts'
import { compileCache } from './check/unit-tests.ts'
import { timesVariable } from './test/file-times.ts'
import { parseOptions, type TestOptions } from './test/options.ts'
import { listTimesVariable, remarksVariable } from './test/reporter.ts'
import { divideIntoShards, type Shard } from './test/shards.ts'
import { tiers } from './test/tiers.ts'

const root = dirname(import.meta.dirname)
const minuteMilliseconds = 60_000
const postgres = 'tests/support/postgres.ts'
/** Modules that each test process loads first. */
const preloads = ['../tests/support/forbid-defaults.ts', './test/without-async-hook.ts'].map(
  (path) => new URL(path, import.meta.url).href,
)

/** Processes for each processor: some wait for intervals, kills or other programs while others compute. */
const processesPerProcessor = 2

interface Run {
  /** Paths that node's test runner is given. */
  paths: string[]
  /** Test files that they are or run. */
  tests: string[]
  options: string[]
  env: Record<string, string>
}

/** Runs a tier or the chosen files; gives whether all passed. */
async function runTests(options: TestOptions): Promise<boolean> {
  const sources = readSources(root, [
    '{src,packages}/**/*.ts',
    'web/**/*.{ts,tsx}',
    'tests/**/*.ts',
    'scripts/**/*.ts',
  ])
  const folder = join(root, 'build', 'tests')
  mkdirSync(folder, { recursive: true })
  const runFolder = mkdtempSync(join(folder, 'run-'))
  const times = { [timesVariable]: join(runFolder, 'times.jsonl') }
  const env = options.isTimes ? { ...times, [listTimesVariable]: 'yes' } : {}
  try {
    // Options of the runner, such as a name pattern, select single tests: a suite without a selected test
    // would not report its end.
    if (options.files.length + options.runner.length > 0) {
      return await runWithPostgres(sources, chosenRun(options, env))
    }
    const isSound = options.tier !== 'standard' || options.shards.length > 0 || (await check())
    const remarks: Record<string, string> = isSound
      ? {}
      : { [remarksVariable]: 'The check failed, see the start of this output.' }
    const run = shardedRun(sources, options, runFolder)
    return (await runWithPostgres(sources, { ...run, env: { ...env, ...times, ...remarks } })) && isSound
  } finally {
    rmSync(runFolder, { recursive: true, force: true })
  }
}

function check(): Promise<boolean> {
  return runSteps(staticSteps(root), (line) => console.log(line))
}

/** Runs each of the chosen files in a process of its own. */
function chosenRun({ tier, files, runner }: TestOptions, env: Record<string, string>): Run {
  const preload = `--import=${new URL('./test/note-alone.ts', import.meta.url).href}`
  const patterns = files.length > 0 ? files : [...tiers[tier]]
  const tests = patterns.flatMap((pattern) => globSync(pattern, { cwd: root }))
  return { paths: patterns, tests, options: [preload, ...runner], env }
}

/** The tier's shards, or those that were named. */
function shardedRun(sources: SourceFile[], { tier, shards }: TestOptions, folder: string): Run {
  const paths = new Set(tiers[tier].flatMap((pattern) => globSync(pattern, { cwd: root })))
  const tests = sources.filter(({ path }) => paths.has(path))
  const chosen = divideIntoShards(tests, sources, { isExtended: tier === 'extended' }).filter(
    ({ name }) => shards.length === 0 || shards.some((shard) => `${name} `.startsWith(`${shard} `)),
  )
  if (chosen.length === 0) throw new Error(`There are no tests of the tier ${tier} in ${shards.join(', ')}`)
  return {
    paths: chosen.map((shard, at) => writeShard(folder, shard, at)),
    tests: chosen.flatMap(({ files }) => files),
    options: [],
    env: {},
  }
}

/** Writes a file that runs the test files of a shard; its number gives the order in which node starts them. */
function writeShard(folder: string, { name, files }: Shard, at: number): string {
  const path = join(folder, `${String(at + 1).padStart(3, '0')}-${name.replaceAll(/\W+/g, '-')}.ts`)
  const runner = new URL('./test/run-files.ts', import.meta.url).href
  writeFileSync(
    path,
    `import { runTestFiles } from '${runner}'\nawait runTestFiles(${JSON.stringify(root)}, ${JSON.stringify(files)})\n`,
  )
  return path
}

/** Runs the files with a shared PostgreSQL if one of them needs it. Returns true if they passed. */
async function runWithPostgres(sources: SourceFile[], run: Run): Promise<boolean> {
  const isNeeded = run.tests.some((path) => reaches(sources, path.replaceAll('\\', '/'), postgres))
  if (!isNeeded) return await runNode(run)
  const { sharedClusterVariable, startPostgres } = await import('../tests/support/postgres.ts')
  const cluster = await startPostgres()
  try {
    return await runNode({ ...run, env: { ...run.env, [sharedClusterVariable]: cluster.url('postgres') } })
  } finally {
    await cluster.stop()
  }
}

async function runNode({ paths, options, env }: Run): Promise<boolean> {
  const child = spawn(
    process.execPath,
    [
      '--test',
      ...preloads.map((url) => `--import=${url}`),
      `--test-reporter=${pathToFileURL(join(import.meta.dirname, 'test', 'reporter.ts')).href}`,
      '--test-reporter-destination=stdout',
      `--test-concurrency=${Math.ceil(processesPerProcessor * availableParallelism())}`,
      `--test-timeout=${60 * minuteMilliseconds}`,
      ...options,
      ...paths,
    ],
    {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { NODE_COMPILE_CACHE: compileCache(root), ...process.env, ...env },
    },
  )
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal))
  return await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code === 0))
  })
}

process.exitCode = (await runTests(parseOptions(process.argv.slice(2)))) ? 0 : 1
