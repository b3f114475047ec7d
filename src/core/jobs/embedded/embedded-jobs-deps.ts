import type { Broadcast } from '../../db/broadcast.ts'
import type { Database } from '../../db/connection.ts'
import type { EventBus } from '../../events/events.ts'
import type { Logger } from '../../log/logger.ts'
import type { Clock } from '../../time/clock.ts'

export interface EmbeddedJobsDeps {
  database: Database
  clock: Clock
  events: EventBus
  log: Logger
  /** Messages to the other servers of the database. */
  broadcast?: Broadcast
  /** Id of this server; default: a random one. */
  id?: string
  /** Maximum number of concurrent jobs of the usual lane. */
  concurrency: number
  /** Number of running jobs up to which this server takes its own jobs before the others; default: `concurrency`. */
  preferredConcurrency?: number
  /** Time for which other servers leave a new job to this server; default 2 seconds. */
  preferenceSeconds?: number
  /** False for a server that queues jobs and runs none. */
  isWorking?: boolean
  /** Time without a sign of life after which other processes take over; default 12 seconds. */
  leaseSeconds?: number
  /** Time that `stop` waits for running jobs before it aborts them; default 7 seconds. */
  graceMs?: number
}
