import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FedMonitoring } from '../../support/fed-monitoring.ts'
import { requestAt, startFed } from '../../support/fed-monitoring.ts'
import { ask, listLayers, namesOf } from '../../support/listed-layers.ts'
import { databases, makeRoles } from '../../support/monitoring-client.ts'

async function feedWeek(fed: FedMonitoring): Promise<void> {
  const { app, mapserver } = fed.services
  const roads = { type: 'layer', name: 'ws:roads' } as const
  const trees = { type: 'layer', name: 'ws:trees' } as const
  const of = (time: string, count: number, resources: (typeof roads | typeof trees)[], errorType?: string) =>
    Array.from({ length: count }, (_, index) =>
      requestAt(time, {
        serviceId: index % 2 === 0 ? app : mapserver,
        resources,
        ...(errorType === undefined ? {} : { errorType, status: 500 }),
      }),
    )
  await fed.feed({
    events: [
      ...of('2026-10-20T10:00:00Z', 50, [roads]),
      ...of('2026-11-01T10:00:00Z', 3, [roads, trees]),
      ...of('2026-11-14T09:00:00Z', 4, [trees]),
      ...of('2026-11-14T12:20:00Z', 1, [trees]),
      ...of('2026-11-14T12:50:00Z', 7, [trees]),
      ...of('2026-11-21T12:20:00Z', 6, [roads]),
      ...of('2026-11-21T12:32:00Z', 9, [], 'Broken'),
      requestAt('2026-11-21T12:32:00Z', { serviceId: app, status: 404 }),
      requestAt('2026-11-21T12:32:00Z', { serviceId: app, status: 499 }),
    ],
  })
}

for (const [database, environment] of Object.entries(databases)) {
  describe(`requests in lists on ${database}`, () => {
    it('are those of the last 30 days by day, as metric data have them', async (test) => {
      const fed = await startFed(test, await environment())
      await listLayers(fed.server, [
        { workspace: 'ws', name: 'roads' },
        { workspace: 'ws', name: 'trees' },
        { workspace: 'ws', name: 'unused' },
      ])
      await feedWeek(fed)
      const { page } = await ask(fed.server, 'sort=requests')
      assert.deepEqual(
        page.layers.map(({ name, requests }) => [name, requests?.total]),
        [
          ['trees', 15],
          ['roads', 9],
          ['unused', 0],
        ],
      )
      const data = await fed.call(
        'GET',
        '/api/metric_data/request.count/?valid_from=2026-10-23&valid_to=2026-11-22&interval=86400&group_by=resource',
      )
      const periods = JSON.parse(data.text).data.data as {
        data: { resource: { name: string }; val: string }[]
      }[]
      for (const { name, requests } of page.layers) {
        const counted = periods.map(({ data }) =>
          Number(data.find(({ resource }) => resource.name === `ws:${name}`)?.val ?? 0),
        )
        assert.deepEqual(requests?.days, counted, name)
      }
      const [falling, rising] = await Promise.all(
        ['desc', 'asc'].map((order) => namesOf(fed.server, `sort=requests&order=${order}`)),
      )
      assert.deepEqual(rising, falling?.toReversed())
      const next = (await ask(fed.server, 'sort=requests&limit=1')).page.next ?? ''
      assert.deepEqual(await namesOf(fed.server, next), ['roads'])
    })

    it('grow with the days', async (test) => {
      const fed = await startFed(test, await environment())
      await listLayers(fed.server, [{ workspace: 'ws', name: 'roads' }])
      await feedWeek(fed)
      const total = async () => (await ask(fed.server, '')).page.layers[0]?.requests
      assert.equal((await total())?.total, 9)
      for (const days of [1, 9, 3, 40]) {
        fed.clock.advance(days * 86_400_000)
        const { app } = fed.services
        const created = fed.clock.now().getTime() - 120_000
        const event = requestAt('2026-11-21T00:00:00Z', {
          serviceId: app,
          resources: [{ type: 'layer', name: 'ws:roads' }],
        })
        await fed.feed({ events: [{ ...event, created }] })
        const found = await total()
        const day = Math.floor(created / 86_400_000)
        const data = await fed.call(
          'GET',
          `/api/metric_data/request.count/?valid_from=${dateOf(day - 29)}&valid_to=${dateOf(day + 1)}&interval=2592000&group_by=resource`,
        )
        const [period] = JSON.parse(data.text).data.data as {
          data: { resource: { name: string }; val: string }[]
        }[]
        const counted = period?.data.find(({ resource }) => resource.name === 'ws:roads')?.val
        assert.equal(found?.total, Number(counted), `${days} days later`)
        assert.equal(found?.days.at(-1), 1)
      }
    })
  })

  describe(`the state of things on ${database}`, () => {
    it('tells requests of today and of a week ago by this time, alerts, imports and layers', async (test) => {
      const fed = await startFed(test, await environment())
      await feedWeek(fed)
      const roles = await makeRoles(fed.server)
      await listLayers(fed.server, [
        { workspace: 'ws', name: 'roads', isPublic: true },
        { workspace: 'ws', name: 'trees' },
      ])
      await fed.server.app.inject({
        method: 'POST',
        url: '/rest/imports',
        headers: roles.admin,
        payload: { import: {} },
      })
      const stateOf = async (headers: Record<string, string>, query = '') => {
        const reply = await fed.server.app.inject({ url: `/rest/state${query}`, headers })
        assert.equal(reply.statusCode, 200, reply.body)
        return reply.json().state
      }
      const admin = await stateOf(roles.admin)
      assert.deepEqual(admin.requests, {
        today: { from: '2026-11-21T00:00:00.000Z', to: '2026-11-21T12:34:00.000Z', requests: 17, failed: 10 },
        weekAgo: { from: '2026-11-14T00:00:00.000Z', to: '2026-11-14T12:34:00.000Z', requests: 5, failed: 0 },
      })
      assert.deepEqual(admin.imports, { states: { PENDING: 1 }, tasks: {} })
      assert.equal(admin.alerts.level, 'error')
      assert.equal(admin.layers.total, 2)
      const berlin = await stateOf(roles.user, '?zone=Europe/Berlin')
      assert.equal(berlin.requests.today.from, '2026-11-20T23:00:00.000Z')
      assert.equal(berlin.imports, undefined)
      assert.deepEqual(Object.keys(await stateOf({})), ['time', 'zone', 'layers'])
      assert.deepEqual((await stateOf({})).layers, { total: 1, public: 1 })
      const wrong = await fed.server.app.inject({ url: '/rest/state?zone=Mars', headers: roles.admin })
      assert.equal(wrong.statusCode, 400)
    })
  })
}

function dateOf(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10)
}
