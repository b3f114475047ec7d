import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FedMonitoring } from '../../support/fed-monitoring.ts'
import { requestAt, startFed } from '../../support/fed-monitoring.ts'
import { databases } from '../../support/monitoring-client.ts'

const roads = { type: 'layer', name: 'ws:roads' } as const
const sheet = { type: 'map', name: 'sheet' } as const
const home = { type: 'url', name: '/home' } as const
const picture = { type: 'style', name: 'dots' } as const

/** Two days ago, yesterday and today. */
async function feedThree(fed: FedMonitoring): Promise<void> {
  const { app, mapserver } = fed.services
  const wms = { serviceId: mapserver, eventType: 'OWS:WMS', country: 'ITA' } as const
  await fed.feed({
    events: [
      requestAt('2026-11-19T10:00:00Z', { ...wms, resources: [roads, picture] }),
      requestAt('2026-11-20T10:00:00Z', { ...wms, resources: [sheet], status: 404 }),
      requestAt('2026-11-21T10:00:00Z', {
        serviceId: app,
        eventType: 'view',
        resources: [home],
        errorType: 'Broken',
      }),
    ],
  })
}

async function namesOf(fed: FedMonitoring, list: 'labels' | 'resources', query: string): Promise<string[]> {
  const { status, text } = await fed.call('GET', `/api/${list}/?${query}`)
  assert.equal(status, 200, text)
  const body = JSON.parse(text)
  assert.deepEqual(Object.keys(body), [list])
  return body[list].map((one: { name: string }) => one.name).sort()
}

for (const [name, environment] of Object.entries(databases)) {
  describe(`resources and labels on ${name}`, () => {
    it('lists resources with their id, type and name, by type, metric and time', async (test) => {
      const fed = await startFed(test, await environment())
      assert.deepEqual(await namesOf(fed, 'resources', ''), [])
      await feedThree(fed)
      const { text } = await fed.call('GET', '/api/resources')
      const { resources } = JSON.parse(text)
      assert.deepEqual(
        resources.map(({ id, ...rest }: { id: number }) => ({ isId: Number.isInteger(id), ...rest })),
        [roads, picture, sheet, home].map((one) => ({ isId: true, ...one })),
      )
      const found = (query: string) => namesOf(fed, 'resources', query)
      assert.deepEqual(await found('resource_type=layer'), ['ws:roads'])
      assert.deepEqual(await found('resource_type=document'), [])
      assert.deepEqual(await found('metric_name=request.count'), ['/home', 'dots', 'sheet', 'ws:roads'])
      assert.deepEqual(await found('metric_name=request.country'), ['/home', 'dots', 'sheet', 'ws:roads'])
      assert.deepEqual(await found('valid_from=2026-11-20'), ['/home', 'sheet'])
      assert.deepEqual(await found('valid_to=2026-11-20'), ['dots', 'ws:roads'])
      assert.deepEqual(await found('valid_to=2026-11-19T10:01'), ['dots', 'ws:roads'])
      assert.deepEqual(await found('valid_to=2026-11-19T10:00:59'), [])
      assert.deepEqual(await found('valid_from=2026-11-19T10:00:01&valid_to=2026-11-20T12:00'), ['sheet'])
      assert.deepEqual(await found('last=86400'), ['/home'])
      assert.deepEqual(await found('last=172800&resource_type=map&metric_name=response.status'), ['sheet'])
    })

    it('lists labels with their id and name, by metric and time', async (test) => {
      const fed = await startFed(test, await environment())
      await feedThree(fed)
      const { text } = await fed.call('GET', '/api/labels?metric_name=request.country')
      const { labels } = JSON.parse(text)
      assert.deepEqual(Object.keys(labels[0]), ['id', 'name'])
      const found = (query: string) => namesOf(fed, 'labels', query)
      const all = await found('')
      for (const one of ['200', '404', 'ITA', 'GET', 'count', 'value', 'Broken'])
        assert.ok(all.includes(one), one)
      assert.deepEqual(await found('metric_name=response.status'), ['200', '404'])
      assert.deepEqual(await found('metric_name=response.status&valid_from=2026-11-20&valid_to=2026-11-21'), [
        '404',
      ])
      assert.deepEqual(await found('metric_name=response.error.types'), ['Broken'])
      assert.deepEqual(await found('metric_name=response.error.types&valid_to=2026-11-21'), [])
      assert.deepEqual(await found('metric_name=response.time'), ['value'])
      assert.ok((await found('valid_from=2026-11-21')).includes('Broken'))
      assert.ok(!(await found('valid_to=2026-11-21')).includes('Broken'))
    })
  })
}

describe('failures of the lists of resources and labels', () => {
  it('names the field that is wrong in the envelope', async (test) => {
    const fed = await startFed(test)
    for (const [path, field] of [
      ['resources?metric_name=request.counts', 'metric_name'],
      ['resources?resource_type=geonode', 'resource_type'],
      ['resources?resource_type=layer&resource_type=map', 'resource_type'],
      ['resources?valid_from=then', 'valid_from'],
      ['resources?valid_from=2026-11-20&valid_to=2026-11-19', 'valid_to'],
      ['resources?last=59', 'last'],
      ['resources?last=60&valid_to=2026-11-20', '__all__'],
      ['labels?metric_name=x', 'metric_name'],
      ['labels?valid_to=1', 'valid_to'],
      ['labels?interval=1', 'interval'],
    ] as const) {
      const { status, text } = await fed.call('GET', `/api/${path}`)
      assert.equal(status, 400, path)
      const { errors, ...rest } = JSON.parse(text)
      assert.deepEqual(rest, { status: 'error', success: false, data: [] })
      assert.deepEqual(Object.keys(errors), [field], path)
    }
  })

  it('takes empty parameters for absent ones', async (test) => {
    const fed = await startFed(test)
    const path = '/api/resources/?metric_name=&resource_type=&valid_from=&valid_to=&last='
    assert.equal((await fed.call('GET', path)).status, 200)
  })

  it('carries the envelope in the dialect of older systems', async (test) => {
    const fed = await startFed(test, { TERRANE_DIALECT: 'geoserver' })
    for (const key of ['resources', 'labels']) {
      const { [key]: list, ...rest } = JSON.parse((await fed.call('GET', `/api/${key}/`)).text)
      assert.ok(Array.isArray(list))
      assert.deepEqual(rest, { status: 'ok', success: true, errors: {}, data: { key } })
      assert.equal((await fed.call('GET', `/api/${key}/?valid_from=11/19/2026 10:00`)).status, 200)
    }
  })
})
