import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { describe, it } from 'node:test'
import { startServer, userAndPassword } from '../../support/server.ts'
import { temporaryData } from '../../support/terrane-process.ts'
import { until } from '../../support/until.ts'
import { pointsJson } from '../../support/versioned-layers.ts'

const type = 'application/offset+octet-stream'
const rows = 20_000
const authorization = `Basic ${Buffer.from(userAndPassword).toString('base64')}`

describe('a resumable upload', () => {
  it('goes on after kills of the server, from the offset that it tells, and becomes its layer', async (t) => {
    const dataDir = temporaryData(t)
    const start = () => startServer(t, dataDir)
    const content = Buffer.from(
      pointsJson(Array.from({ length: rows }, (_, at) => [`p${at}`, at % 90, at % 45])),
    )
    let server = await start()
    const metadata = `filename ${Buffer.from('places.geojson').toString('base64')}`
    const ask = (
      method: string,
      path: string,
      headers: Record<string, string> = {},
      body?: Buffer<ArrayBuffer>,
    ) =>
      fetch(`${server.url}${path}`, {
        method,
        headers: { authorization, ...headers },
        ...(body === undefined ? {} : { body }),
      })
    const begun = await ask('POST', '/rest/uploads', {
      'upload-length': String(content.length),
      'upload-metadata': metadata,
    })
    assert.equal(begun.status, 201)
    const path = new URL(begun.headers.get('location') ?? '').pathname
    const offsetNow = async () => Number((await ask('HEAD', path)).headers.get('upload-offset'))
    /** Begins a piece that does not end; it is refused as long as the lock of a killed server counts. */
    const open = (offset: number, end: number): { isRefused: boolean } => {
      const piece = { isRefused: false }
      const headers = {
        authorization,
        'content-type': type,
        'upload-offset': offset,
        'content-length': content.length - offset,
      }
      const sent = httpRequest(`${server.url}${path}`, { method: 'PATCH', headers }, () => {
        piece.isRefused = true
      })
      sent.on('error', () => undefined)
      sent.write(content.subarray(offset, end))
      return piece
    }
    for (const share of [0.2, 0.5, 0.7]) {
      const offset = await offsetNow()
      const end = Math.floor(content.length * share)
      let piece = open(offset, end)
      await until(async () => {
        if (piece.isRefused) piece = open(offset, end)
        return (await offsetNow()) > offset
      })
      await server.kill()
      server = await start()
      assert.ok((await offsetNow()) > offset)
    }
    // The lock of the killed server counts for some seconds.
    await until(async () => {
      const offset = await offsetNow()
      if (offset === content.length) return true
      const piece = Buffer.from(content.subarray(offset))
      await ask('PATCH', path, { 'content-type': type, 'upload-offset': String(offset) }, piece)
      return false
    })
    const upload = [path.split('/').at(-1)]
    const made = await server.call('POST', '/rest/imports', { import: { data: { type: 'file', upload } } })
    assert.equal(made.status, 201, made.text)
    const url = `/rest/imports/${Number(made.json.import?.id)}`
    await server.call('POST', url)
    assert.match((await server.call('GET', url)).text, /"state":"COMPLETE"/)
    const found = await server.call('GET', '/ogc/collections/default:places/items?limit=1')
    assert.match(found.text, new RegExp(`"numberMatched":${rows}\\b`))
  })
})
