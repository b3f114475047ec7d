import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { describe, it } from 'node:test'
import { createTestApp } from '../../support/app.ts'

const { cache } = createRequire(import.meta.url)

/** Loaded scripts of the package that draws the page. */
function loadedScripts(): string[] {
  return Object.keys(cache).filter((path) => path.includes('/@fastify/swagger-ui/'))
}

describe('the reference page of the API', () => {
  it('is served with its files, and its packages are loaded at the first request', async (t) => {
    // Another test of this process may have requested the page.
    for (const path of loadedScripts()) Reflect.deleteProperty(cache, path)
    const server = await createTestApp({ env: { TERRANE_BASE_PATH: '/maps' } })
    t.after(() => server.close())
    assert.deepEqual(loadedScripts(), [])
    for (const [path, type, text] of [
      ['/docs', 'text/html', /href="\/maps\/docs\/static\/swagger-ui\.css"|static\/swagger-ui\.css/],
      ['/docs/', 'text/html', /<div id="swagger-ui"/],
      ['/docs/static/swagger-ui.css', 'text/css', /\.swagger-ui/],
      ['/docs/static/swagger-initializer.js', 'javascript', /SwaggerUIBundle/],
      ['/docs/json', 'application/json', /"openapi":"3\.1\.0"/],
      ['/docs/yaml', 'application/x-yaml', /openapi: 3\.1\.0/],
    ] as const) {
      const reply = await server.app.inject({ url: `/maps${path}` })
      assert.equal(reply.statusCode, 200, path)
      assert.ok(String(reply.headers['content-type']).includes(type), path)
      assert.match(reply.body, text, path)
      assert.match(String(reply.headers['content-security-policy']), /frame-ancestors 'none'/, path)
    }
    const style = { url: '/maps/docs/static/swagger-ui.css' }
    const { etag } = (await server.app.inject(style)).headers
    const again = await server.app.inject({ ...style, headers: { 'if-none-match': String(etag) } })
    assert.equal(again.statusCode, 304)
    assert.equal((await server.app.inject({ url: '/maps/docs/none' })).statusCode, 404)
  })
})
