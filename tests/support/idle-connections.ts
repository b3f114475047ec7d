import { Client } from 'pg'

/** A connection without use ends after this time, so that its database can be cloned or removed. */
const idleMs = 500
/**
 * Queries that leave nothing in their session. Statements that change rows have a connection of their own, as PostgreSQL counts
 * changed rows for other sessions when the connection ends.
 */
const isSelect = /^\s*select\b/i
const needsOwnSession = /\b(?:into|set_config|setval|nextval|pg_backend_pid|pg_stat_\w+)\b|advisory|;/i

/** The types of `pg` lack what keeps a connection from keeping the process alive. */
type CountedClient = Client & { ref(): void; unref(): void }

interface Idle {
  client: CountedClient
  timer: NodeJS.Timeout
}

const idle = new Map<string, Idle[]>()

/** Gives `work` a connection to the database at `url`: for queries one that was used shortly before, otherwise a new one. */
export async function withConnection<T>(
  url: string,
  sql: string,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const isReusable = isSelect.test(sql) && !needsOwnSession.test(sql)
  const client = (isReusable ? takeIdle(url) : undefined) ?? (await connect(url))
  try {
    const result = await work(client)
    if (isReusable) keepIdle(url, client)
    else await client.end()
    return result
  } catch (error) {
    await client.end()
    throw error
  }
}

/** Ends the unused connections to the database at `url`. */
export async function endIdleConnections(url: string): Promise<void> {
  const ended = idle.get(url) ?? []
  idle.delete(url)
  await Promise.all(ended.map(end))
}

async function connect(url: string): Promise<CountedClient> {
  const client = new Client({ connectionString: url }) as CountedClient
  await client.connect()
  // A server that stops ends its connections: the next statement makes a new one.
  client.on('error', () => forget(url, client))
  client.on('end', () => forget(url, client))
  return client
}

function takeIdle(url: string): CountedClient | undefined {
  const taken = idle.get(url)?.pop()
  clearTimeout(taken?.timer)
  taken?.client.ref()
  return taken?.client
}

function keepIdle(url: string, client: CountedClient): void {
  const list = idle.get(url) ?? []
  idle.set(url, list)
  const timer = setTimeout(() => {
    forget(url, client)
    client.end().catch(() => undefined)
  }, idleMs).unref()
  client.unref()
  list.push({ client, timer })
}

function forget(url: string, client: Client): void {
  const list = idle.get(url)
  const at = list?.findIndex((one) => one.client === client) ?? -1
  if (list === undefined || at < 0) return
  const [found] = list.splice(at, 1)
  clearTimeout(found?.timer)
  if (list.length === 0) idle.delete(url)
}

async function end({ client, timer }: Idle): Promise<void> {
  clearTimeout(timer)
  await client.end().catch(() => undefined)
}
