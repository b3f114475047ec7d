import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { readSources, type SourceFile } from './imports.ts'
import { outputOf } from './run-tool.ts'
import type { Step } from './steps.ts'

/** Compiled sources of this Node: what starts again and again starts in a third of the time. */
export function compileCache(root: string): string {
  return join(root, 'node_modules', '.cache', 'node')
}

/**
 * Files that take seconds, which `npm test` runs: those that try thousands of generated cases, unpack many files, run GDAL's
 * programs, or wait for real time limits.
 */
const slow = new RegExp(
  [
    '(?:damage|hostile|pmtiles-writer|gdal-\\w+|run-tools|allowed-options|archive(?:-refusals)?|log-rotation',
    '|table-reader|compare-states|column-type|find-crs|file-store|connection-times|time-limits)\\.test\\.ts$',
    '|^src/formats/(?:gdal|raster)/',
  ].join(''),
)

/** Tests that change their process or start other processes. Each of them runs in a process of its own. */
const apart =
  /(?:load-sharp|worker-handle|work-pool|leave-stuck-work|guarded-files|path-guard|process|log-follower|embedded-jobs|command-line|unused)\.test\.ts$/

/** A test that takes longer hangs. */
const hangMs = 900_000

export interface UnitTests {
  /** Files that share a process, one list per process. */
  shared: string[][]
  /** Files that run in a process of their own. */
  alone: string[]
}

/**
 * Selects the unit tests that the check runs and divides them among processes. Starting a process takes
 * longer than most test files.
 */
export function divideUnitTests(files: Pick<SourceFile, 'path' | 'imports'>[], processes: number): UnitTests {
  const quick = files.filter((file) => !slow.test(file.path) && !file.imports.some(isDatabase))
  const paths = quick.map(({ path }) => path)
  const together = paths.filter((path) => !apart.test(path))
  const shared = Array.from({ length: processes }, (_, at) =>
    together.filter((_, index) => index % processes === at),
  )
  return { shared: shared.filter((list) => list.length > 0), alone: paths.filter((path) => apart.test(path)) }
}

function isDatabase(path: string): boolean {
  return path === 'tests/support/postgres.ts'
}

/** Runs the unit tests beside the sources, except those that need a database, GDAL or a long time. */
export function unitTestStep(root: string): Step {
  const tests = readSources(root, ['{src,packages}/**/*.test.ts', 'scripts/**/*.test.ts'])
  const processes = availableParallelism()
  const { shared, alone } = divideUnitTests(tests, processes)
  const env = { NODE_COMPILE_CACHE: compileCache(root), ...process.env }
  const always = [
    '--test',
    '--test-reporter=dot',
    `--test-timeout=${hangMs}`,
    '--import',
    join(root, 'tests', 'support', 'forbid-defaults.ts'),
  ]
  const run = (files: string[], ...options: string[]): Promise<string> =>
    outputOf(root, process.execPath, [...always, ...options, ...files], env)
  return {
    name: 'unit tests',
    run: async () => {
      const output = await Promise.all([
        ...shared.map((files) => run(files, '--test-isolation=none')),
        run(alone, `--test-concurrency=${Math.ceil(processes / 2)}`),
      ])
      return output.filter((text) => text !== '').join('\n')
    },
  }
}
