import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Broadcast } from '../db/broadcast.ts'
import type { Database, Queryable } from '../db/connection.ts'
import { databaseTime } from '../db/database-time.ts'
import type { FactRecorder, SharedFact } from '../events/events.ts'
import type { Logger } from '../log/logger.ts'

const topic = 'events'
/**
 * Retention of events in seconds. A server that was disconnected longer has lost its leases and reads the
 * catalogue again.
 */
const keptSeconds = 86_400
/** Facts are also read at this interval, in case a notification was lost with a half-open connection. */
const readEveryMs = 30_000

type Receiver = (fact: SharedFact) => void

interface OutboxDeps {
  database: Pick<Database, 'kysely' | 'kind'>
  broadcast: Broadcast
  log: Pick<Logger, 'warn'>
}

/**
 * Carries facts between the servers of a PostgreSQL database. A fact is recorded in the transaction of its change, whose
 * commit notifies the others. Each server remembers how far it has read, so that it gets each fact once, also
 * after its connection was lost.
 *
 * Ids are given before commits, so that a lower id may appear later. A server therefore remembers the oldest
 * transaction that was running at the last read, and the facts of later ones that it has read already.
 */
export class Outbox implements FactRecorder {
  readonly #deps: OutboxDeps
  readonly #node = randomUUID()
  readonly #receive: Receiver
  #read = new Set<number>()
  #horizon = 0
  #reading: Promise<void> = Promise.resolve()
  #isWaiting = false
  #timer: NodeJS.Timeout | undefined

  constructor(deps: OutboxDeps, receive: Receiver) {
    this.#deps = deps
    this.#receive = receive
  }

  /** Starts receiving events of other servers. */
  async start(): Promise<void> {
    await this.#readNew(false)
    const { broadcast } = this.#deps
    broadcast.listen(topic, () => this.#readSoon())
    broadcast.onReconnect(() => this.#readSoon())
    this.#timer = setInterval(() => this.#readSoon(), readEveryMs).unref()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#reading
  }

  async record(db: Queryable, { name, fact }: SharedFact): Promise<void> {
    const notification = this.#deps.broadcast.tellOnCommit(topic, {})
    const insert = db
      .insertInto('outbox')
      .values({
        node: this.#node,
        name,
        fact: JSON.stringify(fact),
        transaction_id: sql<number>`pg_current_xact_id()::text::bigint`,
        created_at: databaseTime('postgres'),
      })
      .returning('id')
    await (notification === undefined ? insert : insert.returning(notification.as('notified'))).execute()
  }

  /** Removes events that every server has read. */
  async sweep(): Promise<void> {
    await this.#deps.database.kysely
      .deleteFrom('outbox')
      .where('created_at', '<', databaseTime('postgres', -keptSeconds))
      .execute()
  }

  /** Reads sequentially; a waiting read serves all notifications until it starts. */
  #readSoon(): void {
    if (this.#isWaiting) return
    this.#isWaiting = true
    this.#reading = this.#reading.then(async () => {
      this.#isWaiting = false
      await this.#readNew(true).catch((error: unknown) =>
        this.#deps.log.warn({ err: error }, 'changes of other servers were not read'),
      )
    })
  }

  async #readNew(isDelivered: boolean): Promise<void> {
    const { kysely } = this.#deps.database
    // Read before the events: events that commit in between are read again, and recognized by their id.
    const { rows: horizons } = await sql<{ horizon: number }>`
      select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon`.execute(kysely)
    const horizon = horizons[0]?.horizon ?? this.#horizon
    const rows = await kysely
      .selectFrom('outbox')
      .select(['id', 'node', 'name', 'fact', 'transaction_id'])
      .where('transaction_id', '>=', isDelivered ? this.#horizon : horizon)
      .orderBy('id')
      .execute()
    const before = this.#read
    this.#read = new Set(rows.filter((row) => row.transaction_id >= horizon).map(({ id }) => id))
    this.#horizon = horizon
    if (!isDelivered) return
    // `record` has written the events in this form.
    for (const { id, node, name, fact } of rows)
      if (node !== this.#node && !before.has(id))
        this.#receive({ name, fact: JSON.parse(fact) } as SharedFact)
  }
}
