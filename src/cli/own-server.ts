import type { AppOptions, RunningTerrane } from '../app.ts'
import type { Settings } from '../config/settings.ts'
import type { RestClient } from './rest-client.ts'
import { createRestClient } from './rest-client.ts'

/** After this a token is worth nothing, should the process end without revoking it. */
const tokenMilliseconds = 24 * 3600 * 1000

/** A server that this process runs. */
export interface OwnServer extends RunningTerrane {
  /** Calls `work` with a client that acts as an administrator, by a token that ends with the call. */
  withClient<T>(work: (client: RestClient) => Promise<T>): Promise<T>
}

/** Starts serving in this process. */
export async function startOwnServer(settings: Settings, options: AppOptions = {}): Promise<OwnServer> {
  // A command that finds a server does not read the server's code.
  const { startServer } = await import('../app.ts')
  const server = await startServer(settings, options)
  return { ...server, withClient: (work) => withClient(server, work) }
}

async function withClient<T>(server: RunningTerrane, work: (client: RestClient) => Promise<T>): Promise<T> {
  const { users, tokens } = server.accounts
  const admin = (await users.list()).find((user) => user.role === 'admin')
  if (admin === undefined) throw new Error('No user has the role admin')
  const { id, text } = await tokens.create(admin.name, {
    caption: 'terrane command line',
    expiresAt: new Date(server.clock.now().getTime() + tokenMilliseconds).toISOString(),
  })
  const client = createRestClient(server.localUrl, `Bearer ${text}`)
  try {
    return await work(client)
  } finally {
    client.close()
    await tokens.revoke(admin.name, id)
  }
}
