// `node bench/jobs.ts [JOBS] [SERVERS]`: trivial jobs through the queue in SQLite, and in PostgreSQL with one and more servers.
import { loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../src/core/db/connection.ts'
import { openDatabase } from '../src/core/db/connection.ts'
import { createEventBus } from '../src/core/events/events.ts'
import { EmbeddedJobs } from '../src/core/jobs/embedded/embedded-jobs.ts'
import { Secret } from '../src/core/secrets/secret.ts'
import { systemClock } from '../src/core/time/clock.ts'
import { testCluster } from '../tests/support/postgres.ts'
import { silentLogger } from '../tests/support/silent-logger.ts'

const count = Number(process.argv[2] ?? 10_000)
const servers = Number(process.argv[3] ?? 2)
const concurrency = 4

/** Queues all jobs, then lets `workers` queues run them; prints jobs per second and CPU time per job. */
async function measure(name: string, databases: readonly [Database, ...Database[]]): Promise<void> {
  const [first] = databases
  await first.transaction(async (db) => {
    const queue = newQueue(first)
    for (let index = 0; index < count; index += 1)
      await queue.enqueue(db, { kind: 'work', key: '', payload: { index } })
  })
  const queues = databases.map(newQueue)
  let done = 0
  const run = async (): Promise<void> => {
    done += 1
  }
  const work = { run, abandoned: async () => undefined }
  const cpu = process.cpuUsage()
  const begun = performance.now()
  await Promise.all(queues.map((queue) => queue.start({ work })))
  while (done < count) await delay(20)
  const seconds = (performance.now() - begun) / 1000
  const { user, system } = process.cpuUsage(cpu)
  console.log(
    `${name}: ${Math.round(count / seconds)} jobs/s, ${((user + system) / 1000 / count).toFixed(2)} ms of our CPU time per job, load average ${loadavg()[0]?.toFixed(1)}`,
  )
  await Promise.all(queues.map((queue) => queue.stop()))
}

function newQueue(database: Database): EmbeddedJobs {
  const events = createEventBus(() => undefined)
  return new EmbeddedJobs({
    database,
    clock: systemClock,
    events,
    log: silentLogger,
    concurrency,
    graceMs: 50,
  })
}

const sqlite = await openDatabase({ path: ':memory:' })
await measure('SQLite', [sqlite])
await sqlite.close()
const cluster = await testCluster()
for (const number of [1, servers]) {
  const url = new Secret(await cluster.createDatabase())
  const databases: Database[] = []
  for (let index = 0; index < number; index += 1) databases.push(await openDatabase({ url }))
  await measure(`PostgreSQL, ${number} queues`, databases as [Database, ...Database[]])
  for (const database of databases) await database.close()
}
await cluster.stop()
