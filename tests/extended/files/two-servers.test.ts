import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestServer } from '../../support/server.ts'
import { userAndPassword } from '../../support/server.ts'
import type { StoredServers } from '../../support/stored-servers.ts'
import { makeStoredServers } from '../../support/stored-servers.ts'
import { testCleanups } from '../../support/test-cleanups.ts'
import { until } from '../../support/until.ts'

const authorization = `Basic ${Buffer.from(userAndPassword).toString('base64')}`
const tus = { 'tus-resumable': '1.0.0', authorization }

const years = JSON.stringify({
  type: 'FeatureCollection',
  features: Array.from({ length: 30 }, (_, row) => ({
    type: 'Feature',
    properties: { name: `n${row}`, year: row === 7 ? 'none' : String(1990 + row) },
    geometry: { type: 'Point', coordinates: [row, row] },
  })),
})
const points = JSON.stringify({
  type: 'FeatureCollection',
  features: [0, 1, 2].map((id) => ({
    type: 'Feature',
    properties: { id },
    geometry: { type: 'Point', coordinates: [id, id] },
  })),
})

/** Creates an upload at one server. Returns its path. */
async function createUpload({ url }: TestServer, name: string, length: number): Promise<string> {
  const metadata = `filename ${Buffer.from(name).toString('base64')}`
  const reply = await fetch(`${url}/rest/uploads`, {
    method: 'POST',
    headers: { ...tus, 'upload-length': String(length), 'upload-metadata': metadata },
  })
  assert.equal(reply.status, 201, await reply.text())
  return new URL(reply.headers.get('location') ?? '').pathname
}

async function sendPiece(
  { url }: TestServer,
  path: string,
  offset: number,
  piece: Uint8Array,
): Promise<number> {
  const reply = await fetch(url + path, {
    method: 'PATCH',
    headers: { ...tus, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
    body: Buffer.from(piece),
  })
  await reply.text()
  return reply.status
}

async function offsetOf({ url }: TestServer, path: string): Promise<number> {
  const reply = await fetch(url + path, { method: 'HEAD', headers: tus })
  return Number(reply.headers.get('upload-offset'))
}

describe('two servers that share PostgreSQL and an object store only', () => {
  const cleanups = testCleanups()
  let servers: StoredServers
  let first: TestServer
  let second: TestServer
  before(async () => {
    servers = await makeStoredServers(cleanups)
    first = await servers.start()
    second = await servers.start()
  })
  after(() => cleanups.run())

  it('receive the parts of an upload in turn and import it', async () => {
    const bytes = Buffer.from(points)
    const path = await createUpload(first, 'points.geojson', bytes.length)
    assert.equal(await sendPiece(first, path, 0, bytes.subarray(0, 50)), 204)
    assert.equal(await offsetOf(second, path), 50)
    assert.equal(await sendPiece(second, path, 10, bytes.subarray(10)), 409)
    assert.equal(await sendPiece(second, path, 50, bytes.subarray(50)), 204)
    const upload = [path.split('/').at(-1)]
    const body = { import: { data: { type: 'file', upload }, archive: true } }
    const made = await first.call('POST', '/rest/imports', body)
    assert.equal(made.status, 201, made.text)
    const id = Number(made.json.import?.id)
    assert.match(made.text, /"state":"READY"/)
    const run = await second.call('POST', `/rest/imports/${id}`)
    assert.equal(run.status, 204, run.text)
    const done = await first.importIn(Number(id), ['COMPLETE'])
    assert.equal(done.tasks?.[0]?.rowsLoaded, 3)
    const items = await second.call('GET', '/ogc/collections/default:points/items?f=json')
    assert.equal(items.json.numberMatched, 3, items.text)
  })

  it('show and correct the rows that the other one rejected', async () => {
    const made = await first.call('POST', '/rest/imports', { import: {} })
    const id = Number(made.json.import?.id)
    const form = new FormData()
    form.append('file', new Blob([years]), 'years.geojson')
    const sent = await fetch(`${first.url}/rest/imports/${id}/tasks`, {
      method: 'POST',
      headers: { authorization },
      body: form,
    })
    assert.equal(sent.status, 201, await sent.text())
    const rows = await second.call('GET', `/rest/imports/${id}/tasks/0/rows?limit=3`)
    assert.equal(rows.status, 200, rows.text)
    assert.match(rows.text, /n0/)
    const columns = { type: 'DateFormatTransform', field: 'year', format: 'yyyy' }
    const added = await second.call('POST', `/rest/imports/${id}/tasks/0/transforms`, columns)
    assert.equal(added.status, 201, added.text)
    const run = await second.call('POST', `/rest/imports/${id}`)
    assert.equal(run.status, 204, run.text)
    const done = await second.importIn(Number(id), ['COMPLETE', 'COMPLETE_ERROR'])
    assert.equal(done.tasks?.[0]?.rejected, 1, JSON.stringify(done))
    for (const server of [first, second]) {
      const rejects = await server.call('GET', `/rest/imports/${id}/tasks/0/rejects?f=csv`)
      assert.equal(rejects.status, 200, rejects.text)
      assert.match(rejects.text, /none/)
    }
    const removed = await first.call('DELETE', `/rest/imports/${id}`)
    assert.equal(removed.status, 200, removed.text)
    assert.equal((await second.call('GET', `/rest/imports/${id}/tasks/0/rejects`)).status, 404)
  })

  it('send the files that the other one made, whole, in parts, or by a signed address', async () => {
    const path = '/ogc/collections/default:points/download?f=csv'
    const accepted = await fetch(first.url + path, { headers: { authorization, prefer: 'respond-async' } })
    assert.equal(accepted.status, 202, await accepted.text())
    const at = new URL(accepted.headers.get('location') ?? '').pathname
    await until(async () => String((await second.call('GET', at)).json.download?.state) === 'COMPLETE')
    const whole = await fetch(`${second.url}${at}/file`, { headers: { authorization } })
    const text = await whole.text()
    assert.equal(whole.status, 200, text)
    const range = { authorization, range: 'bytes=2-5', 'if-range': whole.headers.get('etag') ?? '' }
    const part = await fetch(`${second.url}${at}/file`, { headers: range })
    assert.equal(part.status, 206)
    assert.equal(await part.text(), text.slice(2, 6))
    const third = await servers.start({ TERRANE_FILES_REDIRECT: 'on' })
    const sent = await fetch(`${third.url}${at}/file`, { headers: { authorization }, redirect: 'manual' })
    assert.equal(sent.status, 307)
    const signed = await fetch(sent.headers.get('location') ?? '')
    assert.equal(await signed.text(), text)
    assert.match(signed.headers.get('content-disposition') ?? '', /points/)
    assert.equal((await first.call('DELETE', at)).status, 200)
    assert.equal((await second.call('GET', at)).status, 404)
  })
})
