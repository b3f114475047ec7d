import { createWriteStream } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { Readable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { HttpAgent, httpRequest } from '../core/network/node-http.ts'
import type { UploadFile } from './multipart.ts'
import { fileBody, multipartBody } from './multipart.ts'

/** The error for an error response of the server. */
export class RestError extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.name = 'RestError'
    this.status = status
    this.code = code
  }
}

/** Requests to a server in JSON; paths are below its base path, such as `/rest/imports`. */
export interface RestRequests {
  get(path: string, headers?: Record<string, string>): Promise<unknown>
  post(path: string, body?: unknown): Promise<unknown>
  put(path: string, body: unknown): Promise<unknown>
  delete(path: string): Promise<unknown>
  /** Sends files as one multipart request; `onSent` receives the number of bytes so far. */
  upload(path: string, files: UploadFile[], onSent: (bytes: number) => void): Promise<unknown>
  /** Sends one file as the body of a request. */
  sendFile(path: string, file: UploadFile, onSent: (bytes: number) => void): Promise<unknown>
  /**
   * Writes the response of a path to a file, and returns its headers; `onReceived` receives the number of
   * bytes so far.
   */
  download(path: string, file: string, onReceived: (bytes: number) => void): Promise<IncomingHttpHeaders>
}

/** A connection to a server. The caller must call `close()`. */
export interface RestClient extends RestRequests {
  readonly url: string
  /** Password of the client; undefined if it uses a token. */
  readonly password: string | undefined
  close(): void
}

interface Payload {
  headers: Record<string, string | number>
  stream?: Readable
}

/** Credentials of a client; `authorization` is the whole value of the header. */
export interface SignIn {
  authorization: string
  password?: string
}

/** Connects to the server at `url`. No call has a time limit: a load may take hours. */
export function createRestClient(url: string, { authorization, password }: SignIn): RestClient {
  const isSecure = url.startsWith('https:')
  const agent = isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
  const call = async (method: string, path: string, payload?: Payload): Promise<unknown> => {
    const headers = { accept: 'application/json', authorization, ...payload?.headers }
    const response = await exchange(url + path, isSecure, { method, agent, headers }, payload?.stream)
    return readResponse(response, `${method} ${path}`)
  }
  const callWithJson = (method: string, path: string, body: unknown): Promise<unknown> =>
    call(method, path, body === undefined ? undefined : jsonPayload(body))
  return {
    url,
    password,
    get: (path, headers = {}) => call('GET', path, { headers }),
    post: (path, body) => callWithJson('POST', path, body),
    put: (path, body) => callWithJson('PUT', path, body),
    delete: (path) => call('DELETE', path),
    upload: (path, files, onSent) => call('POST', path, multipartBody(files, onSent)),
    sendFile: (path, file, onSent) => call('POST', path, fileBody(file, onSent)),
    download: async (path, file, onReceived) => {
      const headers = { authorization }
      const response = await exchange(url + path, isSecure, { method: 'GET', agent, headers }, undefined)
      if (response.statusCode !== 200) await readResponse(response, `GET ${path}`)
      await pipeline(response, countBytes(onReceived), createWriteStream(file))
      return response.headers
    },
    close: () => agent.destroy(),
  }
}

function countBytes(onReceived: (bytes: number) => void) {
  let sum = 0
  return async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      sum += chunk.length
      onReceived(sum)
      yield chunk
    }
  }
}

function jsonPayload(body: unknown): Payload {
  const bytes = Buffer.from(JSON.stringify(body))
  const headers = { 'content-type': 'application/json', 'content-length': bytes.length }
  return { headers, stream: Readable.from([bytes]) }
}

async function exchange(
  url: string,
  isSecure: boolean,
  options: RequestOptions,
  body: Readable | undefined,
): Promise<IncomingMessage> {
  const request = isSecure ? httpsRequest(url, options) : httpRequest(url, options)
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve)
    request.once('error', (cause) => reject(new Error(`${new URL(url).origin} cannot be reached`, { cause })))
  })
  if (body === undefined) {
    request.end()
    return answered
  }
  // A server that refuses an upload responds before it has read everything. The response is reported, not the
  // broken pipe.
  const sent = pipeline(body, request).catch(() => undefined)
  const response = await answered
  if (response.complete) await sent
  return response
}

async function readResponse(response: IncomingMessage, what: string): Promise<unknown> {
  const status = response.statusCode ?? 0
  const body = parseJson(await readText(response))
  if (status >= 200 && status < 300) return body
  throw failure(status, body, what)
}

function failure(status: number, body: unknown, what: string): RestError {
  if (status === 401) return new RestError(status, 'unauthenticated', 'The user or the password is wrong')
  const code = textField(body, 'code') ?? 'unknown'
  const detail = textField(body, 'detail') ?? textField(body, 'title') ?? fieldMessages(body)
  return new RestError(status, code, detail ?? `${what} was answered with status ${status}`)
}

function parseJson(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

function textField(body: unknown, name: string): string | undefined {
  const value = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

/**
 * Reads errors of monitoring: messages by field. Messages that concern no single field are under `__all__`.
 */
function fieldMessages(body: unknown): string | undefined {
  const errors = typeof body === 'object' && body !== null ? Reflect.get(body, 'errors') : undefined
  if (typeof errors !== 'object' || errors === null) return undefined
  const messages = Object.entries(errors).map(([name, list]) => {
    const text = Array.isArray(list) ? list.join(' ') : String(list)
    return name === '__all__' ? text : `${name}: ${text}`
  })
  return messages.length === 0 ? undefined : messages.join('\n')
}

/** Returns a field of a server response; undefined if missing. */
export function readField(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

export function listOf(value: unknown, name: string): unknown[] {
  const list = readField(value, name)
  return Array.isArray(list) ? list : []
}

/** Returns the value as text; empty if absent. */
export function readString(value: unknown, name: string): string {
  const found = readField(value, name)
  return found == null ? '' : String(found)
}

export function readNumber(value: unknown, name: string): number {
  const found = readField(value, name)
  return typeof found === 'number' ? found : 0
}
