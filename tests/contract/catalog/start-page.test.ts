import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8'
const prefixes = ['/', '/rest', '/rest/', '/rest/security', '/monitoring', '/monitoring/api', '/ogc']

interface Index {
  name: string
  version: string
  links: { rel: string; href: string; title: string }[]
}

async function withApp(env: Record<string, string>, work: (app: TestApp) => Promise<void>): Promise<void> {
  const app = await createTestApp({ env: { TERRANE_MONITORING: 'on', ...env } })
  try {
    await work(app)
  } finally {
    await app.close()
  }
}

describe('the start page and the prefixes', () => {
  for (const base of ['', '/geo/server']) {
    it(`lead on to paths that answer, below "${base}"`, async () => {
      await withApp({ TERRANE_BASE_PATH: base }, async ({ app, admin }) => {
        for (const path of prefixes) {
          const reply = await app.inject({ url: base + path, headers: { accept: 'application/json' } })
          assert.equal(reply.statusCode, 200, base + path)
          const { links } = reply.json() as Index
          assert.ok(links.length > 1)
          for (const { href } of links) {
            const url = href.replace(/^http:\/\/[^/]+/, '')
            assert.ok(url === base || url.startsWith(`${base}/`), href)
            const led = await app.inject({ url, headers: admin })
            assert.ok(led.statusCode < 300, `${path} leads to ${url}: ${led.statusCode}`)
          }
        }
        const bare = await app.inject({ url: base === '' ? '/' : base })
        assert.equal((bare.json() as Index).name, 'Terrane')
        if (base === '') return
        const outside = await app.inject({ url: '/' })
        assert.equal(outside.statusCode, 404)
        assert.match(outside.body, /stands at \/geo\/server\//)
      })
    })
  }

  it('are JSON for programs and a page for people, which loads nothing from anywhere', async () => {
    await withApp({}, async ({ app }) => {
      for (const [accept, type] of [
        [undefined, 'application/json'],
        ['*/*', 'application/json'],
        ['application/json', 'application/json'],
        ['text/html;q=0.5, application/json', 'application/json'],
        ['image/png', 'application/json'],
        [browser, 'text/html'],
        ['text/html', 'text/html'],
        ['TEXT/HTML, */*;q=0.1', 'text/html'],
        ['text/html;q=0', 'application/json'],
      ] as const) {
        const headers = accept === undefined ? {} : { accept }
        const reply = await app.inject({ url: '/', headers })
        assert.match(String(reply.headers['content-type']), new RegExp(`^${type}`), accept)
        assert.equal(reply.headers.vary, type === 'text/html' ? 'Accept, Accept-Encoding' : 'Accept')
      }
      const page = await app.inject({ url: '/rest', headers: { accept: browser } })
      const policy = String(page.headers['content-security-policy'])
      assert.match(policy, /^default-src 'none'; style-src 'sha256-[\w+/=]+';.*frame-ancestors 'none'$/)
      assert.doesNotMatch(page.body, /<script|src=|url\(/)
      const head = await app.inject({ method: 'HEAD', url: '/' })
      assert.equal(head.statusCode, 200)
      const post = await app.inject({ method: 'POST', url: '/' })
      assert.equal(post.statusCode, 405)
    })
  })

  it('escape what comes from settings and requests', async () => {
    const env = { TERRANE_PUBLIC_URL: "https://maps.example.org/a'b&c" }
    await withApp(env, async ({ app }) => {
      const page = await app.inject({ url: '/rest', headers: { accept: browser, host: '"><script>' } })
      assert.match(page.body, /href="https:\/\/maps\.example\.org\/a&#39;b&amp;c\/rest\/imports"/)
      assert.doesNotMatch(page.body, /<script/)
      const home = await app.inject({ url: '/', headers: { accept: browser, host: '"><script>' } })
      assert.doesNotMatch(home.body, /"><script>|a'b&c/)
    })
    await withApp({}, async ({ app }) => {
      const page = await app.inject({ url: '/rest', headers: { accept: browser, host: 'a"><script>x' } })
      assert.doesNotMatch(page.body, /<script/)
    })
  })

  it('leave monitoring out where it is off', async () => {
    await withApp({ TERRANE_MONITORING: 'off' }, async ({ app }) => {
      assert.doesNotMatch((await app.inject({ url: '/' })).body, /\/monitoring/)
      assert.equal((await app.inject({ url: '/monitoring' })).statusCode, 404)
    })
  })
})

describe('names of workspaces', () => {
  const reserved = 'rest ogc tiles ows wms wfs wcs wmts gwc monitoring docs health metrics assets app embed'

  it('that are paths of the server are refused; a workspace that has one already works on', async () => {
    await withApp({}, async ({ app, admin, database }) => {
      const create = (name: string) =>
        app.inject({
          method: 'POST',
          url: '/rest/workspaces',
          headers: admin,
          payload: { workspace: { name } },
        })
      for (const name of reserved.split(' ')) {
        const reply = await create(name)
        assert.equal(reply.statusCode, 400, name)
        assert.equal(reply.json().code, 'reserved-name')
      }
      assert.equal((await create('restaurants')).statusCode, 201)
      const at = '2026-01-01T00:00:00.000Z'
      await database.kysely
        .insertInto('workspaces')
        .values({ name: 'tiles', is_public: 0, created_at: at, updated_at: at })
        .execute()
      const change = { workspace: { public: true } }
      const changed = await app.inject({
        method: 'PUT',
        url: '/rest/workspaces/tiles',
        headers: admin,
        payload: change,
      })
      assert.equal(changed.statusCode, 200)
      const layers = await app.inject({ url: '/rest/workspaces/tiles/layers' })
      assert.equal(layers.statusCode, 200)
    })
  })
})
