import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stores } from '../../../src/stores/registry.ts'
import { changeSessions, killSessions } from '../../support/kills/kill-sessions.ts'
import { killLoads, killTargets } from '../../support/kills/loads.ts'
import { givesUp } from '../../support/kills/repeated-deaths.ts'
import type { KillSession } from '../../support/kills/session.ts'

/** A load that replaces, and one that appends. `npm run test:kill` runs a configurable number, `npm run test:release` 200. */
const session = { seed: 20260729, kills: 2 }
/** The first format is killed in each mode of a load. Each of these kills takes three imports. */
const fileSeed = 20260731
const fileKills = (type: string): number => (type === firstServed ? 3 : 1)
const firstServed = stores.find(({ can }) => !can.takesLoads)?.type

describe('a server that is killed while it serves files as they are', { concurrency: true }, () => {
  for (const { type, can } of stores) {
    if (can.takesLoads) continue
    it(`leaves layers of ${type} as they were or as they are meant to be, and never touches the file`, async (t) => {
      const fileSession = { seed: fileSeed, kills: fileKills(type) }
      const { before, after } = (await killSessions[type]?.(t, fileSession)) ?? { before: 0, after: 0 }
      assert.equal(before + after, fileSession.kills)
    })
  }
})

/** One store begins with a dry run, the other with a stopped load. */
const changeSession: Record<string, KillSession> = {
  GeoPackage: { seed: 20260731, kills: 2 },
  PostGIS: { seed: 20260733, kills: 1 },
}

describe('a server that is killed while it compares, tries out or stops loads', { concurrency: true }, () => {
  for (const [type, run] of Object.entries(changeSessions)) {
    it(`leaves ${type} as it was or as it is meant to be, keeps what it says, and nothing else`, async (t) => {
      const session = changeSession[type] ?? { seed: 20260735, kills: 1 }
      const { before, after } = await run(t, session)
      assert.equal(before + after, session.kills)
    })
  }
})

describe('a server that is killed during loads', { concurrency: true }, () => {
  for (const type of Object.keys(killTargets)) {
    it(`leaves ${type} as it was or as it is meant to be, and ends each import by itself (${session.seed})`, async (t) => {
      const { before, after } = await killLoads(t, type, session)
      assert.equal(before + after, session.kills)
    })
  }

  it('gives a load up that dies with the server three times, with the reason, and runs it when asked', (t) =>
    givesUp(t, 'PostGIS'))
})
