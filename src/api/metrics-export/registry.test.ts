import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createEventBus } from '../../core/events/events.ts'
import { MetricsExport } from './metrics-export.ts'
import { exportedMetrics } from './registry.ts'

describe('a number of /metrics', () => {
  for (const { name, help } of exportedMetrics) {
    it(`${name} describes itself under a valid name of its own, and is told with its type`, async () => {
      assert.match(name, /^terrane(_[a-z]+)+$/)
      assert.match(help, /^[A-Z1].*\.$/)
      assert.equal(exportedMetrics.filter((one) => one.name === name).length, 1)
      const sources = {
        events: createEventBus(() => undefined),
        version: '1',
        node: { id: 'a', host: 'b' },
        clockSkewMs: () => 0,
        loads: () => ({ running: 0, queued: 0 }),
        monitoringLoad: () => ({ waiting: 0, dropped: 0, isDegraded: false, collectionAge: 1 }),
        sources: () => ({ idle: 1 }),
        freeSpace: async () => ({ freeBytes: 1, totalBytes: 2 }),
      }
      const metrics = new MetricsExport(sources)
      const text = await metrics.text()
      metrics.close()
      assert.ok(text.includes(`# HELP ${name} ${help}\n`))
      const type = new RegExp(`^# TYPE ${name} (counter|gauge|histogram)$`, 'm').exec(text)?.[1]
      assert.equal(type === 'counter', name.endsWith('_total'))
    })
  }
})
