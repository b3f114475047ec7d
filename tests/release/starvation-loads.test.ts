import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { killTargets, prepareLoad, startWithStore } from '../support/kills/loads.ts'
import { contentOf, rowCount, writeParts } from '../support/kills/part-files.ts'
import { shownCount } from '../support/kills/session.ts'
import type { TestServer } from '../support/server.ts'
import { startServer } from '../support/server.ts'
import { openStarvation } from '../support/starve.ts'

/** Limit of the wait for the end of an import. */
const patienceMs = 600_000

async function complete(server: TestServer, id: number): Promise<void> {
  const done = await server.importIn(id, ['COMPLETE', 'COMPLETE_ERROR'], patienceMs)
  assert.equal(done.state, 'COMPLETE', JSON.stringify(done))
}

describe('a server with a quarter of a processor', () => {
  for (const type of Object.keys(killTargets)) {
    it(`loads into ${type}, also after it was killed in the middle of a load`, async (t) => {
      const starve = openStarvation(t)
      const { dataDir, server: first, target } = await startWithStore(t, type)
      writeParts(join(dataDir, 'incoming'), ['a', 'c'])
      await first.stop()

      let server = await startServer(t, dataDir, {}, { onSpawn: starve })
      const created = await prepareLoad(server, target, { mode: 'CREATE', layer: 'places', part: 'c' })
      await server.call('POST', `/rest/imports/${created}?async=true`)
      await complete(server, created)
      assert.deepEqual(await target.content('places'), contentOf('c'))

      for (const phase of [/"phase":"loading"/, /"phase":"committing"/]) {
        const id = await prepareLoad(server, target, { mode: 'REPLACE', layer: 'places', part: 'a' })
        const reached = await server.watch(id)
        const running = server.call('POST', `/rest/imports/${id}?async=true`).catch(() => undefined)
        assert.ok(await reached(phase), `the load came to ${phase}`)
        await server.kill()
        await running
        server = await startServer(t, dataDir, {}, { onSpawn: starve })
        await complete(server, id)
        assert.deepEqual(await target.content('places'), contentOf('a'))
        assert.equal(await shownCount(server, `${target.name}:places`), rowCount(contentOf('a')))
      }
      await server.stop()
    })
  }
})
