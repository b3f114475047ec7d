import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { closeBrowser, showPages, startPageServer } from '../../pages/support/shown-pages.ts'
import { expectSound } from '../../pages/support/states.ts'

describe('the command palette', async () => {
  const server = await startPageServer({ after })
  after(closeBrowser)

  it('finds layers, pages and acts as one types, by keyboard alone', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/')
    await page.keyboard.press('Control+k')
    const input = page.getByRole('combobox', { name: 'Search everything' })
    await input.waitFor()
    await expectSound(shown, 'palette-1440-light')
    await page.keyboard.type('countr')
    await page.getByRole('option', { name: /default:countries/ }).waitFor()
    await expectSound(shown, 'palette-found-1440-light')
    await input.press('Enter')
    await page.locator('h1', { hasText: 'countries' }).waitFor()
    assert.match(page.url(), /\/app\/layers\/default(?::|%3A)countries/)
    await input.waitFor({ state: 'detached' })

    await page.keyboard.press('Control+k')
    await input.waitFor()
    await page.keyboard.type('new work')
    await page.getByRole('option', { name: /New workspace/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.locator('dialog input[name=name]').waitFor()
    assert.match(page.url(), /\/app\/workspaces\?new=1/)
    await page.keyboard.press('Escape')

    await page.keyboard.press('Control+k')
    await input.waitFor()
    await page.keyboard.type('stores')
    const options = page.getByRole('option')
    await options.first().waitFor()
    await page.keyboard.press('ArrowUp')
    assert.equal(await options.last().getAttribute('aria-selected'), 'true')
    await page.keyboard.press('ArrowDown')
    assert.equal(await options.first().getAttribute('aria-selected'), 'true')
    await page.keyboard.press('Escape')
    await input.waitFor({ state: 'detached' })
    assert.deepEqual(shown.faults, [])
  })

  it('shows whoever is not signed in what they may see, in German on a phone', async (t) => {
    const shown = await showPages(t, server, { width: 390, colorScheme: 'dark', locale: 'de' })
    const { page } = shown
    await shown.open('/')
    await page.getByRole('button', { name: /Alles durchsuchen/ }).click()
    await page.getByRole('option', { name: /Anmelden/ }).waitFor()
    assert.equal(await page.getByRole('option', { name: /Benutzer|Arbeitsbereich/ }).count(), 0)
    await page.keyboard.type('<img src=x onerror=alert(1)>'.repeat(20))
    await page.locator('.told-entries', { hasText: 'Nichts heißt' }).waitFor()
    await expectSound(shown, 'palette-390-dark-de')
  })
})
