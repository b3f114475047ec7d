import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { findMetric } from '../../src/monitoring/metrics/metrics.ts'
import type { Breach, Comparison } from '../../src/monitoring/notify/comparisons/comparison.ts'
import { comparisons } from '../../src/monitoring/notify/comparisons/comparisons.ts'
import { compareBreaches } from '../../src/monitoring/notify/evaluate/evaluate.ts'
import type { NotificationClient } from '../support/notification-client.ts'
import { createCheck, readConfig, startNotifications, threshold } from '../support/notification-client.ts'
import { ownDatabasePlace, watchChecks } from '../support/watched-checks.ts'

const metric = findMetric('request.count') ?? assert.fail()
const now = Date.parse('2026-11-21T12:00:00Z')
const numbers = [0, 0.5, 1, 59, 60, 3600, 100_000]

/**
 * Returns the breach that a comparison reports for a metric that has this value and was last measured that
 * many seconds ago.
 */
function breachOf(comparison: Comparison, limit: number, value: number): Breach | undefined {
  const found = { value, lastValidTo: now / 1000 - value }
  return comparison.findBreach({ limit, metric, found, isCollected: true, now })
}

for (const comparison of comparisons) {
  const { name } = comparison
  const field = `request.count.${name}`

  describe(`comparison ${name}, as a rule`, () => {
    it('holds where the value equals the limit, and is broken by some value', () => {
      for (const value of numbers) assert.equal(breachOf(comparison, value, value), undefined)
      const broken = numbers.flatMap((limit) =>
        numbers.filter((value) => breachOf(comparison, limit, value) !== undefined),
      )
      assert.ok(broken.length > 0)
    })

    it('knows which of two breaches is worse: it breaks every limit that the other breaks', () => {
      for (const one of numbers)
        for (const other of numbers) {
          const both = numbers.flatMap((limit) => {
            const [first, second] = [one, other].map((value) => breachOf(comparison, limit, value))
            return first && second ? [[first, second] as const] : []
          })
          for (const [first, second] of both) {
            const order = compareBreaches(first, second, comparison)
            assert.equal(compareBreaches(second, first, comparison) + order, 0)
            if (order <= 0) continue
            for (const limit of numbers)
              if (breachOf(comparison, limit, other)) assert.ok(breachOf(comparison, limit, one))
          }
        }
    })

    it('is told in a sentence, with the limit as people read it', () => {
      const limit = comparison.limit.readable(60, metric)
      assert.match(limit, /\d/)
      for (const value of [undefined, ...numbers]) {
        const text = comparison.describe({ value, metric, limit, more: '', span: 'from 11:59 to 12:00 UTC' })
        assert.ok(text.includes(limit) && text.endsWith('.'), text)
        assert.doesNotMatch(text, /undefined|NaN/)
      }
    })

    it('reads a limit that was typed, and nothing that is not a number', () => {
      for (const limit of numbers) assert.equal(comparison.limit.parse(String(limit)), limit)
      for (const text of ['', 'x', 'NaN', 'Infinity', '1e5', '1,5'])
        assert.equal(comparison.limit.parse(text), undefined, text)
    })
  })

  describe(`comparison ${name}, in a check`, () => {
    let client: NotificationClient
    before(async () => {
      client = await startNotifications({ after: () => undefined })
    })
    after(() => client.server.close())

    /** Creates a check with one field and that limit. */
    async function create(title: string, limit: number | undefined): Promise<number> {
      const id = await createCheck(client, `${name} ${title}`, threshold({ option: name, max: null }))
      if (limit !== undefined) {
        const path = `/api/notifications/config/${id}/`
        assert.equal((await client.call('POST', path, { [field]: limit })).status, 200)
      }
      return id
    }

    it('is set, shown and sent back unchanged; an empty text and a null switch it off', async () => {
      const id = await create('limits', 120)
      const path = `/api/notifications/config/${id}/`
      const [before] = (await readConfig(client, id)).fields
      assert.deepEqual([before?.field_option, before?.is_enabled], [name, true])
      const shown = before?.current_value
      const text = typeof shown === 'string' ? shown : String(Object(shown).seconds)
      assert.equal(Number(text), 120)
      await client.call('POST', path, { [field]: text })
      assert.deepEqual((await readConfig(client, id)).fields[0], before)
      for (const nothing of ['', null]) {
        await client.call('POST', path, { [field]: nothing })
        assert.equal((await readConfig(client, id)).fields[0]?.is_enabled, false)
        await client.call('POST', path, { [field]: text })
        assert.equal((await readConfig(client, id)).fields[0]?.is_enabled, true)
      }
      const wrong = await client.call('POST', path, { [field]: 'x' })
      assert.deepEqual([wrong.status, wrong.json.errors], [400, { [field]: ['Enter a number.'] }])
    })

    it('is an input with its unit in the form, and described where fields are', async () => {
      const id = await create('form', undefined)
      const { form, fields } = await readConfig(client, id)
      assert.ok(form.includes(`<input type="number" name="${field}"`))
      const unit = comparison.limit.unit(metric)
      assert.equal(fields[0]?.unit, unit)
      assert.ok(form.includes(unit === '' ? 'is lower than:' : `is lower than (${unit}):`))
      const description = JSON.stringify((await client.server.app.inject('/openapi.json')).json())
      assert.ok(description.includes(JSON.stringify(`Reports a problem if ${comparison.isProblemWhen}`)))
    })

    it('is evaluated: what breaks it is a problem with its numbers, what does not is none', async (t) => {
      const watched = await watchChecks(t, await ownDatabasePlace(t, 'sqlite'))
      const bounds = {
        min: null,
        max: null,
        steps: null,
        usesService: false,
        usesResource: false,
        usesLabel: false,
        usesOwsService: false,
      }
      const definition = { metric: metric.name, option: name, description: 'Wanted:', bounds }
      await watched.add([], { definitions: [{ ...definition, threshold: { value: 60 } }] })
      const found = []
      for (const [value, secondsAgo] of [[undefined], [0, 1_000_000], [1_000_000, 0]]) {
        watched.set(value, secondsAgo)
        await watched.pass(1)
        found.push((await watched.notifications.problems())[0]?.problems[0])
      }
      const problems = found.filter((one) => one !== undefined)
      assert.ok(problems.length > 0 && problems.length < found.length)
      for (const { message, description, offendingValue, thresholdValue } of problems) {
        assert.equal(message, `Wanted: ${comparison.limit.readable(60, metric)}`)
        assert.match(description, /^Number of requests: .*\.$/)
        assert.match(offendingValue, /^(?:-?\d+\.\d{4}|never)$/)
        assert.equal(thresholdValue, '60.0000')
      }
    })
  })
}
