import assert from 'node:assert/strict'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { startServer } from '../../../src/app/app.ts'
import { loadSettings } from '../../../src/core/config/settings.ts'
import { adminPassword } from '../../support/app.ts'
import { startNginx } from '../../support/remote-servers.ts'
import { silentLogger } from '../../support/silent-logger.ts'
import { temporaryData } from '../../support/terrane-process.ts'
import { until } from '../../support/until.ts'
import { importPoints } from '../../support/versioned-layers.ts'

const cache = (folder: string): string => `proxy_cache_path ${folder}/cache keys_zone=maps:1m;`
const tileJson = '/tiles/open:places'
const tile = '/tiles/open:places/0/0/0.mvt'

interface Answer {
  status: number
  body: string
  /** True if the response came from the cache. */
  isCached: boolean
}

/** A server with a public layer, and nginx in front that caches what it may and passes the Host header on. */
async function startBehindCache(t: TestContext, env: Record<string, string>, headers: string) {
  const settings = loadSettings({
    TERRANE_DATA: temporaryData(t),
    TERRANE_PORT: '0',
    TERRANE_SAMPLE: 'off',
    TERRANE_ADMIN_PASSWORD: adminPassword,
    TERRANE_MONITORING: 'off',
    ...env,
  })
  const server = await startServer(settings, { log: silentLogger })
  t.after(() => server.close())
  const admin = { authorization: `Basic ${btoa(`admin:${adminPassword}`)}` }
  const payload = { workspace: { name: 'open', public: true } }
  await server.app.inject({ method: 'POST', url: '/rest/workspaces', headers: admin, payload })
  await importPoints(
    { ...server, admin, dataDir: settings.data.directory },
    { workspace: 'open', name: 'places' },
  )
  const port = await startNginx(
    t,
    `location / {
      proxy_pass ${server.localUrl}; proxy_http_version 1.1; ${headers}
      proxy_cache maps; add_header X-Cache $upstream_cache_status always;
    }`,
    '',
    cache,
  )
  return (path: string, host: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path, headers: { host } }, async (answer) => {
        const isCached = answer.headers['x-cache'] === 'HIT'
        resolve({ status: answer.statusCode ?? 0, body: await text(answer), isCached })
      })
      sent.on('error', reject).end()
    })
}

/** Requests a path until nginx answers from its cache: it stores a response after the client has received it. */
async function cached(get: (path: string, host: string) => Promise<Answer>, path: string): Promise<Answer> {
  let answer = await get(path, 'maps.example.org')
  await until(async () => {
    if (!answer.isCached) answer = await get(path, 'maps.example.org')
    return answer.isCached
  })
  return answer
}

const passed = 'proxy_set_header Host $host;'

describe('a caching proxy that passes the Host header on', () => {
  it('never gives a forged host to others, and caches tiles', async (t) => {
    const get = await startBehindCache(t, {}, passed)
    for (const path of [
      tileJson,
      `${tileJson}/style.json`,
      '/wms?service=WMS&request=GetCapabilities',
      '/ogc/collections',
    ]) {
      assert.match((await get(path, 'forged.example.org')).body, /forged\.example\.org/, path)
      const honest = await get(path, 'maps.example.org')
      assert.deepEqual([honest.status, honest.isCached], [200, false], path)
      assert.doesNotMatch(honest.body, /forged/, path)
    }
    await cached(get, tile)
  })

  it('caches answers with links where the public address is set', async (t) => {
    const get = await startBehindCache(t, { TERRANE_PUBLIC_URL: 'https://maps.example.org' }, passed)
    assert.doesNotMatch((await get(tileJson, 'forged.example.org')).body, /forged/)
    const again = await cached(get, tileJson)
    assert.match(again.body, /https:\/\/maps\.example\.org\/tiles/)
  })

  it('caches them too where it is trusted and names the host itself', async (t) => {
    const named = `${passed} proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header X-Forwarded-Host maps.example.org;`
    const get = await startBehindCache(t, { TERRANE_TRUSTED_PROXIES: '127.0.0.1' }, named)
    assert.doesNotMatch((await get(tileJson, 'forged.example.org')).body, /forged/)
    const again = await cached(get, tileJson)
    assert.match(again.body, /http:\/\/maps\.example\.org\/tiles/)
  })
})
