import type { Settings } from '../config/settings.ts'
import type { Environment } from './environment.ts'
import { startOwnServer } from './own-server.ts'
import { askPassword } from './password.ts'
import type { RestClient } from './rest-client.ts'
import { basicAuthorization, createRestClient } from './rest-client.ts'

/** A server to talk to. */
export interface ServerAccess {
  client: RestClient
  /** Whether the server may see the same files under the same names. */
  isLocal: boolean
}

const probeMilliseconds = 2000

export interface AccessOptions {
  url?: string
  user: string
}

/**
 * Calls `work` with the server at `url`, else with the one that runs under these settings, else with one that is
 * started for this call.
 */
export async function withServer<T>(
  settings: Settings,
  options: AccessOptions,
  env: Environment,
  work: (access: ServerAccess) => Promise<T>,
): Promise<T> {
  const url = options.url ?? (await findRunning(settings))
  return url === undefined ? startOwn(settings, work) : joinServer(url, options.user, env, work)
}

async function joinServer<T>(
  url: string,
  user: string,
  env: Environment,
  work: (access: ServerAccess) => Promise<T>,
): Promise<T> {
  const password = env.TERRANE_PASSWORD ?? (await askPassword(user))
  const client = createRestClient(url, basicAuthorization(user, password))
  try {
    return await work({ client, isLocal: isLoopback(new URL(url).hostname) })
  } finally {
    client.close()
  }
}

async function startOwn<T>(settings: Settings, work: (access: ServerAccess) => Promise<T>): Promise<T> {
  const own = await startOwnServer({
    ...settings,
    server: { ...settings.server, host: '127.0.0.1', port: 0 },
  })
  try {
    return await own.withClient((client) => work({ client, isLocal: true }))
  } finally {
    await own.close()
  }
}

async function findRunning({ server }: Settings): Promise<string | undefined> {
  if (server.port === 0) return undefined
  const host = ['0.0.0.0', '::'].includes(server.host) ? '127.0.0.1' : server.host
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${server.port}${server.basePath}`
  try {
    const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(probeMilliseconds) })
    const body: unknown = await answer.json()
    return typeof body === 'object' && body !== null && 'node' in body && 'version' in body ? url : undefined
  } catch {
    return undefined
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\./.test(host)
}
