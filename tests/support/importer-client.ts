import { cpSync, mkdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { after, before, type TestContext } from 'node:test'
import { defined } from '../../src/core/values/defined.ts'
import type { TestApp, TestAppOptions } from './app.ts'
import { createTestApp } from './app.ts'

/** Anything that JSON can hold, read by tests without ceremony. */
export interface Json {
  [key: string]: Json
  [index: number]: Json
}

export interface Answer {
  status: number
  headers: Record<string, unknown>
  /** The body as JSON; an empty object where there is none. */
  json: Json
  text: string
}

export interface FilePart {
  name: string
  content: string | Uint8Array
}

export interface ImporterClient {
  server: TestApp
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Uploads files in one multipart form. */
  upload(importId: number, files: FilePart[], fields?: Record<string, string>): Promise<Answer>
  /** Copies fixtures into the import root and gives the folder's or file's name there. */
  provide(fixture: string, as?: string): string
}

const boundary = 'terrane-test-boundary'

export function multipart(files: FilePart[], fields: Record<string, string> = {}): Buffer {
  const head = (disposition: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`
  const texts = Object.entries(fields).map(([name, value]) =>
    Buffer.from(`${head(`name="${name}"`)}${value}\r\n`),
  )
  const parts = files.map(({ name, content }) =>
    Buffer.concat([
      Buffer.from(head(`name="filedata"; filename="${name}"`)),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]),
  )
  return Buffer.concat([...texts, ...parts, Buffer.from(`--${boundary}--\r\n`)])
}

export const multipartType = `multipart/form-data; boundary=${boundary}`

export function clientOf(server: TestApp): ImporterClient {
  async function inject(
    method: string,
    path: string,
    payload: string | Buffer | undefined,
    headers: Record<string, string>,
  ): Promise<Answer> {
    const reply = await server.app.inject({
      method: method as 'GET',
      url: `/rest/imports${path}`,
      headers: { ...server.admin, ...headers },
      ...defined({ payload }),
    })
    const isJson = /json/.test(String(reply.headers['content-type']))
    return {
      status: reply.statusCode,
      headers: reply.headers,
      json: (isJson && reply.body !== '' ? JSON.parse(reply.body) : {}) as Json,
      text: reply.body,
    }
  }
  return {
    server,
    call: (method, path, body, headers = {}) =>
      body === undefined
        ? inject(method, path, undefined, headers)
        : inject(
            method,
            path,
            typeof body === 'string' || body instanceof Buffer ? body : JSON.stringify(body),
            { 'content-type': 'application/json', ...headers },
          ),
    upload: (importId, files, fields) =>
      inject('POST', `/${importId}/tasks`, multipart(files, fields), { 'content-type': multipartType }),
    provide: (fixture, as = basename(fixture)) => {
      const target = join(server.dataDir, 'incoming', as)
      mkdirSync(dirname(target), { recursive: true })
      cpSync(join('tests/fixtures', fixture), target, { recursive: true })
      return as
    },
  }
}

/** Starts a server for one test, which is closed after the test. Tests that can share a server use {@link shareImporter}. */
export async function startImporter(
  test: TestContext,
  options: TestAppOptions = {},
): Promise<ImporterClient> {
  const client = await startClient(options)
  test.after(() => client.server.close())
  return client
}

/**
 * Starts a server before the tests of the suite that calls this function, and closes it after them. Returns a
 * function that gives its client.
 */
export function shareImporter(start: () => Promise<ImporterClient> = startClient): () => ImporterClient {
  let client: ImporterClient | undefined
  before(async () => {
    client = await start()
  })
  after(() => client?.server.close())
  return () => {
    if (client === undefined) throw new Error('The server of the suite is not started')
    return client
  }
}

/** Starts a server. The caller must close it. */
export async function startClient(options: TestAppOptions = {}): Promise<ImporterClient> {
  return clientOf(await createTestApp({ ...options, env: { TERRANE_LOADS: '1', ...options.env } }))
}

/** Returns a list from a response. */
export function listOf<T = Json>(json: Json | undefined): T[] {
  return (json ?? []) as unknown as T[]
}

/** Returns the number of features that the collection of a published layer reports. */
export async function countFeatures(client: ImporterClient, layer: string): Promise<number> {
  const reply = await client.server.app.inject({
    method: 'GET',
    url: `/ogc/collections/${encodeURIComponent(layer)}/items?limit=1`,
    headers: client.server.admin,
  })
  return (JSON.parse(reply.body) as { numberMatched: number }).numberMatched
}

/** Features of a published layer as GeoJSON. */
export async function readItems(client: ImporterClient, layer: string, query = 'limit=1000'): Promise<Json> {
  const reply = await client.server.app.inject({
    method: 'GET',
    url: `/ogc/collections/${encodeURIComponent(layer)}/items?${query}`,
    headers: client.server.admin,
  })
  return JSON.parse(reply.body) as Json
}
