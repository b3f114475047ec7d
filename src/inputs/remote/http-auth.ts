import { createHash, randomBytes } from 'node:crypto'
import { basicAuthorization } from '../../core/network/node-http.ts'
import { ownValue } from '../../core/values/record-keys.ts'
import { ntlmAuthenticate, ntlmNegotiate } from './ntlm.ts'
import type { RemoteCredentials } from './protocol.ts'

export interface CredentialsOfUser extends RemoteCredentials {
  username: string
}

/** An HTTP request that requires credentials. */
export interface HttpRequestLine {
  method: string
  /** Path and query. */
  target: string
}

/** Returns the user name, preceded by the domain if there is one. */
export function fullName({ username, domain }: CredentialsOfUser): string {
  return domain === undefined || username.includes('\\') ? username : `${domain}\\${username}`
}

export function basicFor(user: CredentialsOfUser): string {
  return basicAuthorization(fullName(user), user.password ?? '')
}

/** One challenge of a `WWW-Authenticate` header (RFC 9110 section 11.6.1). */
export interface HttpChallenge {
  /** In lower case. */
  scheme: string
  /** NTLM token; empty for schemes with parameters. */
  token: string
  parameters: Map<string, string>
}

const maxHeaderLength = 16_000
const parameterPattern = /([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g

export function parseChallenges(header: string | undefined): HttpChallenge[] {
  if (header === undefined || header.length > maxHeaderLength) return []
  const bare = header.replace(/"(?:[^"\\]|\\.)*"/g, (quoted) => '"'.repeat(quoted.length))
  const starts = [...bare.matchAll(/(?:^|,)\s*(basic|digest|ntlm|negotiate)(?=[\s,]|$)/gi)]
  return starts.map((start, index) => {
    const end = starts[index + 1]?.index ?? header.length
    const rest = header.slice(start.index + start[0].length, end).trim()
    const parameters = new Map<string, string>()
    for (const [, name = '', quoted, plain] of rest.matchAll(parameterPattern)) {
      parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '')
    }
    const token = /^[A-Za-z0-9+/]+=*$/.exec(rest)?.[0] ?? ''
    return { scheme: (start[1] ?? '').toLowerCase(), token, parameters }
  })
}

const digestHashes: Record<string, string> = { md5: 'md5', 'sha-256': 'sha256' }

/**
 * Returns the RFC 7616 authorization with `qop=auth` or none; undefined if the challenge requires something
 * else.
 */
export function digestAuthorization(
  user: CredentialsOfUser,
  { parameters }: HttpChallenge,
  { method, target }: HttpRequestLine,
  clientNonce = randomBytes(16).toString('hex'),
): string | undefined {
  const algorithm = parameters.get('algorithm') ?? 'MD5'
  const name = ownValue(digestHashes, algorithm.toLowerCase())
  const nonce = parameters.get('nonce')
  const qop = parameters.get('qop')
  const hasAuth = qop?.split(',').some((one) => one.trim().toLowerCase() === 'auth') ?? false
  if (name === undefined || nonce === undefined || (qop !== undefined && !hasAuth)) return undefined
  const hash = (text: string): string => createHash(name).update(text, 'utf8').digest('hex')
  const realm = parameters.get('realm') ?? ''
  const secret = hash(`${fullName(user)}:${realm}:${user.password ?? ''}`)
  const request = hash(`${method}:${target}`)
  const count = '00000001'
  const response = hasAuth
    ? hash(`${secret}:${nonce}:${count}:${clientNonce}:auth:${request}`)
    : hash(`${secret}:${nonce}:${request}`)
  const quote = (text: string): string => `"${text.replace(/(["\\])/g, '\\$1')}"`
  const opaque = parameters.get('opaque')
  return [
    `Digest username=${quote(fullName(user))}`,
    `realm=${quote(realm)}`,
    `nonce=${quote(nonce)}`,
    `uri=${quote(target)}`,
    `algorithm=${algorithm}`,
    `response="${response}"`,
    ...(opaque === undefined ? [] : [`opaque=${quote(opaque)}`]),
    ...(hasAuth ? [`qop=auth, nc=${count}, cnonce="${clientNonce}"`] : []),
  ].join(', ')
}

/** Returns domain and name, also from `DOMAIN\user`. */
function ntlmIdentity(user: CredentialsOfUser) {
  const [first = '', second] = user.username.split('\\', 2)
  return {
    username: second ?? first,
    domain: user.domain ?? (second === undefined ? '' : first),
    password: user.password ?? '',
  }
}

/**
 * True if the credentials are those of a Windows domain: then nothing is sent before the server requests it.
 */
export function isDomainUser(user: CredentialsOfUser): boolean {
  return user.domain !== undefined || user.username.includes('\\')
}

/**
 * Returns the next `Authorization` for a refused request, undefined if all have been tried. `sent` is that of
 * the refused request.
 */
export function nextAuthorization(
  user: CredentialsOfUser,
  challenges: HttpChallenge[],
  request: HttpRequestLine,
  sent: string | undefined,
): string | undefined {
  const of = (scheme: string) => challenges.find((one) => one.scheme === scheme)
  const ntlm = of('ntlm')
  if (ntlm !== undefined && sent === `NTLM ${ntlmNegotiate()}`) {
    const response = ntlmAuthenticate(ntlmIdentity(user), ntlm.token)
    return response === undefined ? undefined : `NTLM ${response}`
  }
  const isFirst = sent === undefined
  if (isFirst && ntlm !== undefined && isDomainUser(user)) return `NTLM ${ntlmNegotiate()}`
  const digest = of('digest')
  if ((isFirst || sent.startsWith('Basic ')) && digest !== undefined) {
    return digestAuthorization(user, digest, request)
  }
  return isFirst && of('basic') !== undefined ? basicFor(user) : undefined
}
