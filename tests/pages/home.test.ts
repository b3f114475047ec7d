import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { closeBrowser, showPages, startPageServer } from './support/shown-pages.ts'
import { expectSoundIn, type View } from './support/states.ts'

const policy =
  "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data: blob:; manifest-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"

describe('the home page', async () => {
  const server = await startPageServer({ after })
  after(closeBrowser)

  it('shows an anonymous visitor the public sample layers on a map, and who signs in all layers', async (t) => {
    const shown = await showPages(t, server)
    await shown.open('/')
    await shown.page.waitForSelector('.home-map canvas')
    assert.equal(await shown.page.locator('.card').count(), 3)
    const map = await shown.page.getByText('Open the map').getAttribute('href')
    assert.match(
      String(map),
      /app\/map\?layers=default%3Acountries%2Cdefault%3Astates%2Cdefault%3Aboundary_lines$/,
    )
    const workspace = await fetch(`${server.url}/rest/workspaces/default`)
    assert.equal(workspace.status, 401, 'the workspace stays private')
    await shown.page.click('text=Sign in')
    await shown.signInByForm('/')
    await shown.page.waitForSelector('.card >> text=Countries')
    assert.equal(await shown.page.locator('.card').count(), 3)
    await shown.page.fill('input[type=search]', 'boundary')
    await shown.page.locator('.card').nth(1).waitFor({ state: 'detached' })
    assert.match(shown.page.url(), /\?q=boundary$/)
    await shown.page.reload()
    await shown.page.waitForSelector('.card')
    assert.equal(await shown.page.locator('.card').count(), 1)
    assert.deepEqual(shown.faults, [])
  })

  it('is sound at each width, light and dark', async (t) => {
    const shown = await showPages(t, server, { locale: 'de' })
    await shown.signIn('/')
    await shown.page.waitForSelector('.card')
    await shown.page.waitForSelector('.home-map canvas')
    const views = ([1440, 768, 390] as const).flatMap((width): View[] => [
      [width, 'light'],
      [width, 'dark'],
    ])
    await expectSoundIn(shown, 'home', views)
  })

  it('is sent with a policy that lets nothing in from elsewhere, in less than 60 kB', async () => {
    const page = await fetch(server.url, { headers: { accept: 'text/html' } })
    assert.equal(page.headers.get('content-security-policy'), policy)
    const html = await page.text()
    const files = [...html.matchAll(/assets\/[\w.-]+/g)].map(([name]) => name)
    const seen = new Set(files)
    let bytes = 0
    for (const name of seen) {
      const reply = await fetch(`${server.url}/${name}`, { headers: { 'accept-encoding': 'br' } })
      assert.match(reply.headers.get('cache-control') ?? '', /immutable/)
      bytes += Number(reply.headers.get('content-length'))
      const text = await reply.text()
      for (const [, chunk] of text.matchAll(/from"\.\/([\w.-]+\.js)"/g)) seen.add(`assets/${chunk}`)
      for (const [, chunk] of text.matchAll(/import"\.\/([\w.-]+\.js)"/g)) seen.add(`assets/${chunk}`)
    }
    assert.ok(seen.size >= 3)
    assert.ok(bytes < 60_000, `${bytes} bytes`)
  })

  it('has no file but those that were built', async () => {
    for (const name of ['..%2fpages.json', 'pages.json', 'main.js.map', 'x.js'])
      assert.equal((await fetch(`${server.url}/assets/${name}`)).status, 404, name)
  })

  it('says that there is no such page', async (t) => {
    const shown = await showPages(t, server)
    await shown.open('/app/nowhere')
    await shown.page.waitForSelector('text=There is no such page')
  })
})
