import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeRoles, startMonitoring } from '../../support/monitoring-client.ts'

type Least = 'user' | 'staff' | 'admin'

/** Every route of monitoring with the least role that may call it, and that in the dialect of older systems. */
const routes: [method: string, path: string, least: Least, older?: Least][] = [
  ['GET', '/api/hosts', 'user'],
  ['GET', '/api/hosts/:id', 'user'],
  ['POST', '/api/hosts', 'admin'],
  ['PUT', '/api/hosts/:id', 'admin'],
  ['DELETE', '/api/hosts/:id', 'admin'],
  ['GET', '/api/services', 'user'],
  ['GET', '/api/services/:id', 'user'],
  ['POST', '/api/services', 'admin'],
  ['PUT', '/api/services/:id', 'admin'],
  ['DELETE', '/api/services/:id', 'admin'],
  ['GET', '/api/metrics', 'user'],
  ['GET', '/api/resource_types', 'user', 'admin'],
  ['GET', '/api/event_types', 'user', 'admin'],
  ['GET', '/api/resources', 'user', 'admin'],
  ['GET', '/api/labels', 'user', 'admin'],
  ['GET', '/api/metric_data/:metric', 'user', 'admin'],
  ['GET', '/api/status', 'user'],
  ['GET', '/api/exceptions', 'staff'],
  ['GET', '/api/exceptions/:id', 'staff'],
  ['GET', '/api/notifications', 'user'],
  ['POST', '/api/notifications', 'staff'],
  ['GET', '/api/notifications/config/:id', 'staff'],
  ['POST', '/api/notifications/config/:id', 'staff'],
  ['DELETE', '/api/notifications/config/:id', 'staff'],
  ['GET', '/api/notifications/config/:id/deliveries', 'staff'],
  ['POST', '/api/notifications/config/:id/test', 'staff'],
  ['POST', '/api/autoconfigure', 'staff'],
  ['GET', '/api/report', 'user', 'admin'],
  ['GET', '/api/report/subscriptions', 'staff'],
  ['POST', '/api/report/subscriptions', 'staff'],
  ['DELETE', '/api/report/subscriptions/:id', 'staff'],
  ['GET', '/api/load', 'admin'],
  ['POST', '/api/load', 'admin'],
]

const roles = ['anonymous', 'user', 'staff', 'admin'] as const

describe('access to monitoring', () => {
  for (const dialect of ['contract', 'geoserver'] as const)
    it(`is given by role on every route, in the dialect ${dialect}`, async (test) => {
      const { call, server } = await startMonitoring(test, { env: { TERRANE_DIALECT: dialect } })
      const headers = await makeRoles(server)
      for (const [method, path, least, older = least] of routes) {
        const needed = dialect === 'geoserver' ? older : least
        const isHidden = needed !== least
        for (const role of roles) {
          const answer = await call(method, path.replace(/:\w+/, '99'), undefined, headers[role])
          const refused = role === 'anonymous' && !isHidden ? 401 : 403
          const isAllowed = roles.indexOf(role) >= roles.indexOf(needed)
          const what = `${method} ${path} as ${role}: ${answer.status}`
          if (isAllowed) assert.ok(![401, 403].includes(answer.status), what)
          else assert.equal(answer.status, refused, what)
          if (!isAllowed && isHidden) assert.equal(answer.text, '{"error":"unauthorized_request"}')
        }
      }
    })

  it('is written down here for every route that there is', async (test) => {
    const { server } = await startMonitoring(test)
    const { paths } = (await server.app.inject('/openapi.json')).json()
    const found = Object.entries<object>(paths)
      // Indexes lead on to the others, and are for everyone.
      .filter(([path]) => path.startsWith('/monitoring/api/'))
      .flatMap(([path, operations]) => {
        const name = path.slice('/monitoring'.length).replace(/\{(\w+)\}/g, ':$1')
        return Object.keys(operations).map((method) => `${method.toUpperCase()} ${name}`)
      })
    const known = routes.map(([method, path]) => `${method} ${path}`)
    assert.deepEqual(found.toSorted(), known.toSorted())
  })
})
