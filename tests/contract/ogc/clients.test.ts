import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { request as httpRequest } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { untilTagged, untilUnchanged } from '../../support/known-answers.ts'
import type { Points } from '../../support/versioned-layers.ts'
import { importPoints } from '../../support/versioned-layers.ts'

const run = promisify(execFile)
const collection = '/ogc/collections/default:spots'
const manyPoints: Points = Array.from({ length: 2500 }, (_, at) => [`point ${at}`, at / 100, at / 200])

describe('OGC API Features for its clients', () => {
  let server: TestApp
  let url: string
  const problems: string[] = []
  before(async () => {
    server = await createTestApp()
    await importPoints(server, { name: 'spots', points: manyPoints })
    url = await server.app.listen({ host: '127.0.0.1', port: 0 })
    server.log.error = (entry: unknown) => problems.push(JSON.stringify(entry))
    server.log.warn = (entry: unknown) => problems.push(JSON.stringify(entry))
  })
  after(() => server.close())
  const get = (path: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
    server.app.inject({ method, url: path, headers: { ...server.admin, ...headers } })

  it('refuses parameters that it does not know, by their names', async () => {
    const paths = [
      '/ogc',
      '/ogc/conformance',
      '/ogc/api',
      '/ogc/collections',
      collection,
      `${collection}/schema`,
      `${collection}/items`,
      `${collection}/items/1`,
      `${collection}/file/x.tif`,
    ]
    for (const path of paths) {
      const reply = await get(`${path}?nonsense=1&__proto__=2`)
      assert.equal(reply.statusCode, 400, path)
      const { code, errors } = reply.json<{ code: string; errors: string[] }>()
      assert.equal(code, 'unknown-parameter')
      assert.deepEqual(errors.map((one) => /"(.*)"/.exec(one)?.[1]).sort(), ['__proto__', 'nonsense'])
      assert.equal(reply.headers['terrane-ignored'], undefined)
    }
    const known = 'limit=1&offset=0&bbox=0,0,90,90&datetime=..%2F..'
    assert.notEqual(
      (await get(`${collection}/items?${known}`)).json<{ code?: string }>().code,
      'unknown-parameter',
    )
    assert.equal(
      (await get(`${collection}/items/1?crs=http://www.opengis.net/def/crs/EPSG/0/3857`)).statusCode,
      200,
    )
    assert.equal((await get('/rest/layers?nonsense=1')).headers['terrane-ignored'], 'nonsense')
  })

  it('describes itself in the version that it declares', async () => {
    const landing = (await get('/ogc/')).json<{ links: { rel: string; type: string; href: string }[] }>()
    const link = landing.links.find(({ rel }) => rel === 'service-desc')
    assert.equal(link?.type, 'application/vnd.oai.openapi+json;version=3.0')
    const reply = await get(new URL(link.href).pathname)
    assert.equal(reply.headers['content-type'], 'application/vnd.oai.openapi+json;version=3.0')
    const document = reply.json<{
      openapi: string
      paths: Record<string, { get: { operationId: string } }>
      components: { parameters: Record<string, { name: string; schema: Record<string, unknown> }> }
    }>()
    assert.match(document.openapi, /^3\.0\.\d$/)
    const { conformsTo } = (await get('/ogc/conformance')).json<{ conformsTo: string[] }>()
    assert.ok(conformsTo.some((one) => one.endsWith('/conf/oas30')))
    // QGIS reads pages of a thousand where it finds this, of a hundred otherwise.
    assert.deepEqual(document.components.parameters.limit?.schema, {
      type: 'integer',
      minimum: 1,
      maximum: 10_000,
      default: 100,
    })
    assert.ok(document.paths['/collections/{collectionId}/items'])
    const script = [
      'import json, sys, jsonschema',
      'schema = json.load(open("tests/fixtures/openapi/schema-3.0.json"))',
      'errors = jsonschema.Draft4Validator(schema).iter_errors(json.loads(sys.argv[1]))',
      'print(json.dumps([[list(one.path), one.message] for one in errors]))',
    ].join('\n')
    const { stdout } = await run('/usr/bin/python3', ['-c', script, reply.body])
    assert.deepEqual(JSON.parse(stdout), [])
  })

  it('is understood by OWSLib', async () => {
    const script = [
      'import json, sys',
      'from owslib.ogcapi.features import Features',
      'from owslib.util import Authentication',
      'w = Features(sys.argv[1], auth=Authentication("admin", sys.argv[2]))',
      'a = w.api()',
      'i = w.collection_items("default:spots", limit=5)',
      'print(json.dumps([a["openapi"], w.feature_collections(), w.collection("default:spots")["id"],',
      '  len(i["features"]), i["numberMatched"], w.conformance()["conformsTo"][0]]))',
    ].join('\n')
    const { stdout } = await run('/usr/bin/python3', ['-c', script, `${url}/ogc/`, 'test-admin-password'])
    assert.deepEqual(JSON.parse(stdout).slice(0, 5), ['3.0.3', ['default:spots'], 'default:spots', 5, 2500])
  })

  it('compresses what is worth it, with the same content', async () => {
    const path = `${collection}/items?limit=2000`
    const features = (body: Buffer): unknown =>
      (JSON.parse(body.toString()) as { features: unknown }).features
    const plain = await get(path)
    assert.equal(plain.headers['content-encoding'], undefined)
    assert.match(String(plain.headers.vary), /Accept-Encoding/)
    const ways = { gzip: gunzipSync, br: brotliDecompressSync }
    for (const [encoding, decompress] of Object.entries(ways)) {
      const reply = await get(path, { 'accept-encoding': encoding })
      assert.equal(reply.headers['content-encoding'], encoding)
      assert.ok(reply.rawPayload.length * 5 < plain.rawPayload.length)
      assert.deepEqual(features(decompress(reply.rawPayload)), features(plain.rawPayload))
    }
    for (const refused of ['identity', 'gzip;q=0', 'x', ''])
      assert.equal((await get(path, { 'accept-encoding': refused })).headers['content-encoding'], undefined)
    const openapi = await get('/openapi.json', { 'accept-encoding': 'gzip, br;q=0.5' })
    assert.equal(openapi.headers['content-encoding'], 'gzip')
    assert.equal(Number(openapi.headers['content-length']), openapi.rawPayload.length)
    JSON.parse(gunzipSync(openapi.rawPayload).toString())
  })

  it('tells clients that have an answer that it still holds, and until when', async () => {
    const paths = [
      '/ogc',
      '/ogc/collections',
      collection,
      `${collection}/schema`,
      `${collection}/items?limit=3`,
      `${collection}/items/1`,
      '/rest/layers/default:spots',
      '/openapi.json',
    ]
    const etags = new Map<string, string>()
    for (const path of paths) {
      const { headers, statusCode } = await untilTagged(() => get(path))
      assert.equal(statusCode, 200)
      assert.match(String(headers['cache-control']), /no-cache/, path)
      etags.set(path, String(headers.etag))
      const again = await untilUnchanged(() => get(path, { 'if-none-match': String(headers.etag) }))
      assert.deepEqual([again.statusCode, again.body, again.headers.etag], [304, '', headers.etag], path)
    }
    assert.equal(new Set(etags.values()).size, paths.length)
    await importPoints(server, { name: 'spots', mode: 'APPEND' })
    for (const path of [`${collection}/items?limit=3`, `${collection}/items/1`, '/rest/layers/default:spots'])
      assert.equal((await get(path, { 'if-none-match': etags.get(path) ?? '' })).statusCode, 200, path)
    const missing = await get(`${collection}/items/999999`)
    assert.deepEqual([missing.statusCode, missing.headers.etag], [404, undefined])
  })

  it('answers HEAD like GET without its body, and nothing stands in the log', async () => {
    const paths = [
      '/ogc',
      '/ogc/collections',
      collection,
      `${collection}/items?limit=2000`,
      `${collection}/items/1`,
    ]
    for (const path of paths) {
      const { status, type, length } = await head(`${url}${path}`)
      assert.deepEqual([status, length], [200, 0], path)
      assert.equal(type, (await get(path)).headers['content-type'])
    }
    assert.deepEqual(problems, [])
  })

  const head = (address: string): Promise<{ status: number | undefined; type: unknown; length: number }> =>
    new Promise((resolve, reject) => {
      const sent = httpRequest(address, { method: 'HEAD', headers: server.admin }, (reply) => {
        let length = 0
        reply.on('data', (chunk: Buffer) => {
          length += chunk.length
        })
        reply.on('end', () =>
          resolve({ status: reply.statusCode, type: reply.headers['content-type'], length }),
        )
      })
      sent.on('error', reject).end()
    })
})
