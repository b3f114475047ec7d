import { addressOf } from '../lib/base.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A request to the REST interface; the path is below the base path, such as `/rest/layers`. */
export interface Call {
  path: string
  method?: Method
  /** Parameters of the address; those that are undefined are left out. */
  query?: Record<string, string | number | boolean | undefined>
  /** Sent as JSON, or as it is where it is a form or a file. */
  body?: unknown
  headers?: Record<string, string>
  /** A refusal is what the caller wants to hear of, not a session that has ended. */
  isSignIn?: boolean
}

/** What the server refused, in its own words. */
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

/** No answer came: the server or the way to it is down. */
export class NoAnswer extends Error {}

/** What calls need to know of the session; the room `session` gives it. */
export interface CallerState {
  /** Proves that a page of ours sends what changes something. */
  csrfToken(): string | undefined
  /** Waits until somebody has signed in again; false where they would not. */
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

/** Asks the server for JSON. Where the session has ended, somebody signs in and it is asked again. */
export async function call<T>(asked: Call, signal?: AbortSignal): Promise<T> {
  const reply = await send(asked, signal)
  const text = await reply.text()
  return (text === '' ? undefined : JSON.parse(text)) as T
}

/** The same, with the tag that tells this state of what was asked for from others. */
export async function callTagged<T>(asked: Call, signal?: AbortSignal): Promise<{ value: T; tag?: string }> {
  const reply = await send(asked, signal)
  const tag = reply.headers.get('etag')
  return { value: (await reply.json()) as T, ...(tag !== null && { tag }) }
}

/** Asks the server for a text, such as a document in a language of its own. */
export async function callText(asked: Call, signal?: AbortSignal): Promise<string> {
  const reply = await send({ ...asked, headers: { accept: '*/*', ...asked.headers } }, signal)
  return reply.text()
}

/** Asks the server for bytes, such as a picture; none where there is nothing. */
export async function callBytes(asked: Call, signal?: AbortSignal): Promise<ArrayBuffer> {
  const reply = await send({ ...asked, headers: { accept: '*/*', ...asked.headers } }, signal)
  return reply.arrayBuffer()
}

/** The same for answers of any type. Throws `Refusal` and `NoAnswer`. */
async function send(asked: Call, signal?: AbortSignal): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const reply = await ask(asked, signal)
    if (reply.ok) return reply
    const refusal = await refusalOf(reply)
    const isEnded = refusal.status === 401 && asked.isSignIn !== true && tries === 1
    if (!isEnded || !(await caller.signInAgain())) throw refusal
  }
}

async function ask(asked: Call, signal: AbortSignal | undefined): Promise<Response> {
  const { method = 'GET', body } = asked
  const headers = new Headers({ accept: 'application/json', ...asked.headers })
  const token = caller.csrfToken()
  if (method !== 'GET' && token !== undefined) headers.set('x-csrf-token', token)
  const isRaw = body instanceof FormData || body instanceof Blob || typeof body === 'string'
  if (body !== undefined && !isRaw) headers.set('content-type', 'application/json')
  const sent = body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }
  try {
    return await fetch(callAddress(asked), { method, headers, ...sent, ...(signal && { signal }) })
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

/** What monitoring tells: messages by field, `__all__` for what is about several. */
function byField(errors: unknown): string | undefined {
  if (typeof errors !== 'object' || errors === null) return undefined
  const told = Object.entries(errors).map(([field, messages]) => {
    const text = Array.isArray(messages) ? messages.join(' ') : String(messages)
    return field === '__all__' ? text : `${field}: ${text}`
  })
  return told.length === 0 ? undefined : told.join(' ')
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
