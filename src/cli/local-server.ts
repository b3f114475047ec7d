import type { Accounts } from '../access/index.ts'
import type { AppOptions, RunningTerrane } from '../app/app.ts'
import type { Settings } from '../core/config/settings.ts'
import type { RestClient } from './rest-client.ts'
import { createRestClient } from './rest-client.ts'

/** A server run by this process. */
export interface LocalServer extends RunningTerrane {
  /** Calls `work` with a client that acts as an administrator until the call ends. */
  withClient<T>(work: (client: RestClient) => Promise<T>): Promise<T>
}

/** Starts serving in this process. */
export async function startLocalServer(settings: Settings, options: AppOptions = {}): Promise<LocalServer> {
  // A command that uses a running server does not import the server's code.
  const { startServer } = await import('../app/app.ts')
  const server = await startServer(settings, options)
  return { ...server, withClient: (work) => withClient(server.localUrl, server.accounts, work) }
}

async function withClient<T>(
  localUrl: string,
  accounts: Accounts,
  work: (client: RestClient) => Promise<T>,
): Promise<T> {
  const access = await accounts.local.open()
  const client = createRestClient(localUrl, { authorization: `Bearer ${access.token}` })
  try {
    return await work(client)
  } finally {
    client.close()
    access.close()
  }
}
