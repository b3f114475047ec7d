import assert from 'node:assert/strict'
import type { LightMyRequestResponse } from 'fastify'
import type { TestApp } from './app.ts'
import { until } from './until.ts'

/**
 * Requests a download and returns the file or the error, however long the server takes to create it. After a
 * 202, waits until the file exists and requests it again.
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
