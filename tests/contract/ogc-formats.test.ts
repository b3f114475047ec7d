import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../support/app.ts'
import { createTestApp } from '../support/app.ts'
import { importPoints } from '../support/versioned-layers.ts'

const collection = '/ogc/collections/default:spots'
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

describe('formats of answers below /ogc', () => {
  let server: TestApp
  before(async () => {
    server = await createTestApp()
    await importPoints(server, {
      name: 'spots',
      points: [
        ['one', 1, 2],
        ['two', 3, 4],
      ],
    })
  })
  after(() => server.close())
  const get = (path: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
    server.app.inject({ method, url: path, headers: { ...server.admin, ...headers } })

  const documents = [
    '/ogc',
    '/ogc/conformance',
    '/ogc/api',
    '/ogc/collections',
    collection,
    `${collection}/schema`,
    `${collection}/queryables`,
    `${collection}/items`,
    `${collection}/items/1`,
    `${collection}/tiles`,
    `${collection}/tiles/WebMercatorQuad`,
    '/ogc/tileMatrixSets',
    '/ogc/tileMatrixSets/WebMercatorQuad',
  ]

  it('are JSON where nothing, anything or JSON is asked for, and say that Accept counts', async () => {
    for (const path of documents) {
      const plain = await get(path)
      const type = String(plain.headers['content-type'])
      assert.match(type, /^application\/([\w.]+\+)?json/, path)
      assert.match(String(plain.headers.vary), /(^|, )Accept(,|$)/, path)
      for (const accept of ['*/*', 'application/*', 'application/json', type])
        assert.equal((await get(path, { accept })).headers['content-type'], type, `${path} ${accept}`)
      for (const headers of [{}, { accept: 'image/png' }, { accept: browser }])
        assert.equal((await get(`${path}?f=json`, headers)).headers['content-type'], type, path)
    }
  })

  it('are refused by name where they are not offered', async () => {
    for (const path of documents) {
      for (const f of ['gif', '', '__proto__']) {
        const reply = await get(`${path}?f=${f}`)
        assert.equal(reply.statusCode, 400, path)
        const { code, detail } = reply.json<{ code: string; detail: string }>()
        assert.equal(code, 'unknown-format')
        assert.match(detail, /expected one of (geo)?json/)
      }
      const reply = await get(path, { accept: 'image/png, text/turtle;q=0.5' })
      assert.equal(reply.statusCode, 406, path)
      assert.equal(reply.json<{ code: string }>().code, 'not-acceptable')
      assert.match(String(reply.headers.vary), /Accept/)
    }
  })

  it('are described where they are offered', async () => {
    const api = (await get('/ogc/api')).json<{
      paths: Record<string, { get: { parameters: { name?: string; schema?: { enum: string[] } }[] } }>
    }>()
    for (const path of ['/', '/collections', '/collections/{collectionId}/items']) {
      const f = api.paths[path]?.get.parameters.find(({ name }) => name === 'f')
      assert.ok(f?.schema?.enum.length, path)
    }
  })
})
