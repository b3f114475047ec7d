import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { NodeRole } from '../config/node-role.ts'
import { nodeRoles } from '../config/node-role.ts'
import type { Database } from '../db/connection.ts'
import { databaseTime } from '../db/database-time.ts'
import { schemaVersion } from '../db/migrate.ts'
import type { Logger } from '../log/logger.ts'

/** A server process that uses the catalogue. */
export interface ServerNode {
  id: string
  /** Name of its machine. */
  host: string
  pid: number
  version: string
  roles: NodeRole[]
  /** Version of the catalogue's tables that its program creates. */
  schemaVersion: number
  /** Its clock minus that of the database at its last heartbeat. */
  clockSkewMs: number
  /** Times of the database, ISO 8601 in UTC. */
  startedAt: string
  seenAt: string
  /** False if it has sent no heartbeat for 15 seconds without having been stopped. */
  isAlive: boolean
}

const heartbeatMs = 3_000
/**
 * Greater differences from the clock of the database are reported, since sessions, mail and monitoring use
 * the local clock.
 */
const clockToleranceMs = 5_000
const aliveSeconds = 15
/** Time for which a dead node is listed, in seconds. */
const listedSeconds = 86_400

interface NodesDeps {
  database: Database
  log: Logger
  version: string
  /** Default: all. */
  roles?: readonly NodeRole[]
}

/**
 * The servers of one catalogue. In PostgreSQL each has a row that it renews every 3 seconds and deletes when it
 * stops. An embedded catalogue has one server, and no rows.
 */
export class Nodes {
  readonly id = randomUUID()
  readonly #database: Database
  readonly #log: Logger
  readonly #version: string
  readonly #roles: readonly NodeRole[]
  readonly #startedAt = new Date().toISOString()
  #timer: NodeJS.Timeout | undefined
  #clockSkewMs = 0
  #isClockReported = false

  constructor({ database, log, version, roles = nodeRoles }: NodesDeps) {
    this.#database = database
    this.#log = log
    this.#version = version
    this.#roles = roles
  }

  /** Clock of this server minus that of the database; 0 in an embedded catalogue. */
  get clockSkewMs(): number {
    return this.#clockSkewMs
  }

  /** Registers this server. */
  async start(): Promise<void> {
    if (this.#database.kind === 'sqlite') return
    await this.#register()
    this.#timer = setInterval(() => {
      this.#register().catch((error: unknown) =>
        this.#log.warn({ err: error }, 'the database does not take the sign of life of this server'),
      )
    }, heartbeatMs).unref()
  }

  async stop(): Promise<void> {
    if (this.#database.kind === 'sqlite') return
    clearInterval(this.#timer)
    await this.#database.kysely.deleteFrom('nodes').where('id', '=', this.id).execute()
  }

  /** Lists this server and the others, the oldest first. */
  async list(): Promise<ServerNode[]> {
    const { kind } = this.#database
    return kind === 'sqlite' ? [this.#own()] : listNodes(this.#database)
  }

  #own(): ServerNode {
    return {
      id: this.id,
      host: hostname(),
      pid: process.pid,
      version: this.#version,
      roles: [...this.#roles],
      schemaVersion,
      clockSkewMs: this.#clockSkewMs,
      startedAt: this.#startedAt,
      seenAt: new Date().toISOString(),
      isAlive: true,
    }
  }

  /** Logs once if the clock is far off, until it is correct again. */
  #reportClock(): void {
    const isOff = isFarOff(this.#clockSkewMs)
    if (isOff && !this.#isClockReported) this.#log.warn(clockText(this.#clockSkewMs))
    this.#isClockReported = isOff
  }

  async #storeClock(): Promise<void> {
    await this.#database.kysely
      .updateTable('nodes')
      .set({ clock_skew_ms: this.#clockSkewMs })
      .where('id', '=', this.id)
      .execute()
  }

  async #register(): Promise<void> {
    const { kysely, kind } = this.#database
    const { id, host, pid, version, roles } = this.#own()
    const now = databaseTime(kind)
    const sentMs = Date.now()
    const { seen_at } = await kysely
      .insertInto('nodes')
      .values({
        id,
        host,
        pid,
        version,
        roles: roles.join(','),
        started_at: now,
        seen_at: now,
        schema_version: schemaVersion,
        clock_skew_ms: this.#clockSkewMs,
      })
      .onConflict((conflicting) =>
        conflicting.column('id').doUpdateSet({ seen_at: now, clock_skew_ms: this.#clockSkewMs }),
      )
      .returning('seen_at')
      .executeTakeFirstOrThrow()
    const before = this.#clockSkewMs
    this.#clockSkewMs = skewOf(sentMs, Date.now(), seen_at)
    this.#reportClock()
    if (isFarOff(this.#clockSkewMs) !== isFarOff(before)) await this.#storeClock()
    await kysely.deleteFrom('nodes').where('seen_at', '<', databaseTime(kind, -listedSeconds)).execute()
  }
}

/**
 * Returns local time minus database time in milliseconds. The database read its clock between both local times;
 * a difference that the duration of the request explains is 0.
 */
export function skewOf(sentMs: number, receivedMs: number, databaseIso: string): number {
  const databaseMs = Date.parse(databaseIso)
  if (databaseMs < sentMs) return sentMs - databaseMs
  return databaseMs > receivedMs ? receivedMs - databaseMs : 0
}

/** True if a clock differs so much from that of the database that it is reported. */
export function isFarOff(clockSkewMs: number): boolean {
  return Math.abs(clockSkewMs) > clockToleranceMs
}

/** Describes a clock that is far off, with its remedy. */
export function clockText(clockSkewMs: number): string {
  const seconds = Math.round(Math.abs(clockSkewMs) / 1000)
  const direction = clockSkewMs > 0 ? 'ahead of' : 'behind'
  return `the clock of this machine is ${seconds} s ${direction} that of the database: synchronize both by NTP`
}

/** Lists the servers that have registered in a catalogue, the oldest first. */
export async function listNodes({ kysely, kind }: Database): Promise<ServerNode[]> {
  const rows = await kysely
    .selectFrom('nodes')
    .select(['id', 'host', 'pid', 'version', 'roles', 'started_at as startedAt', 'seen_at as seenAt'])
    .select(['schema_version as schemaVersion', 'clock_skew_ms as clockSkewMs'])
    .select(databaseTime(kind, -aliveSeconds).as('aliveAfter'))
    .orderBy('started_at')
    .orderBy('id')
    .execute()
  return rows.map(({ aliveAfter, roles, ...row }) => ({
    ...row,
    roles: nodeRoles.filter((role) => roles.split(',').includes(role)),
    isAlive: row.seenAt > aliveAfter,
  }))
}
