import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { feature } from '../../support/bad-input.ts'
import { getAddresses } from '../../support/get-addresses.ts'
import type { ImporterClient } from '../../support/importer-client.ts'
import { startImporter } from '../../support/importer-client.ts'
import { startPostgres } from '../../support/postgres.ts'
import { importRaster } from '../../support/rasters.ts'

const owsPath = /^(?!\/rest\/).*\/(wms|wfs|wcs|wmts|ows|tms)(?=[/?]|$)/
/** Words of drivers and of the system that do not help users. */
const foreignWords =
  /ECONN|ENOTFOUND|57P0|Connection terminated|connection timeout|127\.0\.0\.1:\d+|connect |SQLITE|pg_|stack|terminating connection/

async function publishSamples(client: ImporterClient): Promise<number> {
  const { app, admin, dataDir } = client.server
  const created = await client.call('POST', '', { import: {} })
  const id = Number(created.json.import?.id)
  const content = [1, 2, 3].map((n) => JSON.stringify(feature({ n }))).join('\n')
  assert.equal((await client.upload(id, [{ name: 'places.ndjson', content }])).status, 201)
  assert.equal((await client.call('POST', `/${id}`)).status, 204)
  cpSync('tests/fixtures/raster/RGB.byte.tif', join(dataDir, 'incoming', 'RGB.byte.tif'))
  await importRaster(client, 'RGB.byte.tif')
  const opened = await app.inject({
    method: 'PUT',
    url: '/rest/workspaces/default',
    headers: admin,
    payload: { workspace: { public: true } },
  })
  assert.equal(opened.statusCode, 200, opened.body)
  return id
}

interface Reply {
  caller: string
  url: string
  status: number
  headers: Record<string, unknown>
  text: string
}

/** Sends a request to every URL for every caller, one after the other. */
async function askAll(
  { server }: ImporterClient,
  urls: readonly string[],
  callers: Record<string, Record<string, string>>,
): Promise<Reply[]> {
  const replies: Reply[] = []
  for (const [caller, headers] of Object.entries(callers)) {
    for (const url of urls) {
      const {
        statusCode: status,
        headers: outgoingHttpHeaders,
        body: text,
      } = await server.app.inject({ url, headers })
      replies.push({ caller, url, status, headers: outgoingHttpHeaders, text })
    }
  }
  return replies
}

/** Returns the fault in a response of a server that has lost its catalogue, or undefined if there is none. */
function faultOf({ url, status, headers, text }: Reply): string | undefined {
  if (status === 500) return '500'
  if (status < 400) return undefined
  const type = String(headers['content-type'])
  if (foreignWords.test(text) && !type.includes('html')) return `foreign words: ${text.slice(0, 300)}`
  if (status !== 503) return undefined
  if (!(Number(headers['retry-after']) > 0)) return 'no Retry-After'
  if (owsPath.test(url) && !/xml/.test(type)) return `no exception document but ${type}`
  const isReadiness = url === '/health/ready' && text.includes('"code":"server-not-ready"')
  const isExpected = isReadiness || text.includes('"code":"database-away"')
  if (type.includes('json') && !url.startsWith('/monitoring') && !isExpected)
    return `another code: ${text.slice(0, 200)}`
  return undefined
}

/** Sends every POST request that is allowed without a session. */
async function postAll({ server }: ImporterClient): Promise<Reply[]> {
  const form = 'application/x-www-form-urlencoded'
  const xml = `<GetFeature service="WFS" version="2.0.0" xmlns="http://www.opengis.net/wfs/2.0"><Query typeNames="default:places"/></GetFeature>`
  const posts: [url: string, type: string, payload: string][] = [
    ['/wfs', 'text/xml', xml],
    ['/ows', 'text/xml', xml],
    ['/wms', form, 'service=WMS&request=GetCapabilities'],
    ['/wcs', form, 'service=WCS&request=GetCapabilities'],
    ['/rest/security/session', 'application/json', '{"session":{"user":"admin","password":"another one"}}'],
    ['/rest/layers/default:places/exports', 'application/json', '{"export":{"format":"GeoPackage"}}'],
  ]
  const replies: Reply[] = []
  for (const [url, type, payload] of posts) {
    const reply = await server.app.inject({ method: 'POST', url, headers: { 'content-type': type }, payload })
    const { statusCode: status, headers, body: text } = reply
    assert.ok(status >= 400, `${url}: ${status} ${text}`)
    replies.push({ caller: 'anonymous', url, status, headers, text })
  }
  return replies
}

async function logIn({ server }: ImporterClient): Promise<Record<string, string>> {
  const [user, password] = Buffer.from(server.admin.authorization.slice(6), 'base64').toString().split(':')
  const { headers } = await server.app.inject({
    method: 'POST',
    url: '/rest/security/session',
    payload: { session: { user, password } },
  })
  return { cookie: String(headers['set-cookie']).split(';', 1)[0] ?? '' }
}

function assertNoFaults(when: string, replies: readonly Reply[]): void {
  const faults = replies.flatMap((reply) => {
    const fault = faultOf(reply)
    return fault === undefined ? [] : [`${when}, ${reply.caller}: ${reply.url}: ${fault}`]
  })
  assert.deepEqual(faults, [])
}

async function startWithCatalogue(t: TestContext) {
  const cluster = await startPostgres()
  t.after(() => cluster.stop())
  const env = { TERRANE_DATABASE_URL: await cluster.createDatabase(), TERRANE_MONITORING: 'on' }
  return { cluster, client: await startImporter(t, { env }) }
}

describe('a server whose catalogue database is away', () => {
  it('answers every read 503 with Retry-After, or from what it has, and all of them when it is back', {
    timeout: 300_000,
  }, async (t) => {
    const { cluster, client } = await startWithCatalogue(t)
    const importId = await publishSamples(client)
    const callers = {
      anonymous: {},
      browser: { accept: 'text/html' },
      password: client.server.admin,
      session: await logIn(client),
    }
    const urls = getAddresses({
      workspace: 'default',
      layer: 'default:places',
      raster: 'default:RGB_byte',
      importId,
      style: 'point',
      store: 'default',
    })
    assert.ok(urls.length > 200, String(urls.length))
    await cluster.halt()
    const cold = await askAll(client, urls, callers)
    assertNoFaults('before anything was read', cold)
    for (const { url, status, text } of cold.filter(({ url }) => /GetMap|GetFeature&|GetCoverage/.test(url)))
      assert.equal(status, 503, `${url}: ${text}`)
    assertNoFaults('posted', await postAll(client))
    await cluster.resume()
    const back = await askAll(client, urls, callers)
    const failing = back.filter(({ status }) => status >= 500)
    assert.deepEqual(
      failing.map(({ caller, url, status, text }) => `${caller} ${url} ${status} ${text.slice(0, 200)}`),
      [],
    )
    await cluster.halt()
    assertNoFaults('after everything was read', await askAll(client, urls, callers))
  })
})
