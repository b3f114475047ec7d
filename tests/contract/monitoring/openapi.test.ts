import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Check } from 'typebox/schema'
import type { FedMonitoring } from '../../support/fed-monitoring.ts'
import { requestAt, startFed } from '../../support/fed-monitoring.ts'
import { creation, threshold, toForm } from '../../support/notification-client.ts'
import { dumpText } from '../../support/older-dump.ts'

interface Schema {
  properties?: Record<string, Schema>
  additionalProperties?: Schema
  items?: Schema
  anyOf?: Schema[]
}

interface Operation {
  summary?: string
  parameters?: { name: string; in: string; description?: string }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}

type Paths = Record<string, Record<string, Operation>>

const withoutBody = [
  'post /monitoring/api/autoconfigure',
  'post /monitoring/api/notifications/config/{id}/test',
]

async function readPaths(fed: FedMonitoring): Promise<Paths> {
  const { paths, components } = (await fed.server.app.inject('/openapi.json')).json<{
    paths: Paths
    components: { schemas: Record<string, Schema> }
  }>()
  const found = Object.entries(paths).filter(([path]) => path.startsWith('/monitoring/api/'))
  return resolveReferences(Object.fromEntries(found), components.schemas)
}

/** Puts the schemas in place of their references. */
function resolveReferences<T>(value: T, schemas: Record<string, Schema>): T {
  const resolved = JSON.stringify(value, (_key, inner: { $ref?: string } | undefined) => {
    const name = inner?.$ref?.replace('#/components/schemas/', '')
    return name === undefined ? inner : schemas[name]
  })
  return JSON.parse(resolved) as T
}

function replyOf(operation: Operation, status = '200'): Schema {
  return operation.responses[status]?.content?.['application/json']?.schema ?? {}
}

/** Status of the answer without an error. */
function successOf({ responses }: Operation): string {
  return Object.keys(responses).find((status) => status.startsWith('2')) ?? ''
}

/** Paths of keys of a value that its schema does not name. */
function undocumented(value: unknown, schemas: readonly Schema[], at = ''): string[] {
  const all = schemas.flatMap((one) => [one, ...(one.anyOf ?? [])])
  if (Array.isArray(value)) {
    const items = all.flatMap(({ items: found }) => (found === undefined ? [] : [found]))
    return value.flatMap((one) => undocumented(one, items, `${at}[]`))
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const named = all
      .map(({ properties, additionalProperties }) => properties?.[key] ?? additionalProperties)
      .filter((schema) => schema !== undefined)
    return named.length === 0 ? [`${at}.${key}`] : undocumented(inner, named, `${at}.${key}`)
  })
}

describe('the OpenAPI document of monitoring', () => {
  it('tells for each route what it is, its parameters, its body and its answer', async (t) => {
    const fed = await startFed(t)
    const paths = await readPaths(fed)
    for (const [path, operations] of Object.entries(paths))
      for (const [method, operation] of Object.entries(operations)) {
        const what = `${method} ${path}`
        assert.ok(operation.summary, what)
        for (const { name, description, in: place } of operation.parameters ?? [])
          assert.ok(place === 'path' || description, `${what}: ${name}`)
        const status = successOf(operation)
        const isEmpty = Object.keys(replyOf(operation, status)).length === 0
        assert.equal(isEmpty, status === '204', `${what}: ${status}`)
        const takesBody = ['post', 'put'].includes(method) && !withoutBody.includes(what)
        assert.equal(operation.requestBody !== undefined, takesBody, what)
      }
  })

  it('tells what is answered, key by key', async (t) => {
    const fed = await startFed(t)
    const paths = await readPaths(fed)
    const seen = new Set<string>()
    const ask = async (method: string, path: string, url: string, body?: unknown): Promise<unknown> => {
      const { status, text } = await fed.call(method.toUpperCase(), url, body)
      const operation = paths[`/monitoring${path}`]?.[method]
      assert.ok(operation, `${method} ${path} is not described`)
      assert.equal(`${status}`, successOf(operation), `${method} ${url}: ${text}`)
      seen.add(`${method} /monitoring${path}`)
      if (status === 204) return assert.equal(text, '')
      const schema = replyOf(operation, `${status}`)
      const value: unknown = JSON.parse(text)
      assert.ok(Check(schema, value), `${method} ${url} differs from its description: ${text.slice(0, 1000)}`)
      assert.deepEqual(undocumented(value, [schema]), [], `${method} ${url}`)
      return value
    }
    const askData = async <T>(...request: Parameters<typeof ask>): Promise<T> =>
      ((await ask(...request)) as { data: T }).data
    await ask('post', '/api/load', '/api/load/', dumpText)
    await ask('get', '/api/load', '/api/load/')
    await ask('post', '/api/autoconfigure', '/api/autoconfigure/')
    const { app } = fed.services
    const layer = { type: 'layer', name: 'ws:roads' } as const
    const request = requestAt('2026-11-21T12:33:00Z', {
      serviceId: app,
      resources: [layer],
      eventType: 'view',
    })
    const caught = { serviceId: app, created: request.created, errorType: 'E', message: 'm', stack: 's' }
    await fed.feed({ events: [request], exceptions: [{ ...caught, request }, caught] })
    for (const list of ['hosts', 'services', 'metrics', 'resource_types', 'resources', 'labels'])
      await ask('get', `/api/${list}`, `/api/${list}/`)
    for (const query of ['', '?ows_service=true'])
      await ask('get', '/api/event_types', `/api/event_types/${query}`)
    for (const query of ['last=600', 'last=600&group_by=resource', 'last=600&group_by=event_type'])
      await ask('get', '/api/metric_data/{metric}', `/api/metric_data/request.count/?${query}`)
    await ask('get', '/api/metric_data/{metric}', '/api/metric_data/response.time/?last=600')
    await ask('get', '/api/exceptions', '/api/exceptions/')
    for (const id of [1, 2, 3]) await ask('get', '/api/exceptions/{id}', `/api/exceptions/${id}/`)

    const { id: host } = await askData<{ id: number }>('post', '/api/hosts', '/api/hosts/', {
      name: 'h',
      ip: '192.0.2.9',
    })
    await ask('get', '/api/hosts/{id}', `/api/hosts/${host}/`)
    await ask('put', '/api/hosts/{id}', `/api/hosts/${host}/`, { ip: '192.0.2.8' })
    const made = { name: 's', type: 'app', host: 'h' }
    const { id: service } = await askData<{ id: number }>('post', '/api/services', '/api/services/', made)
    await ask('get', '/api/services/{id}', `/api/services/${service}/`)
    await ask('put', '/api/services/{id}', `/api/services/${service}/`, { notes: 'n' })
    await ask('delete', '/api/services/{id}', `/api/services/${service}/`)
    await ask('delete', '/api/hosts/{id}', `/api/hosts/${host}/`)

    const failing = threshold({ option: 'max_value', min: 0, max: 9, steps: 3, description: 'More than' })
    const late = threshold({ option: 'max_timeout', min: 60, max: null, description: 'None for' })
    const form = toForm({ ...creation('One', failing, late), webhooks: 'https://hooks.example.org/x' })
    const { id } = await askData<{ id: number }>('post', '/api/notifications', '/api/notifications/', form)
    const config = `/api/notifications/config/${id}/`
    const path = '/api/notifications/config/{id}'
    const thresholds = { 'request.count.max_value': '0.00', 'request.count.max_timeout': 120 }
    await ask('post', path, config, { ...thresholds, emails: 'ops@example.org' })
    await ask('get', path, config)
    const broken = await askData<unknown[]>('get', '/api/status', '/api/status/')
    assert.ok(broken.length > 0)
    await ask('get', '/api/notifications', '/api/notifications/')
    await ask('get', `${path}/deliveries`, `${config}deliveries/?limit=5`)
    await ask('post', `${path}/test`, `${config}test/`)
    await ask('delete', path, config)

    for (const query of ['', '?by=month&compare=year', '?by=owner'])
      await ask('get', '/api/report', `/api/report${query}`)
    const mails = '/api/report/subscriptions'
    const { subscription } = (await ask('post', mails, mails, { emails: ['gis@example.org'] })) as {
      subscription: { id: number }
    }
    await ask('get', mails, mails)
    await ask('delete', `${mails}/{id}`, `${mails}/${subscription.id}`)

    const all = Object.entries(paths).flatMap(([one, operations]) =>
      Object.keys(operations).map((method) => `${method} ${one}`),
    )
    assert.deepEqual([...seen].sort(), all.sort())
  })
})
