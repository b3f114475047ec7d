import assert from 'node:assert/strict'
import { totalmem } from 'node:os'
import { describe, it } from 'node:test'
import { fixedClock } from '../../support/fixed-clock.ts'
import type { Json } from '../../support/importer-client.ts'
import { listOf } from '../../support/importer-client.ts'
import { databases, startMonitoring } from '../../support/monitoring-client.ts'
import { startNodeExporter } from '../../support/prometheus.ts'
import { startWebServer } from '../../support/web-server.ts'

const minute = 60_000
const window = 'valid_from=2026-03-01T12:00:00Z&valid_to=2026-03-01T12:05:00Z&interval=300'

for (const [kind, environment] of Object.entries(databases)) {
  describe(`metrics of hosts on ${kind}`, () => {
    it('are had of this machine, of a node exporter and of a GeoServer, each as a service of its own', async (test) => {
      const clock = fixedClock('2026-03-01T12:00:30Z')
      const { call, server } = await startMonitoring(test, { env: await environment(), clock })
      let received = 1000
      const geoserver = await startWebServer(test, (request, response) => {
        if (request.url === '/rest/about/system-status.json') received += 4000
        else return response.end('oops')
        const metric = [
          {
            name: 'NETWORK_INTERFACE_RECEIVED',
            value: `${received}`,
            description: 'Network interface [eth0] received',
          },
          { name: 'NETWORK_INTERFACE_SEND', value: '5', description: 'Network interface [eth0] send' },
          { name: 'MEMORY_TOTAL', value: '1000' },
          { name: 'MEMORY_FREE', value: '400' },
        ]
        response.end(JSON.stringify({ metrics: { metric } }))
      })
      const sources = {
        exporter: { kind: 'node-exporter', url: await startNodeExporter(test) },
        geoserver: { kind: 'geoserver-status', url: geoserver },
        broken: { kind: 'node-exporter', url: `${geoserver}/metrics` },
      }
      await call('POST', '/api/hosts/', { name: 'elsewhere', ip: '10.0.0.5' })
      for (const [name, source] of Object.entries(sources)) {
        const made = await call('POST', '/api/services/', {
          name,
          type: 'hostmapserver',
          host: 'elsewhere',
          source,
        })
        assert.equal(made.status, 200, made.text)
      }
      for (let reading = 0; reading < 3; reading += 1) {
        if (reading > 0) clock.advance(minute)
        await server.monitoring?.catchUp()
      }
      const rowsOf = async (metric: string, service: string): Promise<Json[]> => {
        const { json, text } = await call('GET', `/api/metric_data/${metric}/?${window}&service=${service}`)
        return listOf(listOf(json.data?.data)[0]?.data ?? assert.fail(text))
      }
      const services = listOf((await call('GET', '/api/services/')).json.services)
      const own = String(services.find(({ type }) => String(type) === 'hostapp')?.name)
      for (const service of [own, 'exporter']) {
        const [memory] = await rowsOf('mem.all', service)
        assert.equal(Number(memory?.val), totalmem(), service)
        assert.equal(Number(memory?.samples_count), 3, service)
        assert.ok(
          (await rowsOf('storage.free', service)).some(({ label }) => String(label) === '/'),
          service,
        )
        const [used] = await rowsOf('cpu.usage', service)
        assert.equal(Number(used?.metric_count), 2, service)
      }
      const [traffic] = await rowsOf('network.in', 'geoserver')
      assert.equal(String(traffic?.label), 'eth0')
      assert.equal(Number(traffic?.val), 8000)
      const [rate] = await rowsOf('network.in.rate', 'geoserver')
      assert.ok(Math.abs(Number(rate?.val) - 4000 / 60) < 0.001, String(rate?.val))
      assert.equal(Number((await rowsOf('mem.usage.percent', 'geoserver'))[0]?.val), 60)
      const checked = (name: string): unknown => services.find((one) => String(one.name) === name)?.last_check
      assert.ok(checked('geoserver') != null && checked('exporter') != null)
      assert.equal(checked('broken'), null)
    })
  })
}
