import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { closeBrowser, password, showPages, startPageServer } from '../../pages/support/shown-pages.ts'
import { expectSound, expectSoundIn } from '../../pages/support/states.ts'
import { startWebServer } from '../../support/web-server.ts'

const path = '/app/map?layers=default:countries,default:boundary_lines'
const drawn = '.canvas[data-drawn=yes]'
const headers = { authorization: `Basic ${btoa(`admin:${password}`)}`, 'content-type': 'application/json' }

describe('a map that is shared', async () => {
  const server = await startPageServer({ after })
  let framed = ''
  const others = await startWebServer({ after }, (_request, reply) => {
    reply.setHeader('content-type', 'text/html')
    reply.end(`<!doctype html><title>A page of others</title>${framed}`)
  })
  before(async () => {
    const body = JSON.stringify({ workspace: { public: true } })
    const reply = await fetch(`${server.url}/rest/workspaces/default`, { method: 'PUT', headers, body })
    assert.ok(reply.ok)
  })
  after(closeBrowser)

  it('has order, visibility, opacity, position, background and legend in its address', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn(path)
    await page.waitForSelector(drawn)
    const at = (): URLSearchParams => new URL(page.url()).searchParams
    assert.equal(
      await page.locator('.map-layers li').first().locator('label').first().innerText(),
      'boundary_lines',
    )
    await page.getByRole('button', { name: 'Move countries up' }).click()
    assert.equal(at().get('layers'), 'default:boundary_lines,default:countries')
    await page.getByLabel('Opacity of countries').fill('40')
    assert.equal(at().get('opacity'), '100,40')
    await page.getByLabel('boundary_lines', { exact: true }).uncheck()
    assert.equal(at().get('hidden'), 'default:boundary_lines')
    await page.getByLabel('Background map').uncheck()
    await page.click('[aria-label=Nearer]')
    await page.waitForURL(/at=/)
    await expectSound(shown, 'map-1440-light')
    const before = page.url()
    await page.reload()
    await page.waitForSelector(drawn)
    assert.equal(page.url(), before)
    assert.equal(await page.getByLabel('Opacity of countries').inputValue(), '40')
    assert.equal(await page.getByLabel('Background map').isChecked(), false)
    await page.getByLabel('Add a layer').fill('stat')
    await page.locator('.map-found').getByText('states').click()
    await page.waitForURL(/default%3Astates/)
  })

  it('stands in pages of others by the code that is shown, whose reader sees what is public; nothing else does', async (t) => {
    const shown = await showPages(t, server)
    await shown.open(`${path}&at=3/48/10`)
    await shown.page.waitForSelector(drawn)
    framed = await shown.page.getByLabel('Code for a page of yours', { exact: true }).inputValue()
    const refused = `<iframe src="${server.url}${path}"></iframe><iframe src="${server.url}/"></iframe>`
    await shown.page.context().grantPermissions(['local-network-access'])
    await shown.page.goto(others)
    const inside = shown.page.frameLocator('iframe')
    await inside.locator(drawn).waitFor()
    assert.equal(await inside.locator('header.top').count(), 0)
    await inside.getByText('Legend').click()
    await inside.locator('.legend-picture img').first().waitFor()
    const [page, ...rest] = shown.faults.filter((one) => !one.endsWith('/favicon.ico'))
    assert.deepEqual([page, rest], [`asked elsewhere: ${others}/`, []])
    framed = refused
    await shown.page.goto(others)
    await shown.page.waitForLoadState('networkidle')
    for (const frame of shown.page.frames().slice(1)) assert.match(frame.url(), /^chrome-error:/)
    assert.equal(shown.page.frames().length, 3)
  })

  it('says what cannot be seen, and shows the rest', async (t) => {
    const shown = await showPages(t, server, { width: 390, colorScheme: 'dark', locale: 'de' })
    await shown.open('/embed/map?layers=default:countries,default:nothing')
    await shown.page.waitForSelector(drawn)
    await shown.page.getByText('default:nothing').waitFor()
    await expectSound(shown, 'embed-390-dark')
    const reply = await fetch(`${server.url}/embed/map?layers=a`)
    assert.match(reply.headers.get('content-security-policy') ?? '', /frame-ancestors \*/)
    assert.equal(reply.headers.get('x-frame-options'), null)
  })

  it('is sound on a tablet and a phone', async (t) => {
    const shown = await showPages(t, server, { width: 768, colorScheme: 'dark', locale: 'de' })
    await shown.open(`${path}&opacity=50,100&at=2/20/10`)
    await shown.page.waitForSelector(drawn)
    await expectSoundIn(shown, 'map-shared', [
      [768, 'dark'],
      [390, 'light'],
    ])
  })
})
