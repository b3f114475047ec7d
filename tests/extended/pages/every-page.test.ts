import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { listInto } from '../../pages/support/crowd.ts'
import { moving, type Stops, scrolled, settled, stops, unreached } from '../../pages/support/keyboard.ts'
import { closeBrowser, showPages, startPageServer } from '../../pages/support/shown-pages.ts'
import { expectSound } from '../../pages/support/states.ts'

const mostBytes = 60_000
/**
 * The first page loads the map code only if it has few layers to show on a map: with this query it has none.
 */
const withoutMap = '/?q=nowhere'
/** Values for the parameters in the URLs of pages. */
const named: Record<string, string> = { layer: 'default:countries', id: '1' }
const listing = readFileSync(join(import.meta.dirname, '../../../web/app/pages.ts'), 'utf8')
/** An address of each page, as the list of pages has them. */
const paths = [...listing.matchAll(/pattern: '([^']+)'/g)]
  .map(([, pattern = '']) => pattern.replaceAll(/:(\w+)/g, (_, name: string) => named[name] ?? name))
  // The first page redirects users who are signed in; the second is for frames in other sites.
  .filter((path) => path !== '/app/sign-in' && !path.startsWith('/embed/'))

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
    // The first page uses the sheet of maps itself, once it has layers to show.
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
    assert.equal(await page.evaluate(`${sheets}.filter((one) => one.media !== 'not all').length`), 2)
    assert.deepEqual(shown.faults, [])
  })

  for (const path of paths)
    it(`is sound and reached by keyboard at 390 and 720 pixels, and the same after a reload: ${path}`, async (t) => {
      const shown = await showPages(t, server, { width: 390 })
      const { page } = shown
      await page.emulateMedia({ reducedMotion: 'reduce' })
      await shown.signIn(path)
      await settled(page)
      await expectSound(shown, `every${path.replaceAll(/\W+/g, '-')}-390`)
      // 1440 pixels, enlarged to twice their size.
      await page.setViewportSize({ width: 720, height: 450 })
      assert.deepEqual(await shown.wide(), [], 'at 200 %')
      assert.equal(await page.evaluate(moving), 0, 'something moves')
      const before = await page.evaluate<Stops>(stops)
      assert.deepEqual(await unreached(page, before), [])
      const address = page.url()
      await page.reload()
      await settled(page)
      assert.equal(page.url(), address)
      assert.equal(await page.locator('h1').first().textContent(), before.heading)
      assert.deepEqual(shown.faults, [])
    })

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
