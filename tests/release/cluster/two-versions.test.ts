import assert from 'node:assert/strict'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { makeSharedPlace } from '../../support/cluster.ts'
import { listOf } from '../../support/importer-client.ts'
import { makeLaterVersion } from '../../support/other-version.ts'
import { runSql } from '../../support/postgres.ts'
import type { TestServer } from '../../support/server.ts'
import { startServer } from '../../support/server.ts'
import { pointsText, provideFile } from '../../support/slow-sources.ts'
import { runTerrane, startTerrane, temporaryData } from '../../support/terrane-process.ts'

async function importPoints(creator: TestServer, runner: TestServer): Promise<void> {
  const data = { type: 'file', file: 'points.geojson' }
  const { json, text } = await creator.call('POST', '/rest/imports', { import: { data } })
  const id = Number(json.import?.id)
  const { status } = await runner.call('POST', `/rest/imports/${id}?async=true`)
  assert.equal(status, 204, text)
  await creator.importIn(id, ['COMPLETE'])
}

describe('servers of two versions of one catalogue', () => {
  it('work together while they are neighbours; others refuse to start and say what to do', async (t) => {
    const { dataDir, env, databaseUrl } = await makeSharedPlace(t)
    provideFile(dataDir, 'points.geojson', pointsText(1000))
    const settings = { ...env, TERRANE_DATA: dataDir }
    const old = await startServer(t, dataDir, env)
    const tooFar = startTerrane(t, ['serve', '--port', '0'], settings, makeLaterVersion(t, 2))
    const refusedUpgrade = await tooFar.ended
    assert.equal(refusedUpgrade.code, 1)
    assert.match(
      refusedUpgrade.stderr,
      /tables of the database have version 1, .* makes version 3, .*one version at a time/,
    )

    const next = await startServer(t, dataDir, env, { program: makeLaterVersion(t, 1) })
    await importPoints(old, next)
    await importPoints(next, old)
    const { json } = await next.call('GET', '/rest/nodes')
    assert.deepEqual(
      listOf(json.nodes).map(({ schemaVersion }) => Number(schemaVersion)),
      [1, 2],
    )
    assert.equal((await old.call('GET', '/health/ready')).status, 200)
    await old.stop()
    const oldAgain = await startServer(t, dataDir, env)
    await importPoints(oldAgain, oldAgain)
    await Promise.all([oldAgain.stop(), next.stop()])

    const later = await startServer(t, dataDir, env, { program: makeLaterVersion(t, 2) })
    const late = await runTerrane(t, ['serve', '--port', '0'], settings)
    assert.equal(late.code, 1)
    assert.match(
      late.stderr,
      /its tables have version 3, this program knows version 1.*one version at a time/,
    )
    assert.equal(listOf((await later.call('GET', '/rest/layers')).json.layers?.layer).length, 3)
    await later.stop()
    const [row] = await runSql(databaseUrl, "select value from settings where name = 'schema-version'")
    assert.equal(row?.['value'], '3')
  })
})

describe('a server with other files than the catalogue', () => {
  it('refuses to start while another runs, and after it if the catalogue names files; adopting them is possible', async (t) => {
    const { dataDir, env } = await makeSharedPlace(t)
    const first = await startServer(t, dataDir, env)
    const other = temporaryData(t)
    cpSync(join(dataDir, 'secret.key'), join(other, 'secret.key'))
    const settings = { ...env, TERRANE_DATA: other }
    const refused = await runTerrane(t, ['serve', '--port', '0'], settings)
    assert.equal(refused.code, 1)
    assert.match(
      refused.stderr,
      /The data directory \S+ \(TERRANE_DATA\) does not hold the files .*no file files\.id .*the server on \S+ \(process \d+\) uses others.*shared file system/,
    )
    const dataStore = { name: 'file', type: 'GeoPackage', connectionParameters: {} }
    const made = await first.call('POST', '/rest/workspaces/default/datastores', { dataStore })
    assert.equal(made.status, 201, made.text)
    await first.stop()
    writeFileSync(join(other, 'files.id'), 'another\n')
    const missing = await runTerrane(t, ['serve', '--port', '0'], settings)
    assert.match(
      missing.stderr,
      /belongs to another catalogue, and 1 stores of the catalogue have files there.*adopt-files/,
    )
    rmSync(join(other, 'files.id'))
    const adopted = await runTerrane(t, ['nodes', 'adopt-files'], settings)
    assert.equal(adopted.code, 0, adopted.stderr)
    const second = await startServer(t, other, env)
    await second.stop()
    const back = await runTerrane(t, ['serve', '--port', '0'], { ...env, TERRANE_DATA: dataDir })
    assert.equal(back.code, 1)
  })
})
