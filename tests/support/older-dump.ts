import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MonitoringClient } from './monitoring-client.ts'

export const dumpPath = join(import.meta.dirname, '..', 'fixtures', 'monitoring', 'geonode-dump.json')

export interface DumpObject {
  model: string
  pk: number | string
  fields: Record<string, unknown>
}

export const dumpText = readFileSync(dumpPath, 'utf8')

/** The fixture as objects, which a test may change. */
export function dumpObjects(): DumpObject[] {
  return JSON.parse(dumpText)
}

/** Keys in the fixture. */
const keys = {
  services: { app: 1, mapserver: 2, hostapp: 3 },
  metrics: { 'request.count': 21, 'response.time': 81, 'request.ip': 31 },
  all: 10,
  countLabel: 1,
} as const

/** Returns one more value of `request.count` for all requests. */
export function countValue(pk: number, count: unknown, change: Record<string, unknown> = {}): DumpObject {
  return {
    model: 'monitoring.metricvalue',
    pk,
    fields: {
      valid_from: '2021-07-01T10:00:00Z',
      valid_to: '2021-07-01T10:01:00Z',
      service_metric: keys.metrics['request.count'],
      service: keys.services.app,
      event_type: keys.all,
      resource: null,
      label: keys.countLabel,
      value: String(count),
      value_num: count,
      value_raw: String(count),
      samples_count: count,
      data: {},
      ...change,
    },
  }
}

/** Everything of the fixture that values refer to, and these values. */
export function dumpOf(values: DumpObject[]): string {
  const around = dumpObjects().filter(({ model }) => !/metricvalue|event$|notification/.test(model))
  return JSON.stringify([...around, ...values])
}

interface Report {
  repeated: boolean
  models: { model: string; read: number; loaded: number; skipped: { reason: string; count: number }[] }[]
}

export interface LoadAnswer {
  status: number
  text: string
  /** Returns how many objects of a model were read, loaded and skipped. */
  model(name: string): { read: number; loaded: number; skipped: Record<string, number> }
  repeated: boolean
  errors: Record<string, string[]>
}

/** Loads a dump over HTTP, as admin. */
export async function loadDump({ server }: MonitoringClient, body: string | Buffer): Promise<LoadAnswer> {
  const reply = await server.app.inject({
    method: 'POST',
    url: '/monitoring/api/load/',
    payload: body,
    headers: { ...server.admin, 'content-type': 'application/json' },
  })
  const { data, errors }: { data: Report; errors: Record<string, string[]> } = JSON.parse(reply.body)
  const { statusCode: status, body: text } = reply
  return {
    status,
    text,
    errors,
    repeated: status === 200 && data.repeated,
    model: (name) => {
      const { read = 0, loaded = 0, skipped = [] } = data.models.find(({ model }) => model === name) ?? {}
      return {
        read,
        loaded,
        skipped: Object.fromEntries(skipped.map(({ reason, count }) => [reason, count])),
      }
    },
  }
}
