import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { s3Environment } from '../../support/file-stores.ts'
import { testCluster } from '../../support/postgres.ts'
import type { TestServer } from '../../support/server.ts'
import { startServer, userAndPassword } from '../../support/server.ts'
import { makeStoredServers } from '../../support/stored-servers.ts'
import { runTerrane, temporaryData } from '../../support/terrane-process.ts'
import { until } from '../../support/until.ts'

const authorization = `Basic ${Buffer.from(userAndPassword).toString('base64')}`
const points = JSON.stringify({
  type: 'FeatureCollection',
  features: [0, 1, 2].map((id) => ({
    type: 'Feature',
    properties: { id },
    geometry: { type: 'Point', coordinates: [id, id] },
  })),
})

/** Creates an import with an uploaded file. Returns its id. */
async function uploadPoints(server: TestServer): Promise<number> {
  const made = await server.call('POST', '/rest/imports', { import: {} })
  const id = Number(made.json.import?.id)
  const body = new FormData()
  body.append('file', new Blob([points]), 'points.geojson')
  const path = `${server.url}/rest/imports/${id}/tasks`
  const sent = await fetch(path, { method: 'POST', headers: { authorization }, body })
  assert.equal(sent.status, 201, await sent.text())
  return id
}

/** Makes a download of the layer. Returns its path. */
async function makeDownload(server: TestServer): Promise<string> {
  const path = `${server.url}/ogc/collections/default:points/download?f=csv`
  const accepted = await fetch(path, { headers: { authorization, prefer: 'respond-async' } })
  assert.equal(accepted.status, 202, await accepted.text())
  const at = new URL(accepted.headers.get('location') ?? '').pathname
  await until(async () => String((await server.call('GET', at)).json.download?.state) === 'COMPLETE')
  return at
}

describe('a backup of an installation whose files are in a bucket', () => {
  it('restores uploads and downloads into another database and bucket', async (t) => {
    const servers = await makeStoredServers(t)
    const dataDir = temporaryData(t)
    const server = await startServer(t, dataDir, servers.env)
    const loaded = await uploadPoints(server)
    assert.equal((await server.call('POST', `/rest/imports/${loaded}`)).status, 204)
    const waiting = await uploadPoints(server)
    const download = await makeDownload(server)
    const backup = join(temporaryData(t), 'terrane.tar')
    const settings = { ...servers.env, TERRANE_DATA: dataDir }
    const without = Object.fromEntries(Object.entries(settings).filter(([name]) => name !== 'TERRANE_FILES'))
    const refused = await runTerrane(t, ['backup', backup, '--without-key'], without)
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /files of the catalogue are in a bucket: set TERRANE_FILES/)
    const made = await runTerrane(t, ['backup', backup, '--without-key'], settings)
    assert.equal(made.code, 0, made.stderr)
    const expected = await server.call('GET', `${download}/file`)
    assert.equal(expected.status, 200, expected.text)
    await server.stop()

    const restored = {
      ...servers.env,
      ...s3Environment(servers.endpoint, 'restored'),
      TERRANE_DATABASE_URL: await (await testCluster()).createDatabase(),
      TERRANE_DATA: join(temporaryData(t), 'elsewhere'),
    }
    const used = await runTerrane(t, ['restore', backup], {
      ...restored,
      ...s3Environment(servers.endpoint, 'cluster'),
    })
    assert.equal(used.code, 1)
    assert.match(used.stderr, /The bucket s3:\/\/terrane-files\/cluster\/ \(TERRANE_FILES\) is not empty/)
    const done = await runTerrane(t, ['restore', backup], restored)
    assert.equal(done.code, 0, done.stderr)
    const second = await startServer(t, restored.TERRANE_DATA, restored)
    assert.equal((await second.call('GET', `${download}/file`)).text, expected.text)
    assert.equal((await second.call('POST', `/rest/imports/${waiting}`)).status, 204)
    assert.equal((await second.importIn(waiting, ['COMPLETE'])).tasks?.[0]?.rowsLoaded, 3)
  })
})
