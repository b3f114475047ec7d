import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { invalid } from '../../../core/errors/errors.ts'
import { STATUS_CODES } from '../../../core/network/node-http.ts'
import { toFault } from '../faults.ts'
import type { CredentialsOfUser } from '../http-auth.ts'
import { basicFor, isDomainUser, nextAuthorization, parseChallenges } from '../http-auth.ts'
import { discard, HttpConnection } from '../http-connection.ts'
import type { RemoteLocation } from '../location.ts'
import { pathOf, withoutUser } from '../location.ts'
import type { RemoteProtocol, SessionOptions } from '../protocol.ts'
import type { ReadFrom, RemoteBody, RemoteSession } from '../remote.ts'
import { RemoteFault } from '../remote.ts'
import { decodedBody } from './content-encoding.ts'

const maxRedirects = 5
const redirects = new Set([301, 302, 303, 307, 308])
const passing = new Set([408, 425, 429, 500, 502, 503, 504])

function header(reply: IncomingMessage, name: string): string | undefined {
  const value = reply.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/**
 * Returns the target of a redirect; undefined if there is none. Throws for a redirect that is not followed.
 */
function redirectOf(reply: IncomingMessage, url: URL): URL | undefined {
  if (!redirects.has(reply.statusCode ?? 0)) return undefined
  const target = header(reply, 'location')
  if (target === undefined || !URL.canParse(target, url.href)) {
    throw new RemoteFault('the server redirects without a target', { isPassing: false })
  }
  const next = new URL(target, url.href)
  if (next.protocol === 'http:' || next.protocol === 'https:') {
    pathOf(next, {})
    return withoutUser(next)
  }
  const scheme = next.protocol.replace(':', '')
  throw invalid('remote-redirect-refused', `The server redirects to "${scheme}:", which is not followed`)
}

/** Returns a validator for range requests (RFC 9110 section 13.1.5). */
function versionOf(reply: IncomingMessage): string | undefined {
  const etag = header(reply, 'etag')
  if (etag?.startsWith('"') === true) return etag
  return header(reply, 'last-modified')
}

/** Returns what identifies the content of a file: an ETag, weak or strong, or else the time of its last change. */
function validatorOf(reply: IncomingMessage): string | undefined {
  const etag = header(reply, 'etag')?.trim()
  if (etag !== undefined && /^(W\/)?"/.test(etag)) return etag
  return header(reply, 'last-modified')
}

/** Returns the header of a conditional request (RFC 9110 section 13.1). */
function conditionOf(validator: string | undefined): Record<string, string> {
  if (validator === undefined) return {}
  return /^(W\/)?"/.test(validator) ? { 'if-none-match': validator } : { 'if-modified-since': validator }
}

const maxWaitSeconds = 3600

/** Returns the wait of `Retry-After` (RFC 9110 section 10.2.3): seconds, or a date. */
function retryAfterOf(reply: IncomingMessage): number | undefined {
  const text = header(reply, 'retry-after')?.trim() ?? ''
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.min(Math.max(0, seconds), maxWaitSeconds) : undefined
}

interface Range {
  start: number
  totalBytes?: number
}

function rangeOf(reply: IncomingMessage): Range | undefined {
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/i.exec(header(reply, 'content-range') ?? '') ?? []
  if (start === undefined) return undefined
  return { start: Number(start), totalBytes: total === '*' ? undefined : Number(total) }
}

function sizeOf(reply: IncomingMessage): number | undefined {
  const length = header(reply, 'content-length')
  return length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined
}

/** RFC 6266: the extended form takes precedence. */
function dispositionName(reply: IncomingMessage): string | undefined {
  const text = header(reply, 'content-disposition')?.slice(0, 2000)
  if (text === undefined) return undefined
  const [, extended] = /filename\*\s*=\s*utf-8'[^']*'([^\s;]+)/i.exec(text) ?? []
  if (extended !== undefined) {
    try {
      return decodeURIComponent(extended)
    } catch {
      return undefined
    }
  }
  const [, quoted, plain] = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i.exec(text) ?? []
  const name = quoted?.replace(/\\(.)/g, '$1') ?? plain
  return name === undefined ? undefined : Buffer.from(name, 'latin1').toString('utf8')
}

function statusFault(reply: IncomingMessage, hasCredentials: boolean, isElsewhere: boolean): RemoteFault {
  const status = reply.statusCode ?? 0
  const text = `the server responds ${status} ${STATUS_CODES[status] ?? ''}`.trim()
  const why =
    status !== 401
      ? ''
      : isElsewhere
        ? ': credentials are not sent after a redirect to another host; use the target URL instead'
        : hasCredentials
          ? ': the server rejects this username and password'
          : ': the server requires a username and password'
  return new RemoteFault(text + why, {
    isPassing: passing.has(status),
    retryAfterSeconds: retryAfterOf(reply),
  })
}

/** Reads by HTTP and HTTPS; follows redirects, sends credentials only to the first origin. */
class HttpSession implements RemoteSession {
  readonly #connection: HttpConnection
  readonly #user: CredentialsOfUser | undefined

  constructor({ guard, credentials, authorities }: SessionOptions) {
    const { username } = credentials
    this.#connection = new HttpConnection(guard, authorities)
    this.#user = username === undefined ? undefined : { ...credentials, username }
  }

  async read(location: RemoteLocation, from: ReadFrom, signal: AbortSignal): Promise<RemoteBody> {
    const first = new URL(location.url)
    let url = first
    for (let count = 0; ; count += 1) {
      const isSame = url.origin === first.origin
      const reply = await this.#ask(url, isSame ? this.#user : undefined, from, signal)
      const next = redirectOf(reply, url)
      if (next === undefined) return this.#toBody(reply, url, from, !isSame)
      if (count === maxRedirects) {
        reply.destroy()
        throw new RemoteFault(`the server redirects more than ${maxRedirects} times`, { isPassing: false })
      }
      await discard(reply)
      url = next
    }
  }

  close(): void {
    this.#connection.close()
  }

  async #ask(
    url: URL,
    user: CredentialsOfUser | undefined,
    from: ReadFrom,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const request = { method: 'GET', target: url.pathname + url.search }
    let sent = user === undefined || isDomainUser(user) ? undefined : basicFor(user)
    for (;;) {
      const reply = await this.#get(url, sent, from, signal)
      if (reply.statusCode !== 401 || user === undefined) return reply
      const challenges = parseChallenges(header(reply, 'www-authenticate'))
      const next = nextAuthorization(user, challenges, request, sent)
      if (next === undefined) return reply
      sent = next
      await discard(reply)
    }
  }

  async #get(
    url: URL,
    authorization: string | undefined,
    { offset, version, unless }: ReadFrom,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const headers: Record<string, string> = {
      accept: '*/*',
      'accept-encoding': 'identity',
      'user-agent': 'Terrane',
      ...(authorization === undefined ? {} : { authorization }),
      ...conditionOf(unless),
      ...(offset > 0 && version !== undefined ? { range: `bytes=${offset}-`, 'if-range': version } : {}),
    }
    return this.#connection.get(url, headers, signal).catch((error: unknown) => {
      signal.throwIfAborted()
      throw toFault(error)
    })
  }

  #toBody(reply: IncomingMessage, url: URL, from: ReadFrom, isElsewhere: boolean): RemoteBody {
    const status = reply.statusCode ?? 0
    if (status === 304 && from.unless !== undefined) {
      reply.destroy()
      return { chunks: Readable.from([]), offset: 0, validator: from.unless }
    }
    if (status !== 200 && status !== 206) {
      reply.destroy()
      throw status === 416
        ? new RemoteFault('the file became shorter while it was fetched', { isPassing: true })
        : statusFault(reply, this.#user !== undefined, isElsewhere)
    }
    const range = status === 206 ? rangeOf(reply) : { start: 0 }
    const version = versionOf(reply)
    const isOther = status === 206 && (range?.start !== from.offset || version !== from.version)
    if (range === undefined || isOther) {
      reply.destroy()
      throw new RemoteFault('the server sends another range than requested', { isPassing: true })
    }
    const name = dispositionName(reply)
    const type = header(reply, 'content-type')?.split(';')[0]?.trim().toLowerCase()
    const encoding = header(reply, 'content-encoding')
    const body = decodedBody(reply, encoding, name ?? url.pathname)
    const totalBytes = status === 206 ? range.totalBytes : sizeOf(reply)
    const isPlain = body === reply
    return {
      chunks: body,
      offset: range.start,
      totalBytes: isPlain && totalBytes !== undefined ? totalBytes : undefined,
      version: isPlain && version !== undefined ? version : undefined,
      validator: validatorOf(reply),
      name,
      contentType: type,
    }
  }
}

/** HTTP and HTTPS. */
export const http: RemoteProtocol = {
  ports: { http: 80, https: 443 },
  open: async (_location, options) => new HttpSession(options),
}
