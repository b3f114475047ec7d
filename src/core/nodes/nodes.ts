import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Database } from '../db/connection.ts'
import { databaseTime } from '../db/database-time.ts'
import type { Logger } from '../log/logger.ts'
import type { NodeRole } from './node-role.ts'
import { nodeRoles } from './node-role.ts'

/** A server process that uses the catalogue. */
export interface ServerNode {
  id: string
  /** Name of its machine. */
  host: string
  pid: number
  version: string
  roles: NodeRole[]
  /** Times of the database, ISO 8601 in UTC. */
  startedAt: string
  seenAt: string
  /** False if it has given no sign of life for 15 seconds, and not been stopped. */
  isAlive: boolean
}

const heartbeatMs = 3_000
const aliveSeconds = 15
/** A dead node is listed for a day. */
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

  constructor({ database, log, version, roles = nodeRoles }: NodesDeps) {
    this.#database = database
    this.#log = log
    this.#version = version
    this.#roles = roles
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
      startedAt: this.#startedAt,
      seenAt: new Date().toISOString(),
      isAlive: true,
    }
  }

  async #register(): Promise<void> {
    const { kysely, kind } = this.#database
    const { id, host, pid, version, roles } = this.#own()
    const now = databaseTime(kind)
    await kysely
      .insertInto('nodes')
      .values({ id, host, pid, version, roles: roles.join(','), started_at: now, seen_at: now })
      .onConflict((conflicting) => conflicting.column('id').doUpdateSet({ seen_at: now }))
      .execute()
    await kysely.deleteFrom('nodes').where('seen_at', '<', databaseTime(kind, -listedSeconds)).execute()
  }
}

/** Lists the servers that have registered in a catalogue, the oldest first. */
export async function listNodes({ kysely, kind }: Database): Promise<ServerNode[]> {
  const rows = await kysely
    .selectFrom('nodes')
    .select(['id', 'host', 'pid', 'version', 'roles', 'started_at as startedAt', 'seen_at as seenAt'])
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
