import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { PageServer, ShownPage } from './support/shown-pages.ts'
import { closeBrowser, password, showPages, startPageServer } from './support/shown-pages.ts'
import { expectSound } from './support/states.ts'

const hostile = `<img src=x onerror=alert(1)> ${'long'.repeat(60)} \u202Eטקסט 🗺️`
const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`

async function change(server: PageServer, layer: string, value: object): Promise<void> {
  const reply = await fetch(`${server.url}/rest/layers/${layer}`, {
    method: 'PUT',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ layer: value }),
  })
  assert.equal(reply.status, 200, await reply.text())
}

async function shownNames(shown: ShownPage): Promise<string[]> {
  await shown.page.locator('.card h2').first().waitFor()
  return shown.page.locator('.card .mono').allTextContents()
}

// tests/release/pages/catalogue-states.test.ts has each state at each width, light and dark.
describe('the catalogue', async () => {
  const server = await startPageServer({ after })
  after(closeBrowser)
  await change(server, 'default:states', { title: hostile, public: true })
  for (const layer of ['default:countries', 'default:boundary_lines'])
    await change(server, layer, { public: false })

  it('sorts, filters and searches in the address, by the keyboard alone', async (t) => {
    const shown = await showPages(t, server)
    await shown.signIn('/')
    const { page } = shown
    await shownNames(shown)
    await page.keyboard.press('/')
    await page.keyboard.type('boundary')
    await page.waitForURL(/\?q=boundary$/)
    await page.locator('.card').nth(1).waitFor({ state: 'detached' })
    assert.deepEqual(await shownNames(shown), ['default:boundary_lines'])
    await page.goBack()
    await page.goto(`${server.url}/?view=list&sort=rows`)
    const links = page.locator('.lrow a.name')
    await links.nth(2).waitFor()
    await links.first().focus()
    await page.keyboard.press('ArrowDown')
    assert.equal(await page.evaluate('document.activeElement.textContent'), await links.nth(1).textContent())
    await page.getByRole('button', { name: /^Not public/ }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/public=false/)
    await links.nth(2).waitFor({ state: 'detached' })
    await page.goBack()
    await links.nth(2).waitFor()
    assert.deepEqual(shown.faults, [])
  })

  it('copies the call behind what is shown', async (t) => {
    const shown = await showPages(t, server)
    await shown.signIn('/?q=states')
    await shown.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await shownNames(shown)
    await shown.page.getByRole('button', { name: 'Copy as curl' }).click()
    await shown.page.locator('.toast').waitFor()
    const copied = String(await shown.page.evaluate('navigator.clipboard.readText()'))
    assert.match(copied, /^curl -u \S+ '?http:.*\/rest\/catalogue\/layers\?q=states/)
  })

  it('goes on where a session has ended in the middle: what was asked for comes after signing in again', async (t) => {
    const shown = await showPages(t, server)
    await shown.signIn('/app/account')
    const { page } = shown
    await page.locator('input[name=name]').fill('nightly-load')
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Create token' }).click()
    const dialog = page.locator('dialog')
    await dialog.locator('input[name=password]').fill(password)
    await expectSound(shown, 'expired')
    await dialog.locator('button[type=submit]').click()
    await page.locator('.note.ok .code').waitFor()
    await expectSound(shown, 'token')
    await page.getByRole('button', { name: 'Revoke nightly-load' }).click()
    await page.locator('dialog .btn.danger').click()
    await page.locator('.tokens').waitFor({ state: 'detached' })
    assert.deepEqual(shown.faults, [])
  })

  it('tells when the server is away, keeps what it showed, and goes on when it is back', async (t) => {
    const shown = await showPages(t, server)
    await shown.signIn('/')
    await shownNames(shown)
    await server.kill()
    await shown.page.locator('input[type=search]').fill('states')
    await shown.page.locator('[role=alert]').waitFor()
    assert.equal(await shown.page.locator('.card').count(), 3)
    await expectSound(shown, 'away')
    await server.start()
    await shown.page.locator('[role=alert] button').click()
    await shown.page.locator('.card').nth(1).waitFor({ state: 'detached' })
    assert.deepEqual(await shownNames(shown), ['default:states'])
  })
})
