import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { TestApp, TestAppOptions } from './app.ts'
import type { Answer } from './importer-client.ts'
import { startMonitoring } from './monitoring-client.ts'

interface Duration {
  seconds: number
  class: string
}

/** Check in the JSON of the API. */
interface CheckResponse {
  id: number
  name: string
  description: string
  severity: string
  active: boolean
  grace_period: Duration
  last_send: string | null
  failing_since: string | null
  user_threshold: Record<string, unknown>
  webhook_secrets?: Record<string, string>
}

interface FieldResponse {
  id: number
  field_name: string
  field_option: string
  current_value: unknown
  is_enabled: boolean
  max_value: string | null
  steps_calculated: string[] | null
  unit: string
  use_service: boolean
  use_resource: boolean
  use_label: boolean
  use_ows_service: boolean
  scope: object
}

export interface ConfigResponse {
  fields: FieldResponse[]
  form: string
  notification: CheckResponse
  emails: string[]
  webhooks: string[]
}

interface ProblemResponse {
  name: string
  severity: string
  message: string
  description: string
  offending_value: string
  threshold_value: string
  spotted_at: string
  check_url: string
  check_id: number
}

/** Data of every response about checks. */
interface NotificationData extends CheckResponse, ConfigResponse {
  problems: ProblemResponse[]
  health_level: string
  notifications: (CheckResponse & { url: string })[]
  notices: string[]
  deliveries: { kind: string; receiver: string; state: string; attempts: number; error: string | null }[]
}

interface NotificationAnswer extends Omit<Answer, 'json'> {
  json: {
    status: string
    success: boolean
    errors: Record<string, string[]>
    data: NotificationData
    services: { name: string; type: string }[]
  }
}

export interface NotificationClient {
  server: TestApp
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<NotificationAnswer>
}

/** Starts a server that monitors, for tests of its API for checks; closed after the test. */
export async function startNotifications(
  test: Pick<TestContext, 'after'>,
  options: TestAppOptions = {},
): Promise<NotificationClient> {
  const client = await startMonitoring(test, options)
  return {
    server: client.server,
    call: async (...request) => (await client.call(...request)) as unknown as NotificationAnswer,
  }
}

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
  client: NotificationClient,
  name: string,
  ...thresholds: unknown[][]
): Promise<number> {
  const reply = await client.call('POST', '/api/notifications/', toForm(creation(name, ...thresholds)))
  assert.equal(reply.status, 200, reply.text)
  return reply.json.data.id
}

/** The data of a check's configuration. */
export async function readConfig(client: NotificationClient, id: number): Promise<ConfigResponse> {
  const reply = await client.call('GET', `/api/notifications/config/${id}/`)
  assert.equal(reply.status, 200, reply.text)
  return reply.json.data
}
