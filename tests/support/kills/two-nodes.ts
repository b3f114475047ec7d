import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeSharedPlace } from '../cluster.ts'
import { runSql } from '../postgres.ts'
import type { TestServer } from '../server.ts'
import { startServer } from '../server.ts'
import { pointsText, provideFile } from '../slow-sources.ts'
import type { Cleanup } from '../terrane-process.ts'
import type { KillReport, KillSession } from './session.ts'
import { killAt, momentOf, nameOf, seededRandom, shownCount } from './session.ts'

const rows = 20_000
/** Generous: the later moments of a session are about the commit. */
const loadMs = 1500

/**
 * Kills one of two servers of a catalogue during a load, again and again. The other one must finish it without a request, and the
 * layer must have each row once. `report.after` counts kills after the commit.
 */
export async function killTwoNodes(
  t: Cleanup,
  session: KillSession,
  leaseSeconds?: number,
): Promise<KillReport> {
  const { dataDir, env, databaseUrl } = await makeSharedPlace(t)
  const settings = leaseSeconds === undefined ? env : { ...env, TERRANE_LEASE_SECONDS: String(leaseSeconds) }
  provideFile(dataDir, 'points.geojson', pointsText(rows))
  const random = seededRandom(session.seed)
  const start = (): Promise<TestServer> => startServer(t, dataDir, settings)
  const nodes = [await start(), await start()]
  const report = { before: 0, after: 0 }
  for (let number = 0; number < session.kills; number += 1) {
    const victim = random() < 0.5 ? 0 : 1
    const [killed, other] = [nodes[victim], nodes[1 - victim]]
    assert.ok(killed !== undefined && other !== undefined)
    const data = { type: 'file', file: 'points.geojson' }
    const { json, text } = await other.call('POST', '/rest/imports', { import: { data } })
    const id = Number(json.import?.id ?? assert.fail(text))
    const moment = momentOf(number, session, random, loadMs)
    const where = `seed ${session.seed}, kill ${number} ${nameOf(moment)}`
    await killAt(killed, id, moment)
    const isCommitted = await hasLayer(other, number)
    report[isCommitted ? 'after' : 'before'] += 1
    await finishImport(other, id, where)
    assert.ok(await hasLayer(other, number), where)
    await assertRows(databaseUrl, number, where)
    nodes[victim] = await start()
  }
  await Promise.all(nodes.map((node) => node.stop()))
  return report
}

function layerName(number: number): string {
  return number === 0 ? 'points' : `points${number - 1}`
}

async function hasLayer(server: TestServer, number: number): Promise<boolean> {
  const count = await shownCount(server, `default:${layerName(number)}`)
  assert.ok(count === 0 || count === rows, `${count} rows`)
  return count === rows
}

/** Waits until the import is complete. A run that was killed before it was recorded is requested again. */
async function finishImport(server: TestServer, id: number, where: string): Promise<void> {
  const { json } = await server.call('GET', `/rest/imports/${id}`)
  if (['READY', 'PENDING'].includes(String(json.import?.state))) {
    // The request of the killed server may just have been recorded: then the answer is 409.
    await server.call('POST', `/rest/imports/${id}?async=true`)
    await sleep(50)
  }
  const done = await server.importIn(id, ['COMPLETE', 'COMPLETE_ERROR'])
  assert.equal(done.state, 'COMPLETE', `${where}: ${JSON.stringify(done)}`)
}

async function assertRows(url: string, number: number, where: string): Promise<void> {
  const [counts] = await runSql(
    url,
    `select count(*)::int as all, count(distinct row)::int as different from ws_default.${layerName(number)}`,
  )
  assert.deepEqual(counts, { all: rows, different: rows }, where)
  const [tables] = await runSql(
    url,
    "select count(*)::int as count from information_schema.tables where table_schema = 'ws_default'",
  )
  assert.equal(tables?.['count'], number + 1, where)
}
