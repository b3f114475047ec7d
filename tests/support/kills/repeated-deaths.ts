import assert from 'node:assert/strict'
import type { Cleanup } from '../terrane-process.ts'
import { keptTables, prepareLoad, runImport, startWithLayer } from './loads.ts'
import { MortalServer } from './mortal-server.ts'
import { contentOf } from './part-files.ts'

/** Asserts that a load with which the server dies three times ends with the reason, and runs when it is requested again. */
export async function givesUp(t: Cleanup, type: string): Promise<void> {
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
}
