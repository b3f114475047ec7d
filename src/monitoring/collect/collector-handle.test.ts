import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { silentLogger } from '../../../tests/support/silent-logger.ts'
import { CollectorHandle } from './collector-handle.ts'
import type { CollectedService } from './service-collector.ts'

const settings = {
  location: { path: ':memory:' },
  limits: { labels: 1, visitors: 1, resources: 1 },
  keep: { minuteDays: 1, hourDays: 1, dayDays: 1, requestDays: 1, exceptionDays: 1, maxBytes: 0 },
  privacy: 'none',
} as const
const service = 'a service' as unknown as CollectedService
const batch = { source: 'own:1', number: 1, now: 0, services: {}, requests: [], exceptions: [] }

describe('CollectorHandle', () => {
  it('fails while the thread is dead, and starts it anew with the services that it had', async (test) => {
    const entry = new URL('../../../tests/support/mortal-thread.ts', import.meta.url)
    const handle = new CollectorHandle(settings, silentLogger, entry)
    test.after(() => handle.terminate())
    await handle.setServices([service])
    assert.deepEqual((await handle.tick(0)).problems, ['a service'])
    await assert.rejects(handle.own(batch), /ended/)
    await assert.rejects(handle.tick(0), /ended/)
    for (;;) {
      await setTimeout(50)
      const report = await handle.tick(0).catch(() => undefined)
      if (report === undefined) continue
      assert.deepEqual(report.problems, ['a service'])
      return
    }
  })
})
