import { plainReason } from '../errors/plain-reason.ts'
import { traceHeaders } from '../telemetry/tracing.ts'
import { basicAuthorization } from './node-http.ts'

/**
 * Failure of a request to another server. The message names the address and the cause, without credentials.
 */
export class FetchFailure extends Error {
  /** HTTP status, if there was a response. */
  readonly status: number | undefined

  constructor(message: string, { status, cause }: { status?: number; cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'FetchFailure'
    this.status = status
  }
}

/** Credentials and limits of a request. */
export interface FetchTextOptions {
  /** Basic authentication; credentials in the address are used if these are absent. */
  user?: string
  password?: string
  accept?: string
  /** Time limit for the complete exchange including redirects. */
  timeoutMs: number
  /** Limit of the response body, after decompression. */
  maxBytes: number
  signal?: AbortSignal
}

const maxRedirects = 3

/**
 * Returns the body of a 2xx response to GET, as UTF-8. Follows redirects within the same host and port, never
 * from https to http. Throws `FetchFailure`.
 */
export async function fetchText(address: string, options: FetchTextOptions): Promise<string> {
  const { url, authorization } = readAddress(address, options)
  const limit = AbortSignal.timeout(options.timeoutMs)
  const signal = options.signal === undefined ? limit : AbortSignal.any([limit, options.signal])
  const headers = {
    accept: options.accept ?? '*/*',
    'accept-encoding': 'identity',
    authorization,
    ...traceHeaders(),
  }
  try {
    const response = await follow(url, { headers, signal, redirect: 'manual' })
    return await readBody(response, url, options.maxBytes)
  } catch (error) {
    if (error instanceof FetchFailure) throw error
    if (options.signal?.aborted === true) throw new FetchFailure(`${place(url)} was given up`)
    if (limit.aborted) {
      throw new FetchFailure(`${place(url)} gave no whole answer within ${options.timeoutMs / 1000} s`)
    }
    throw new FetchFailure(`${place(url)} cannot be reached: ${innermost(error)}`, { cause: error })
  }
}

function readAddress(
  address: string,
  options: FetchTextOptions,
): { url: URL; authorization: string | undefined } {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new FetchFailure('The address is none of http or https')
  }
  const user = options.user ?? decodePart(url.username)
  const password = options.password ?? decodePart(url.password)
  url.username = ''
  url.password = ''
  if (user === '' && password === '') return { url, authorization: undefined }
  return { url, authorization: basicAuthorization(user, password) }
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

async function follow(start: URL, init: RequestInit): Promise<Response> {
  let url = start
  for (let redirects = 0; ; redirects += 1) {
    const response = await fetch(url, init)
    if (response.ok) return response
    await response.body?.cancel()
    const { status } = response
    const location = response.headers.get('location')
    if (status < 300 || status >= 400 || location === null)
      throw new FetchFailure(refusal(url, status), { status })
    if (redirects === maxRedirects)
      throw new FetchFailure(`${place(url)} redirects again and again`, { status })
    url = redirected(url, location, status)
  }
}

function redirected(from: URL, location: string, status: number): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from.href) : undefined
  const isKept =
    to !== undefined && to.host === from.host && (to.protocol === from.protocol || to.protocol === 'https:')
  if (isKept) return to
  throw new FetchFailure(
    `${place(from)} redirects to ${to === undefined ? 'no address' : place(to)}: name that address`,
    { status },
  )
}

function refusal(url: URL, status: number): string {
  if (status === 401 || status === 403)
    return `${place(url)} refuses the user or the password (status ${status})`
  if (status === 404) return `${place(url)} has nothing at this path (status 404)`
  return `${place(url)} answered with status ${status}`
}

async function readBody(response: Response, url: URL, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > maxBytes) throw new FetchFailure(`${place(url)} answered with more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Returns an address for messages, without the query, which may contain a token. */
function place(url: URL): string {
  return `${url.origin}${url.pathname}`.slice(0, 300)
}

/**
 * Returns the reason of a network failure; a name with several addresses fails with one error per address.
 */
function innermost(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors[0])
  if (error instanceof Error && error.cause instanceof Error) return innermost(error.cause)
  return (
    plainReason(error) ?? (error instanceof Error && error.message !== '' ? error.message : String(error))
  )
}
