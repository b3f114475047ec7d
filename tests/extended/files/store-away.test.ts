import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { s3Environment, testBucket } from '../../support/file-stores.ts'
import { startS3 } from '../../support/remote-servers.ts'
import type { TestServer } from '../../support/server.ts'
import { userAndPassword } from '../../support/server.ts'
import { makeStoredServers, type StoredServers } from '../../support/stored-servers.ts'
import { runTerrane, temporaryData } from '../../support/terrane-process.ts'
import { testCleanups } from '../../support/test-cleanups.ts'
import { startTroubledProxy, type TroubledProxy } from '../../support/troubled-proxy.ts'
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

/** Uploads points to a new import. Returns the status of the upload and the id of the import. */
async function uploadPoints(server: TestServer): Promise<{ status: number; text: string; id: number }> {
  const made = await server.call('POST', '/rest/imports', { import: {} })
  const id = Number(made.json.import?.id)
  const body = new FormData()
  body.append('file', new Blob([points]), 'points.geojson')
  const path = `${server.url}/rest/imports/${id}/tasks`
  const sent = await fetch(path, { method: 'POST', headers: { authorization }, body })
  return { status: sent.status, text: await sent.text(), id }
}

/** Makes a download of the layer. Returns the path of the file. */
async function makeDownload(server: TestServer): Promise<string> {
  const path = `${server.url}/ogc/collections/default:points/download?f=csv`
  const accepted = await fetch(path, { headers: { authorization, prefer: 'respond-async' } })
  assert.equal(accepted.status, 202, await accepted.text())
  const at = new URL(accepted.headers.get('location') ?? '').pathname
  await until(async () => String((await server.call('GET', at)).json.download?.state) === 'COMPLETE')
  return `${at}/file`
}

describe('a server whose object store fails', () => {
  const cleanups = testCleanups()
  let servers: StoredServers
  let server: TestServer
  let proxy: TroubledProxy
  let file: string
  before(async () => {
    const store = await startS3(cleanups, testBucket)
    proxy = await startTroubledProxy(cleanups, Number(new URL(store).port))
    servers = await makeStoredServers(cleanups, `http://127.0.0.1:${proxy.port}`)
    server = await servers.start()
    const { id } = await uploadPoints(server)
    assert.equal((await server.call('POST', `/rest/imports/${id}`)).status, 204)
    file = await makeDownload(server)
  })
  after(() => cleanups.run())

  for (const trouble of ['refused', 'unavailable'] as const)
    it(`responds with 503 to requests for its files only while the store is ${trouble}`, async () => {
      proxy.set(trouble)
      const whole = await fetch(server.url + file, { headers: { authorization } })
      const { code } = (await whole.json()) as { code: string }
      assert.deepEqual([whole.status, code], [503, 'files-unavailable'])
      assert.equal(whole.headers.get('content-disposition'), null)
      assert.ok(Number(whole.headers.get('retry-after')) > 0)
      const upload = await uploadPoints(server)
      assert.equal(upload.status, 503, upload.text)
      assert.match(upload.text, /files-unavailable/)
      const items = await server.call('GET', '/ogc/collections/default:points/items?f=json')
      assert.deepEqual([items.status, items.json.numberMatched], [200, 3], items.text)
      assert.equal((await server.call('GET', '/tiles/default:points/0/0/0.mvt')).status, 200)
      proxy.set('none')
      assert.equal((await server.call('GET', file)).status, 200)
    })

  it('ends a run whose files cannot be read with an error that says so', async () => {
    const { id } = await uploadPoints(server)
    // A server without local copies of the file.
    const other = await servers.start()
    await server.stop()
    server = other
    proxy.set('refused')
    await server.call('POST', `/rest/imports/${id}?async=true`)
    const ended = await server.importIn(id, ['COMPLETE_ERROR', 'COMPLETE', 'PENDING'])
    assert.equal(ended.tasks?.[0]?.state, 'ERROR', JSON.stringify(ended))
    assert.match(String(ended.tasks?.[0]?.errorMessage), /The store of files cannot be reached/)
    proxy.set('none')
    const items = await server.call('GET', '/ogc/collections/default:points/items?f=json')
    assert.equal(items.json.numberMatched, 3, items.text)
  })

  it('is refused at the start and reported by doctor, with the setting, if the bucket does not exist', async (t) => {
    const env = {
      ...servers.env,
      ...s3Environment(servers.endpoint, 'cluster'),
      TERRANE_FILES: 's3://no-such-bucket/cluster',
      TERRANE_DATA: temporaryData(t),
    }
    const started = await runTerrane(t, ['serve', '--port', '0'], env)
    assert.equal(started.code, 1)
    assert.match(started.stderr, /Files cannot be stored: TERRANE_FILES names a bucket that does not exist/)
    const examined = await runTerrane(t, ['doctor'], env)
    assert.equal(examined.code, 1)
    assert.match(examined.stdout, /TERRANE_FILES names a bucket that does not exist/)
  })

  it('refuses a bucket that has the files of another installation', async (t) => {
    const other = {
      ...servers.env,
      TERRANE_FILES: `s3://${testBucket}/other`,
      TERRANE_DATA: temporaryData(t),
    }
    const started = await runTerrane(t, ['serve', '--port', '0'], other)
    assert.equal(started.code, 1)
    assert.match(
      started.stderr,
      /The bucket s3:\/\/terrane-files\/other\/ \(TERRANE_FILES\) does not hold the files/,
    )
  })
})
