import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { listInto } from '../../pages/support/crowd.ts'
import { checkPages, sampledPages } from '../../pages/support/every-page.ts'
import { scrolled } from '../../pages/support/keyboard.ts'
import { closeBrowser, showPages, startPageServer } from '../../pages/support/shown-pages.ts'

const mostBytes = 60_000
/**
 * The first page loads the map code only if it has few layers to show on a map: with this query it has none.
 */
const withoutMap = '/?q=nowhere'
// tests/release/pages/every-page.test.ts opens the other pages.
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
    await shown.signIn(withoutMap)
    await shown.page.locator('.state h2').waitFor()
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

  it('has near pages at hand once somebody does something, and their sheets count where they are shown alone', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn(withoutMap)
    await page.locator('.state h2').waitFor()
    const sheets = '[...document.querySelectorAll("link[rel=stylesheet][href*=sheet-]")]'
    assert.equal(await page.evaluate(`${sheets}.length`), 0)
    await page.mouse.move(300, 300)
    await page.locator('link[href*=sheet-alerts]').waitFor({ state: 'attached' })
    // The first page uses the sheet of maps itself, if it has layers to show by now.
    const active = `${sheets}.filter((one) => one.media !== 'not all' && !one.href.includes('sheet-map'))`
    assert.equal(await page.evaluate(`${active}.length`), 0)
    const requested: string[] = []
    await page.waitForLoadState('networkidle')
    page.on('request', (request) => void requested.push(new URL(request.url()).pathname))
    await page.locator('nav.nav a', { hasText: 'Alerts' }).click()
    await page.locator('.alist').waitFor()
    assert.deepEqual(
      requested.filter((path) => path.startsWith('/assets/')),
      [],
    )
    const files = await page.evaluate<string[]>(
      `${active}.map((one) => one.href.replace(/^.*\\/sheet-|-\\w+\\.css$/g, ''))`,
    )
    assert.deepEqual(files.sort(), ['alerts', 'charts'])
    assert.deepEqual(shown.faults, [])
  })

  checkPages(server, sampledPages)

  it('is a list of 10,000 layers that scrolls without a long task, with at most 200 of them drawn', async (t) => {
    const crowd = await startPageServer({ after: (work) => t.after(work) }, { TERRANE_SAMPLE: 'off' })
    await crowd.kill()
    await listInto(crowd.folder, 10_000)
    await crowd.start()
    const shown = await showPages(t, crowd)
    const { page } = shown
    for (const view of ['/', '/?view=list']) {
      await shown.signIn(view)
      await page.locator('a.name, .card').first().waitFor()
      const found = await scrolled(page)
      t.diagnostic(`${view}: ${JSON.stringify(found)}`)
      assert.ok(found.rows > 5 && found.rows <= 200, `${found.rows} rows in ${view}`)
      assert.ok(found.height > 100_000, `${found.height} pixels`)
      await page.keyboard.press('End')
      await page.getByText('Layer 09999').first().waitFor()
    }
    assert.deepEqual(shown.faults, [])
  })
})
