import assert from 'node:assert/strict'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { SaxesParser } from 'saxes'
import { fillCatalogue } from '../../../bench/many-layers.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'

const layers = 1200
const documents: Record<string, [path: string, each: RegExp, times: number]> = {
  'WMS 1.3.0': ['/wms?service=WMS&request=GetCapabilities', /<Layer queryable/g, 1],
  'WMS 1.1.1': ['/wms?service=WMS&request=GetCapabilities&version=1.1.1', /<Layer queryable/g, 1],
  'WFS 2.0.0': ['/wfs?service=WFS&request=GetCapabilities', /<FeatureType /g, 1],
  'WFS 1.1.0': ['/wfs?service=WFS&request=GetCapabilities&version=1.1.0', /<FeatureType /g, 1],
  schemas: ['/wfs?service=WFS&version=2.0.0&request=DescribeFeatureType', /<xs:complexType /g, 1],
  WMTS: ['/wmts?service=WMTS&request=GetCapabilities', /<Layer>/g, 1],
  TMS: ['/gwc/service/tms/1.0.0', /<TileMap /g, 9],
}

describe('capabilities of many layers', () => {
  let server: TestApp
  before(async () => {
    server = await createTestApp()
    await fillCatalogue(server, layers)
    await server.app.listen({ host: '127.0.0.1', port: 0 })
  })
  after(() => server.close())

  const address = (path: string): string =>
    `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}${path}`

  for (const [name, [path, each, times]] of Object.entries(documents))
    it(`tell all of them, well-formed, plain and compressed: ${name}`, async () => {
      const headers = { ...server.admin, 'accept-encoding': 'identity' }
      const reply = await fetch(address(path), { headers })
      const text = await reply.text()
      assert.equal(reply.status, 200, text.slice(0, 300))
      // Streamed while it is written, so its length is not known in advance.
      assert.equal(reply.headers.get('content-length'), null)
      assert.equal(text.match(each)?.length, layers * times)
      const parser = new SaxesParser()
      parser.on('error', (error) => assert.fail(error.message))
      parser.write(text).close()
      const compressed = await server.app.inject({
        url: path,
        headers: { ...server.admin, host: new URL(address(path)).host, 'accept-encoding': 'gzip' },
      })
      assert.equal(compressed.headers['content-encoding'], 'gzip')
      assert.equal(gunzipSync(compressed.rawPayload).toString(), text)
    })

  it('are given up where the client has gone, and told anew to the next', async () => {
    const path = address('/wmts?service=WMTS&request=GetCapabilities')
    for (let round = 0; round < 5; round += 1)
      await new Promise<void>((resolve, reject) => {
        const request = get(path, { headers: server.admin }, (reply) => {
          reply.once('data', () => {
            request.destroy()
            resolve()
          })
        })
        request.once('error', reject)
      })
    const reply = await fetch(path, { headers: server.admin })
    assert.match(await reply.text(), /<\/Capabilities>\n$/)
  })

  it('have a length where they are short, and no body for HEAD', async () => {
    const url = '/wcs?service=WCS&request=GetCapabilities'
    const { headers, rawPayload } = await server.app.inject({ url, headers: server.admin })
    assert.equal(Number(headers['content-length']), rawPayload.length)
    for (const [path] of Object.values(documents)) {
      const head = await fetch(address(path), { method: 'HEAD', headers: server.admin })
      assert.deepEqual([head.status, await head.text()], [200, ''])
    }
  })
})
