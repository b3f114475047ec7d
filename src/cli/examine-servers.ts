import { Client } from 'pg'
import { explain } from '../core/errors/errors.ts'
import { clockText, isFarOff, skewOf } from '../core/nodes/nodes.ts'
import type { Secret } from '../core/secrets/secret.ts'

/** A dependency or resource that Terrane uses. */
export interface Finding {
  part: string
  found: string
  /** Consequence of the problem; empty if there is none. */
  cost: string
  isNeeded: boolean
}

/** Time limit for each connection and query of an examination. */
export const databaseMilliseconds = 5000

const timeSql = `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as now`
const serversSql = `select host, pid, clock_skew_ms from nodes
  where seen_at > to_char((clock_timestamp() - interval '15 seconds') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  order by started_at`

interface ServerRow {
  host: string
  pid: number
  clock_skew_ms: number
}

/** Examines the clocks of this machine and of the running servers against that of the database. */
export async function examineServers(databaseUrl: Secret): Promise<Finding> {
  const part = 'clocks'
  const limits = { connectionTimeoutMillis: databaseMilliseconds, query_timeout: databaseMilliseconds }
  const client = new Client({ connectionString: databaseUrl.reveal(), ...limits })
  try {
    await client.connect()
    const sentMs = Date.now()
    const time = await client.query<{ now: string }>(timeSql)
    const own = skewOf(sentMs, Date.now(), time.rows[0]?.now ?? '')
    // A database that no server has used yet has no such table.
    const servers = await client.query<ServerRow>(serversSql).catch(() => ({ rows: [] }))
    const wrong = servers.rows.filter((server) => isFarOff(server.clock_skew_ms))
    const costs = [
      ...(isFarOff(own) ? [clockText(own)] : []),
      ...wrong.map((one) => `${one.host}, process ${one.pid}: ${clockText(one.clock_skew_ms)}`),
    ]
    const found = `${servers.rows.length} servers; this clock differs by ${(own / 1000).toFixed(1)} s`
    return { part, found, cost: costs.join('; '), isNeeded: false }
  } catch (error) {
    return { part, found: 'not reached', cost: explain(error), isNeeded: false }
  } finally {
    await client.end().catch(() => undefined)
  }
}
