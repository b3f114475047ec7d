// `npm run test:kill -- --runs 200`: kills servers in the middle of loads, so many times for each store, on all processors.
// `--store GeoPackage` does so for one alone, `--seed 17` repeats one session, `--jobs 2` runs so many sessions at a time.
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { killSessions } from '../tests/support/kills/kill-sessions.ts'
import type { KillReport, KillSession } from '../tests/support/kills/session.ts'
import { sharedClusterVariable, startPostgres } from '../tests/support/postgres.ts'

/** Kills over one data directory: a session begins with an empty one. */
const killsOfSession = 10

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '20' },
    store: { type: 'string', multiple: true, default: Object.keys(killSessions) },
    seed: { type: 'string' },
    kills: { type: 'string', default: String(killsOfSession) },
    jobs: { type: 'string', default: String(availableParallelism()) },
  },
})

interface Job extends KillSession {
  store: string
}

function plan(): Job[] {
  const kills = wholeNumber('kills', values.kills)
  if (values.seed !== undefined) {
    return values.store.map((store) => ({ store, kills, seed: wholeNumber('seed', values.seed ?? '') }))
  }
  const first = Date.now() % 1_000_000_000
  const sessions = Math.ceil(wholeNumber('runs', values.runs) / kills)
  return Array.from({ length: sessions }, (_, number) =>
    values.store.map((store) => ({ store, kills, seed: first + number })),
  ).flat()
}

function wholeNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text)
  throw new Error(`--${name} is a whole number from 1 on, not "${text}"`)
}

const underWay = new Set<() => void>()

/** Servers and folders of sessions that are under way. */
function cleanUpAll(): void {
  for (const cleanUp of underWay) cleanUp()
}

/** Runs one session and cleans up behind it; gives what went wrong. */
async function runJob({ store, ...session }: Job): Promise<KillReport | { error: unknown }> {
  const cleanups: (() => void)[] = []
  const cleanUp = (): void => {
    for (const work of cleanups) work()
  }
  const run = killSessions[store]
  if (run === undefined)
    throw new Error(`--store is one of ${Object.keys(killSessions).join(', ')}, not "${store}"`)
  underWay.add(cleanUp)
  try {
    return await run({ after: (work) => void cleanups.unshift(work) }, session)
  } catch (error) {
    return { error }
  } finally {
    cleanUp()
    underWay.delete(cleanUp)
  }
}

async function runAll(): Promise<boolean> {
  const waiting = plan()
  const sums = new Map<string, KillReport>()
  let failures = 0
  const work = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      const { store, seed, kills } = job
      const started = performance.now()
      const result = await runJob(job)
      const seconds = ((performance.now() - started) / 1000).toFixed()
      if ('error' in result) {
        failures += 1
        console.log(`WRONG ${store}, seed ${seed}, ${seconds} s: ${String(result.error)}`)
        console.log(
          `      repeat it by: npm run test:kill -- --store ${store} --seed ${seed} --kills ${kills}`,
        )
        continue
      }
      const { before, after } = sums.get(store) ?? { before: 0, after: 0 }
      sums.set(store, { before: before + result.before, after: after + result.after })
      console.log(`ok    ${store}, seed ${seed}, ${kills} kills, ${seconds} s`)
    }
  }
  await Promise.all(Array.from({ length: wholeNumber('jobs', values.jobs) }, work))
  for (const [store, { before, after }] of sums) {
    console.log(`${store}: ${before + after} kills, ${before} before the commit and ${after} after it`)
  }
  console.log(failures === 0 ? 'No load was lost or doubled' : `${failures} sessions failed`)
  return failures === 0
}

const cluster = await startPostgres()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    cleanUpAll()
    process.exit(1)
  })
}
process.env[sharedClusterVariable] = cluster.url('postgres')
try {
  process.exitCode = (await runAll()) ? 0 : 1
} finally {
  await cluster.stop()
}
