import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { encode } from 'uqr'
import type { ShownPage } from '../../pages/support/shown-pages.ts'
import { askServer, closeBrowser, showPages, startPageServer } from '../../pages/support/shown-pages.ts'
import { expectSound, expectSoundIn } from '../../pages/support/states.ts'

const userPassword = 'otter granite umbrella'
const isAccount = ({ pathname }: URL): boolean => pathname === '/app/account'
const everyView = [
  [1440, 'light'],
  [768, 'dark'],
  [390, 'light'],
] as const

describe('the own account', async () => {
  const server = await startPageServer({ after })
  // As people open it: with a host name.
  const site = { url: server.url.replace('127.0.0.1', 'localhost') }
  after(closeBrowser)
  before(async () => {
    for (const name of ['anna', 'ben'])
      await askServer(server, '/rest/security/users', { user: { name, password: userPassword } })
  })
  const dialog = ({ page }: ShownPage) => page.locator('dialog[open]')
  const panel = ({ page }: ShownPage, name: string) =>
    page.locator('main section.panel').filter({ has: page.locator('h2', { hasText: name }) })
  const fillIn = async ({ page }: ShownPage, name: string): Promise<void> => {
    await page.fill('main input[name=user]', name)
    await page.fill('main input[name=password]', userPassword)
    await page.click('main button[type=submit]')
  }
  const signInAs = async (shown: ShownPage, name: string): Promise<void> => {
    await shown.open('/app/sign-in?to=/app/account')
    await fillIn(shown, name)
    await shown.page.waitForURL(isAccount)
  }

  it('lists sessions, and ends one or all others', async (t) => {
    const [here, second, third] = [
      await showPages(t, site),
      await showPages(t, site),
      await showPages(t, site),
    ]
    for (const one of [here, second, third]) await signInAs(one, 'anna')
    await here.page.reload()
    const rows = panel(here, 'Sessions').locator('tbody tr')
    await rows.nth(2).waitFor()
    assert.equal(await rows.filter({ hasText: 'this one' }).count(), 1)
    assert.match((await rows.first().textContent()) ?? '', /Chrome \d+, Linux/)
    await expectSoundIn(here, 'account', everyView)
    await here.page.setViewportSize({ width: 1440, height: 900 })
    await rows.getByRole('button', { name: 'End' }).first().click()
    await rows.nth(2).waitFor({ state: 'detached' })
    await here.page.getByRole('button', { name: 'End all others' }).click()
    await rows.nth(1).waitFor({ state: 'detached' })
    await here.page.getByText('The session is ended.').first().waitFor()
    for (const one of [second, third]) {
      const reply = await one.page.request.get(`${site.url}/rest/security/session`)
      assert.equal(reply.status(), 401)
    }
    assert.deepEqual(here.faults, [])
  })

  it('makes tokens with a scope, a workspace, or layers', async (t) => {
    const shown = await showPages(t, site)
    const { page } = shown
    await signInAs(shown, 'anna')
    const tokens = panel(shown, 'Tokens')
    await tokens.getByLabel('Name').fill('nightly-load')
    await tokens.getByLabel('May do').selectOption('import')
    await tokens.getByLabel('Workspace').selectOption('default')
    await tokens.getByRole('button', { name: 'Create token' }).click()
    const row = tokens.locator('tr', { hasText: 'nightly-load' })
    await row.locator('td', { hasText: 'edit and import, only in default' }).waitFor()
    await tokens.getByLabel('Name').fill('for-qgis')
    await tokens.getByLabel('May do').selectOption('layers')
    await tokens.getByLabel('Layers').fill('default:countries, default:nowhere')
    await tokens.getByRole('button', { name: 'Create token' }).click()
    await tokens
      .locator('tr', { hasText: 'for-qgis' })
      .locator('td', { hasText: 'read: default:countries, default:nowhere' })
      .waitFor()
    const reply = await page.request.get(`${site.url}/rest/security/tokens`)
    const { tokens: made } = (await reply.json()) as { tokens: Record<string, unknown>[] }
    assert.deepEqual(
      made.map(({ name, scopes, workspace, layers }) => ({ name, scopes, workspace, layers })),
      [
        { name: 'nightly-load', scopes: ['import'], workspace: 'default', layers: undefined },
        {
          name: 'for-qgis',
          scopes: ['read'],
          workspace: undefined,
          layers: ['default:countries', 'default:nowhere'],
        },
      ],
    )
    await tokens.scrollIntoViewIfNeeded()
    await expectSoundIn(shown, 'account-tokens', everyView)
    assert.deepEqual(shown.faults, [])
  })

  it('switches one-time codes on and off, and sign-in asks for the code', async (t) => {
    const shown = await showPages(t, site)
    const { page } = shown
    await signInAs(shown, 'ben')
    await page.getByRole('button', { name: 'Switch one-time codes on' }).click()
    await dialog(shown).locator('input[name=current]').fill('wrong')
    await page.keyboard.press('Enter')
    await dialog(shown).locator('.err').waitFor()
    await expectSound(shown, 'totp-password-1440-light')
    await dialog(shown).locator('input[name=current]').fill(userPassword)
    await page.keyboard.press('Enter')
    const secret = (await dialog(shown).locator('.secret').getAttribute('data-secret')) ?? ''
    const link = await dialog(shown).getByRole('link', { name: 'Open the app' }).getAttribute('href')
    assert.match(link ?? '', new RegExp(`^otpauth://totp/.*secret=${secret}`))
    // Drawn from the same address, cell by cell.
    const picture = dialog(shown).getByRole('img', { name: 'QR code' })
    const drawn = (await picture.locator('path').getAttribute('d')) ?? ''
    const { data } = encode(link ?? '', { ecc: 'M', border: 4 })
    const cells = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
    assert.equal(drawn, cells.join(''))
    const totp = new TOTP({ secret: Secret.fromBase32(secret) })
    await dialog(shown).getByLabel('Code of the app').fill('000')
    await page.keyboard.press('Enter')
    await dialog(shown).locator('.err').waitFor()
    await expectSoundIn(shown, 'totp-secret', everyView)
    await page.setViewportSize({ width: 1440, height: 900 })
    await dialog(shown).getByLabel('Code of the app').fill(totp.generate())
    await page.keyboard.press('Enter')
    await dialog(shown).locator('.recovery li').nth(9).waitFor()
    const recoveryCode = (await dialog(shown).locator('.recovery li').first().textContent()) ?? ''
    await expectSoundIn(shown, 'totp-recovery', everyView)
    await page.setViewportSize({ width: 1440, height: 900 })
    await dialog(shown).getByRole('button', { name: 'I have kept them' }).click()
    await panel(shown, 'Second factors').getByText('on', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(`${site.url}/`)
    await shown.open('/app/sign-in?to=/app/account')
    await fillIn(shown, 'ben')
    await page.getByLabel('One-time code').fill(recoveryCode)
    await expectSoundIn(shown, 'sign-in-code', everyView)
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.click('main button[type=submit]')
    await page.waitForURL(isAccount)
    await page.getByRole('button', { name: 'Switch one-time codes off' }).click()
    await dialog(shown).locator('input[name=current]').fill(userPassword)
    await page.keyboard.press('Enter')
    await panel(shown, 'Second factors').getByText('off', { exact: true }).waitFor()
    await signInAs(await showPages(t, site), 'ben')
    assert.deepEqual(shown.faults, [])
  })
})
