// `npm run test:kill -- --runs 200`: kills servers in the middle of loads, that many times for each store, on
// all processors. `--work changes` kills only servers that upsert, run dry runs and accept stopped loads;
// `--work versions` kills at named steps of loads, restores, edits, style changes, deletions and prunings;
// `--work coverages` at those of deleted rasters and mosaics; `--work cluster` kills one of two servers of a
// catalogue; `--work loads` runs the others. `--store
// GeoPackage` uses only this store, `--seed 17` repeats one session, `--jobs 2` runs that many sessions at a
// time.
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import {
  changeSessions,
  clusterSessions,
  coverageSessions,
  killSessions,
  versionSessions,
} from '../tests/support/kills/kill-sessions.ts'
import type { KillReport, KillSession } from '../tests/support/kills/session.ts'
import { sharedClusterVariable, startPostgres } from '../tests/support/postgres.ts'

/** Number of kills per data directory; each session begins with an empty one. */
const killsOfSession = 10

const works = {
  loads: killSessions,
  changes: changeSessions,
  versions: versionSessions,
  coverages: coverageSessions,
  cluster: clusterSessions,
}
type Work = keyof typeof works

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '20' },
    work: { type: 'string', multiple: true, default: Object.keys(works) },
    store: { type: 'string', multiple: true, default: Object.keys(killSessions) },
    seed: { type: 'string' },
    kills: { type: 'string', default: String(killsOfSession) },
    jobs: { type: 'string', default: String(availableParallelism()) },
  },
})

interface Job extends KillSession {
  store: string
  work: Work
}

/** Returns the kill jobs for each requested type of store. */
function chosen(): Pick<Job, 'store' | 'work'>[] {
  const unknown = values.work.find((work) => !(work in works))
  if (unknown !== undefined)
    throw new Error(`--work is loads, changes, versions, coverages or cluster, not "${unknown}"`)
  const all = (['loads', 'changes', 'versions', 'coverages', 'cluster'] as const).filter((work) =>
    values.work.includes(work),
  )
  return all.flatMap((work) =>
    values.store
      .filter((store) => works[work][store] !== undefined || !(store in killSessions))
      .map((store) => ({ store, work })),
  )
}

function plan(): Job[] {
  const kills = wholeNumber('kills', values.kills)
  if (values.seed !== undefined) {
    const seed = wholeNumber('seed', values.seed)
    return chosen().map((one) => ({ ...one, kills, seed }))
  }
  const first = Date.now() % 1_000_000_000
  const sessions = Math.ceil(wholeNumber('runs', values.runs) / kills)
  return Array.from({ length: sessions }, (_, number) =>
    chosen().map((one) => ({ ...one, kills, seed: first + number })),
  ).flat()
}

function wholeNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text)
  throw new Error(`--${name} is a whole number from 1 on, not "${text}"`)
}

const inFlight = new Set<() => void>()

/** Cleans up running sessions: their servers and folders. */
function cleanUpAll(): void {
  for (const cleanUp of inFlight) cleanUp()
}

/** Runs one session and cleans up after it. Returns its report or the error. */
async function runJob({ store, work, ...session }: Job): Promise<KillReport | { error: unknown }> {
  const cleanups: (() => void)[] = []
  const cleanUp = (): void => {
    for (const end of cleanups) end()
  }
  const run = works[work][store]
  if (run === undefined)
    throw new Error(`--store is one of ${Object.keys(killSessions).join(', ')}, not "${store}"`)
  inFlight.add(cleanUp)
  try {
    return await run({ after: (end) => void cleanups.unshift(end) }, session)
  } catch (error) {
    return { error }
  } finally {
    cleanUp()
    inFlight.delete(cleanUp)
  }
}

async function runAll(): Promise<boolean> {
  const waiting = plan()
  const sums = new Map<string, KillReport>()
  let failures = 0
  const runWaiting = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      const { store, work, seed, kills } = job
      const name = `${work} of ${store}`
      const started = performance.now()
      const result = await runJob(job)
      const seconds = ((performance.now() - started) / 1000).toFixed()
      if ('error' in result) {
        failures += 1
        console.log(`WRONG ${name}, seed ${seed}, ${seconds} s: ${String(result.error)}`)
        console.log(
          `      repeat it by: npm run test:kill -- --work ${work} --store ${store} --seed ${seed} --kills ${kills}`,
        )
        continue
      }
      const { before, after } = sums.get(name) ?? { before: 0, after: 0 }
      sums.set(name, { before: before + result.before, after: after + result.after })
      console.log(`ok    ${name}, seed ${seed}, ${kills} kills, ${seconds} s`)
    }
  }
  await Promise.all(Array.from({ length: wholeNumber('jobs', values.jobs) }, runWaiting))
  for (const [name, { before, after }] of sums) {
    console.log(`${name}: ${before + after} kills, ${before} before the commit and ${after} after it`)
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
