import assert from 'node:assert/strict'
import { defined } from '../../src/core/values/defined.ts'
import type { TestApp } from './app.ts'
import type { Answer, Json } from './importer-client.ts'

/** Version in the JSON of the REST API. */
export interface VersionResponse {
  version: number
  user: string | null
  cause: string
  import: number | null
  mode: string | null
  rows: number | null
  changes: Json | null
  columnsChanged: string[]
  style: string
  sizeBytes: number | null
  restorable: boolean
  reason: string | null
  keptUntil: string | null
  pinned: boolean
}

/** Sends a request to a server as its administrator, unless headers say otherwise. */
export async function ask(
  server: TestApp,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  payload?: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const all = { ...server.admin, ...headers }
  const reply = await server.app.inject({ method, url, headers: all, ...defined({ payload }) })
  const isJson = /json/.test(String(reply.headers['content-type']))
  return {
    status: reply.statusCode,
    headers: reply.headers,
    json: (isJson && reply.body !== '' ? JSON.parse(reply.body) : {}) as Json,
    text: reply.body,
  }
}

/** The versions of a layer, the latest first. */
export async function versionsOf(
  server: TestApp,
  layer: string,
  headers?: Record<string, string>,
): Promise<VersionResponse[]> {
  const answer = await ask(server, 'GET', `/rest/layers/${layer}/versions`, undefined, headers)
  assert.equal(answer.status, 200, answer.text)
  return (answer.json as unknown as { versions: VersionResponse[] }).versions
}

/** Brings a layer back to a version. */
export function restore(
  server: TestApp,
  layer: string,
  version: number,
  body?: object,
  headers?: Record<string, string>,
): Promise<Answer> {
  return ask(server, 'POST', `/rest/layers/${layer}/versions/${version}/restore`, body, headers)
}
