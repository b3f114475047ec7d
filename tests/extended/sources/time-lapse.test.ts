import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type DayFaults, Lapse, liveThrough } from '../../support/sources/lapse.ts'

/** The clocks of Europe skip an hour on 29 March 2026, the fourth day. */
const firstDay = Date.UTC(2026, 2, 25)
const faults: DayFaults[] = [
  {},
  { webFailures: 2, busy: 2 },
  { service: 'html' },
  { service: 'truncated', isKilled: true },
  { service: 'schema' },
  { service: 'repeated' },
  {},
]
const days = faults.length

describe('three sources over a week with faults, a kill and a change of the clocks', () => {
  it('run exactly once each, and end with the data of the last day', async (test) => {
    const lapse = new Lapse(test)
    const runs = await liveThrough(test, lapse, {
      firstDay,
      days,
      nodes: 1,
      faults: (day) => faults[day - 1] ?? {},
    })
    const loaded = Array.from({ length: days }, () => 'loaded')
    const outcomes = (all: typeof runs.web) => all.map(({ outcome, code }) => code ?? outcome).reverse()
    assert.deepEqual(outcomes(runs.web), loaded)
    assert.deepEqual(outcomes(runs.folder), loaded)
    // Another attempt cannot correct what the service itself describes wrongly.
    assert.deepEqual(outcomes(runs.service), loaded.with(4, 'schema-changed').with(5, 'duplicate-features'))
    for (const [name, all] of Object.entries(runs))
      assert.equal(new Set(all.map(({ due }) => due)).size, days, `${name}: each time once`)
    // The time of 26 March was missed too: one run for both.
    assert.deepEqual(
      runs.web.map(({ due }) => due).reverse(),
      [25, 27, 28]
        .map((day) => `2026-03-${day}T01:30:00.000Z`)
        .concat('2026-03-29T01:00:00.000Z')
        .concat(['30', '31'].map((day) => `2026-03-${day}T00:30:00.000Z`))
        .concat('2026-04-01T00:30:00.000Z'),
    )
    const attempts = (all: typeof runs.web, day: number) => all.at(-day)?.attempts ?? 0
    assert.ok(attempts(runs.service, 3) > 1, 'an HTML answer is tried again')
    assert.ok(attempts(runs.service, 4) > 1, 'a truncated page is read again')

    assert.deepEqual(await lapse.values('web', 'name'), [`day ${days}`, 'same'])
    assert.deepEqual(
      (await lapse.values('folder', 'gid')).map(Number),
      Array.from({ length: days }, (_, index) => index + 1),
    )
    assert.equal((await lapse.values('service', 'kind')).length, 5)
  })
})
