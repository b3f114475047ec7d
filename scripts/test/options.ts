import { type Tier, tiers } from './tiers.ts'

/** Parsed command line of `scripts/test.ts`. */
export interface TestOptions {
  tier: Tier
  /** Patterns of test files; empty for the whole tier. */
  files: string[]
  /** Parts of the names of shards; empty for all. */
  shards: string[]
  /** True if the CPU time of folders and files is listed. */
  isTimes: boolean
  /** Options of node's test runner. With any of them, each file runs in a process of its own. */
  runner: string[]
}

/** Reads the words after `npm test --`. Throws an `Error` that names a tier which does not exist. */
export function parseOptions(words: readonly string[]): TestOptions {
  const options: TestOptions = { tier: 'standard', files: [], shards: [], isTimes: false, runner: [] }
  const left = [...words]
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === '--tier') options.tier = tierNamed(left.shift())
    else if (word === '--shard') options.shards.push(left.shift() ?? '')
    else if (word === '--times') options.isTimes = true
    else if (word.startsWith('-')) options.runner.push(word)
    else options.files.push(word)
  }
  return options
}

function tierNamed(name = ''): Tier {
  const tier = (Object.keys(tiers) as Tier[]).find((one) => one === name)
  if (tier === undefined) throw new Error(`--tier is ${Object.keys(tiers).join(', ')}, not "${name}"`)
  return tier
}
