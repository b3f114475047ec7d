import type { Agent, IncomingMessage, RequestOptions } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { connect as connectTls } from 'node:tls'
import { HttpAgent, httpRequest } from '../../core/network/node-http.ts'
import { traceHeaders } from '../../core/telemetry/tracing.ts'
import type { AddressGuard } from './address-guard.ts'

const maxHeaderBytes = 32 << 10
const maxHeaders = 200

/** Returns TLS options that require a certificate for the name of the host. */
export function tlsOptions(host: string, authorities: readonly string[]): ConnectionOptions {
  return {
    ca: [...authorities],
    rejectUnauthorized: true,
    ...(isIP(host) === 0 ? { servername: host } : { host }),
  }
}

/** Returns the agent of all HTTP clients: checked addresses, no proxy from the environment. */
export function checkedAgent(isSecure: boolean, guard: AddressGuard, authorities: readonly string[]): Agent {
  const settings = { keepAlive: true, maxSockets: 1 }
  const agent = isSecure ? new HttpsAgent(settings) : new HttpAgent(settings)
  agent.createConnection = (options, callback) => {
    const { host: name, port, signal } = options as RequestOptions
    const host = (name ?? '').replace(/^\[|\]$/g, '')
    const done = callback as (error: Error | null, socket?: unknown) => void
    guard.connect(host, Number(port), signal ?? new AbortController().signal).then(
      (socket) => done(null, isSecure ? connectTls({ ...tlsOptions(host, authorities), socket }) : socket),
      (error: Error) => done(error),
    )
    return undefined
  }
  return agent
}

/** Connections to one server, kept open between requests. */
export class HttpConnection {
  readonly #agents: Record<'http:' | 'https:', Agent>

  constructor(guard: AddressGuard, authorities: readonly string[]) {
    this.#agents = {
      'http:': checkedAgent(false, guard, authorities),
      'https:': checkedAgent(true, guard, authorities),
    }
  }

  get(url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<IncomingMessage> {
    const isSecure = url.protocol === 'https:'
    const agent = this.#agents[isSecure ? 'https:' : 'http:']
    const send = isSecure ? httpsRequest : httpRequest
    return new Promise((resolve, reject) => {
      const request = send(url, {
        agent,
        headers: { ...headers, ...traceHeaders() },
        signal,
        maxHeaderSize: maxHeaderBytes,
      })
      request.maxHeadersCount = maxHeaders
      request.once('response', resolve)
      request.on('error', reject)
      request.end()
    })
  }

  close(): void {
    this.#agents['http:'].destroy()
    this.#agents['https:'].destroy()
  }
}

const drainBytes = 64 << 10

/** Consumes a short body, so that its connection can be reused; a long one closes the connection. */
export async function discard(reply: IncomingMessage): Promise<void> {
  let bytes = 0
  try {
    for await (const chunk of reply) {
      bytes += (chunk as Buffer).length
      if (bytes > drainBytes) break
    }
  } catch {
    // The connection is closed: the next request opens another.
  }
}
