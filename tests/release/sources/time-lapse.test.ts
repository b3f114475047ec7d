import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import { Lapse, type LapseOptions, type LapseRuns, liveThrough } from '../../support/sources/lapse.ts'

const days = 50

/** The clocks of Europe skip an hour on 29 March 2026, on the 19th day. */
const options: Omit<LapseOptions, 'nodes'> = {
  firstDay: Date.UTC(2026, 2, 10),
  days,
  faults: (day) => ({
    webFailures: day % 9 === 0 ? 2 : 0,
    busy: day % 11 === 0 ? 1 : 0,
    isKilled: day % 10 === 5,
  }),
}

function check(runs: LapseRuns): void {
  for (const [name, all] of Object.entries(runs)) {
    const outcomes = all.map(({ outcome, message }) =>
      outcome === 'loaded' ? outcome : `${outcome}: ${message}`,
    )
    assert.deepEqual(
      outcomes,
      Array.from({ length: days }, () => 'loaded'),
      name,
    )
    assert.equal(new Set(all.map(({ due }) => due)).size, days, `${name}: each time once`)
  }
  const due = runs.web.map((run) => run.due)
  assert.ok(due.includes('2026-03-29T01:00:00.000Z'), 'the skipped hour runs once at its end')
}

async function checkLayers(lapse: Lapse): Promise<void> {
  assert.deepEqual(await lapse.values('web', 'name'), [`day ${days}`, 'same'])
  assert.deepEqual(
    (await lapse.values('folder', 'gid')).map(Number).sort((a, b) => a - b),
    Array.from({ length: days }, (_, index) => index + 1),
  )
  assert.equal((await lapse.values('service', 'kind')).length, 5)
}

describe('three sources over 50 days with kills, faults and a change of the clocks', () => {
  it('run exactly once each on an embedded catalogue', async (test) => {
    const lapse = new Lapse(test)
    check(await liveThrough(test, lapse, { ...options, nodes: 1 }))
    await checkLayers(lapse)
  })

  it('run exactly once each on two servers of one PostgreSQL', async (test) => {
    const lapse = new Lapse(test, { TERRANE_DATABASE_URL: await createCatalogDatabase() })
    check(await liveThrough(test, lapse, { ...options, nodes: 2 }))
    await checkLayers(lapse)
  })
})
