import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { closeBrowser, showPages, startPageServer } from './support/shown-pages.ts'

const mostBytes = 60_000

describe('every page', async () => {
  const server = await startPageServer({ after })
  after(closeBrowser)

  it('comes from a first page of less than 60 kB beside its letters, without anything of maps', async (t) => {
    const shown = await showPages(t, server)
    const sizes = new Map<string, number>()
    shown.page.on('response', (response) => {
      const { pathname } = new URL(response.url())
      if (!pathname.startsWith('/assets/') || pathname.endsWith('.woff2')) return
      sizes.set(pathname, Number(response.headers()['content-length']))
    })
    await shown.signIn('/')
    await shown.page.locator('.card').first().waitFor()
    await shown.page.waitForLoadState('networkidle')
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0)
    assert.ok(sizes.size >= 4, [...sizes.keys()].join())
    assert.ok(bytes > 20_000 && bytes < mostBytes, `${bytes} bytes: ${[...sizes].join(' ')}`)
    assert.deepEqual(
      [...sizes.keys()].filter((path) => /sheet-|worker/.test(path)),
      [],
    )
  })

  it('is shown when its style sheets are there, and says so where one does not come', async (t) => {
    const shown = await showPages(t, server)
    let isCut = true
    await shown.page.route(/sheet-import/, (route) => (isCut ? route.abort() : route.continue()))
    await shown.signIn('/')
    await shown.page.locator('nav.nav a', { hasText: 'Import' }).click()
    await shown.page.locator('main', { hasText: /style sheet sheet-import.* did not come/ }).waitFor()
    isCut = false
    await shown.page.locator('main button', { hasText: 'Try' }).click()
    const drop = shown.page.locator('.drop')
    await drop.waitFor()
    const border = await shown.page.evaluate(
      'getComputedStyle(document.querySelector(".drop")).borderTopStyle',
    )
    assert.equal(border, 'dashed')
    assert.deepEqual(shown.faults, [])
  })
})
