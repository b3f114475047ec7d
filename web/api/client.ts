import { addressOf } from '../lib/base.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A request to the REST interface; the path is below the base path, such as `/rest/layers`. */
export interface Call {
  path: string
  method?: Method
  /** Parameters of the address; those that are undefined are left out. */
  query?: Record<string, string | number | boolean | undefined>
  /** Sent as JSON, or unchanged if it is a form or a file. */
  body?: unknown
  headers?: Record<string, string>
  /** True if a 401 is an expected result, not an expired session. */
  isSignIn?: boolean
}

/** An error response of the server, with its message. */
export class Refusal extends Error {
  readonly status: number
  /** Stable name of the failure. */
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** No response: the server or the network is down. */
export class NoAnswer extends Error {}

/** Session functions that requests use; set by the module `session`. */
export interface CallerState {
  /** Header that proves that a Terrane page sent a changing request. */
  csrfToken(): string | undefined
  /** Waits until the reader has signed in again; false if the reader cancels. */
  signInAgain(): Promise<boolean>
}

let caller: CallerState = { csrfToken: () => undefined, signInAgain: async () => false }

export function useCallerState(state: CallerState): void {
  caller = state
}

/** The address of a call, without the host. */
export function callAddress({ path, query = {} }: Pick<Call, 'path' | 'query'>): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  const text = new URLSearchParams(given).toString()
  return addressOf(path) + (text === '' ? '' : `?${text}`)
}

/** Requests JSON. If the session has ended, the reader signs in and the request is repeated. */
export async function call<T>(requested: Call, signal?: AbortSignal): Promise<T> {
  const reply = await send(requested, signal)
  const text = await reply.text()
  return (text === '' ? undefined : JSON.parse(text)) as T
}

/** The same, with the `ETag` of the response. */
export async function callTagged<T>(
  requested: Call,
  signal?: AbortSignal,
): Promise<{ value: T; tag?: string }> {
  const reply = await send(requested, signal)
  const tag = reply.headers.get('etag')
  return { value: (await reply.json()) as T, tag: tag ?? undefined }
}

/** Requests a text, such as a style document. */
export async function callText(requested: Call, signal?: AbortSignal): Promise<string> {
  const reply = await send({ ...requested, headers: { accept: '*/*', ...requested.headers } }, signal)
  return reply.text()
}

/** Requests bytes, such as an image; empty if there are none. */
export async function callBytes(requested: Call, signal?: AbortSignal): Promise<ArrayBuffer> {
  const reply = await send({ ...requested, headers: { accept: '*/*', ...requested.headers } }, signal)
  return reply.arrayBuffer()
}

/** The same for any response type. Throws `Refusal` and `NoAnswer`. */
async function send(requested: Call, signal?: AbortSignal): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const reply = await ask(requested, signal)
    if (reply.ok) return reply
    const refusal = await refusalOf(reply)
    const isEnded = refusal.status === 401 && requested.isSignIn !== true && tries === 1
    if (!isEnded || !(await caller.signInAgain())) throw refusal
  }
}

async function ask(requested: Call, signal: AbortSignal | undefined): Promise<Response> {
  const { method = 'GET', body } = requested
  const headers = new Headers({ accept: 'application/json', ...requested.headers })
  const token = caller.csrfToken()
  if (method !== 'GET' && token !== undefined) headers.set('x-csrf-token', token)
  const isRaw = body instanceof FormData || body instanceof Blob || typeof body === 'string'
  if (body !== undefined && !isRaw) headers.set('content-type', 'application/json')
  const sent = body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }
  try {
    return await fetch(callAddress(requested), { method, headers, ...sent, signal })
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw new NoAnswer('', { cause: error })
  }
}

interface Problem {
  code?: string
  detail?: string
  title?: string
  errors?: unknown
}

/** Joins monitoring's error messages by field; `__all__` is about several fields. */
function byField(errors: unknown): string | undefined {
  if (typeof errors !== 'object' || errors === null) return undefined
  const reported = Object.entries(errors).map(([field, messages]) => {
    const text = Array.isArray(messages) ? messages.join(' ') : String(messages)
    return field === '__all__' ? text : `${field}: ${text}`
  })
  return reported.length === 0 ? undefined : reported.join(' ')
}

async function refusalOf(reply: Response): Promise<Refusal> {
  const text = await reply.text().catch(() => '')
  try {
    const { code, detail, title, errors } = JSON.parse(text) as Problem
    const several = Array.isArray(errors) ? errors.join(' ') : byField(errors)
    return new Refusal(reply.status, code ?? '', detail ?? several ?? title ?? String(reply.status))
  } catch {
    return new Refusal(reply.status, '', `${reply.status} ${reply.statusText}`)
  }
}
