import assert from 'node:assert/strict'
import type { LightMyRequestResponse } from 'fastify'
import type { TestApp } from './app.ts'
import { until } from './until.ts'

/**
 * The file of a download's address, or why there is none, however long making it takes. Where the server says 202, the
 * file is asked for again once that one is made.
 */
export async function downloaded(
  { app }: TestApp,
  url: string,
  headers: Record<string, string>,
): Promise<LightMyRequestResponse> {
  for (let tries = 0; tries < 5; tries += 1) {
    const reply = await app.inject({ url, headers: { prefer: 'wait=60', ...headers } })
    if (reply.statusCode !== 202) return reply
    const { id } = reply.json<{ download: { id: string } }>().download
    await until(async () => {
      const shown = await app.inject({ url: `/rest/downloads/${id}`, headers })
      return !/PENDING|RUNNING/.test(shown.json<{ download: { state: string } }>().download.state)
    })
  }
  return assert.fail(`${url} answered 202 five times`)
}
