import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stores } from '../../../src/stores/registry.ts'
import { changeSessions, killSessions } from '../../support/kills/kill-sessions.ts'
import {
  keptTables,
  killLoads,
  killTargets,
  prepareLoad,
  runImport,
  startWithLayer,
} from '../../support/kills/loads.ts'
import { MortalServer } from '../../support/kills/mortal-server.ts'
import { contentOf } from '../../support/kills/part-files.ts'
import type { KillSession } from '../../support/kills/session.ts'

/** Each mode of a load. `npm run test:kill` runs a configurable number, `npm run test:release` 200. */
/** `scripts/kill.ts` kills 200 times. */
const session = { seed: 20260729, kills: 3 }
/** Each of these kills takes three imports. */
const fileSession = { seed: 20260731, kills: 3 }

describe('a server that is killed while it serves files as they are', { concurrency: true }, () => {
  for (const { type, can } of stores) {
    if (can.takesLoads) continue
    it(`leaves layers of ${type} as they were or as they are meant to be, and never touches the file`, async (t) => {
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

    it(`gives a load into ${type} up that dies with the server three times, with the reason, and runs it when asked`, async (t) => {
      const { dataDir, server: first, target } = await startWithLayer(t, type, ['a', 'b'])
      const old = contentOf('a')
      const id = await prepareLoad(first, target, { mode: 'REPLACE', layer: 'places', part: 'b' })
      await first.stop()
      const server = new MortalServer(t, dataDir, {})
      await server.start()
      assert.ok(await server.dieAt('load.staged', () => server.now.call('POST', `/rest/imports/${id}`)))
      for (let death = 1; death < 3; death += 1) await server.startAndDieAt('load.staged')
      await server.start()
      const ended = await server.now.importIn(id, ['COMPLETE', 'COMPLETE_ERROR'])
      assert.equal(ended.state, 'COMPLETE_ERROR', JSON.stringify(ended))
      assert.match(String(ended.tasks?.[0]?.errorMessage), /3 times, and the server process died/)
      assert.deepEqual(await target.content('places'), old)
      await target.assertClean(['places'], keptTables(dataDir))
      await runImport(server.now, id)
      await server.now.importIn(id, ['COMPLETE'])
      assert.deepEqual(await target.content('places'), contentOf('b'))
      await target.assertClean(['places'], keptTables(dataDir))
      await server.stop()
    })
  }
})
