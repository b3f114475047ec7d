import assert from 'node:assert/strict'
import type { Json } from './importer-client.ts'
import type { MonitoringClient } from './monitoring-client.ts'

/** An element of `user_thresholds`. */
export function threshold(changes: {
  metric?: unknown
  option?: unknown
  flags?: unknown[]
  min?: unknown
  max?: unknown
  steps?: unknown
  description?: unknown
}): unknown[] {
  const { metric = 'request.count', option = 'min_value', flags = [true, false, false, false] } = changes
  const { min = 0, max = 10, steps = null, description = 'Number of requests is lower than' } = changes
  return [metric, option, ...flags, min, max, steps, description]
}

/** The body of a creation as a form. */
export function toForm(fields: Record<string, string>): string {
  return new URLSearchParams(fields).toString()
}

/** Fields of a creation that is right. */
export function creation(name: string, ...thresholds: unknown[][]): Record<string, string> {
  const list = thresholds.length === 0 ? [threshold({})] : thresholds
  return { name, description: 'What it is for', severity: 'error', user_thresholds: JSON.stringify(list) }
}

/** Makes a check and gives its id. */
export async function createCheck(
  client: MonitoringClient,
  name: string,
  ...thresholds: unknown[][]
): Promise<number> {
  const reply = await client.call('POST', '/api/notifications/', toForm(creation(name, ...thresholds)))
  assert.equal(reply.status, 200, reply.text)
  return reply.json.data.id as number
}

/** The data of a check's configuration. */
export async function readConfig(client: MonitoringClient, id: number): Promise<Json> {
  const reply = await client.call('GET', `/api/notifications/config/${id}/`)
  assert.equal(reply.status, 200, reply.text)
  return reply.json.data as Json
}
