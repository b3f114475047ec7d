// `npm run test:release`: runs what takes hours, by hand before a release: the tests in `tests/**/release/`,
// if there are any, and kills of servers during loads, edits and version changes. Prints a row for
// docs/releases.md at the end.
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { tiers } from './test/tiers.ts'

const root = dirname(import.meta.dirname)
/** Kills of each type of store and work. */
const kills = 200

interface Step {
  name: string
  script: string
  args: string[]
}

const steps: Step[] = [
  ...(tiers.release.some((pattern) => globSync(pattern, { cwd: root }).length > 0)
    ? [{ name: 'tests', script: 'test.ts', args: ['--tier', 'release'] }]
    : []),
  { name: `${kills} kills of each store and work`, script: 'kill.ts', args: ['--runs', String(kills)] },
]

function run({ name, script, args }: Step): string {
  const started = performance.now()
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, script), ...args], {
    stdio: 'inherit',
  })
  const minutes = Math.ceil((performance.now() - started) / 60_000)
  if (status !== 0) process.exitCode = 1
  return `${name}: ${status === 0 ? 'passed' : 'failed'} (${minutes} min)`
}

function git(...args: string[]): string {
  return spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim()
}

const results = steps.map(run)
const date = new Date().toISOString().slice(0, 10)
const commit = `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : ' with changes'}`
const [processor] = cpus()
const machine = `${cpus().length} × ${processor?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`
console.log(`\nRow for docs/releases.md:\n| ${date} | ${commit} | ${machine} | ${results.join('; ')} |`)
