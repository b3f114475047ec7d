import type { ServerSettings, Settings } from '../core/config/settings.ts'
import { basicAuthorization } from '../core/network/node-http.ts'
import { askLine, isTerminal } from './ask.ts'
import type { LocalServer } from './local-server.ts'
import { startLocalServer } from './local-server.ts'
import type { AccessOptions, Environment } from './options.ts'
import { UsageError } from './options.ts'
import type { RestClient, RestRequests, SignIn } from './rest-client.ts'
import { createRestClient } from './rest-client.ts'

/** A server to talk to. */
export interface ServerAccess {
  client: RestClient
  /** True if the server may see the same files under the same paths. */
  isLocal: boolean
}

const probeMilliseconds = 2000

/**
 * Calls `work` with the server at `url`, else with the running server with these settings, else with one
 * started for this call.
 */
export async function withServer<T>(
  settings: Settings,
  options: AccessOptions,
  env: Environment,
  work: (access: ServerAccess) => Promise<T>,
): Promise<T> {
  const url = options.url ?? (await findRunning(settings.server))
  if (url !== undefined) return joinServer(url, options, env, work)
  return startOwn(settings, (own) =>
    options.needsPassword === true
      ? joinServer(own.localUrl, options, env, work)
      : own.withClient((client) => work({ client, isLocal: true })),
  )
}

/**
 * Calls `work` with a client that finds or starts the server when it sends its first request, so that a mistake in the
 * command line is reported without a server.
 */
export async function withClient<T>(
  settings: Settings,
  options: AccessOptions,
  env: Environment,
  work: (client: RestRequests, connect: () => Promise<RestClient>) => Promise<T>,
): Promise<T> {
  const finished = Promise.withResolvers<void>()
  const connected = Promise.withResolvers<RestClient>()
  let serving: Promise<void> | undefined
  const connect = (): Promise<RestClient> => {
    if (serving === undefined) {
      serving = withServer(settings, options, env, ({ client }) => {
        connected.resolve(client)
        return finished.promise
      })
      serving.catch(connected.reject)
    }
    return connected.promise
  }
  try {
    return await work(requestsOf(connect), connect)
  } finally {
    finished.resolve()
    await serving
  }
}

function requestsOf(connect: () => Promise<RestClient>): RestRequests {
  return {
    get: async (...args) => (await connect()).get(...args),
    post: async (...args) => (await connect()).post(...args),
    put: async (...args) => (await connect()).put(...args),
    delete: async (...args) => (await connect()).delete(...args),
    upload: async (...args) => (await connect()).upload(...args),
    sendFile: async (...args) => (await connect()).sendFile(...args),
    download: async (...args) => (await connect()).download(...args),
  }
}

async function joinServer<T>(
  url: string,
  options: AccessOptions,
  env: Environment,
  work: (access: ServerAccess) => Promise<T>,
): Promise<T> {
  const client = createRestClient(url, await signInOf(options, env))
  try {
    return await work({ client, isLocal: isLoopback(new URL(url).hostname) })
  } finally {
    client.close()
  }
}

/** Returns the user's password, or a token if none is given and a token is sufficient. */
async function signInOf({ user, needsPassword }: AccessOptions, env: Environment): Promise<SignIn> {
  const { TERRANE_PASSWORD, TERRANE_TOKEN: token } = env
  if (TERRANE_PASSWORD === undefined && token !== undefined && needsPassword !== true)
    return { authorization: `Bearer ${token}` }
  const password = TERRANE_PASSWORD ?? (await askPassword(user))
  return { authorization: basicAuthorization(user, password), password }
}

async function startOwn<T>(settings: Settings, work: (own: LocalServer) => Promise<T>): Promise<T> {
  const own = await startLocalServer(
    { ...settings, server: { ...settings.server, host: '127.0.0.1', port: 0 } },
    // Standard output is reserved for the result of the command.
    { notice: (text) => process.stderr.write(`${text}\n`) },
  )
  try {
    return await work(own)
  } finally {
    await own.close()
  }
}

async function findRunning(server: ServerSettings): Promise<string | undefined> {
  if (server.port === 0) return undefined
  const host = ['0.0.0.0', '::'].includes(server.host) ? '127.0.0.1' : server.host
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${server.port}${server.basePath}`
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(probeMilliseconds) })
    const body: unknown = await response.json()
    return typeof body === 'object' && body !== null && 'node' in body && 'version' in body ? url : undefined
  } catch {
    return undefined
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\./.test(host)
}

/** Prompts for a password on the terminal without echo. Throws `UsageError` without a terminal. */
async function askPassword(user: string): Promise<string> {
  if (!isTerminal()) throw new UsageError(`The password of "${user}" is needed: set TERRANE_PASSWORD`)
  return askLine(`Password of ${user}: `, { isShown: false })
}
