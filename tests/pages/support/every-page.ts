import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, it } from 'node:test'
import { moving, type Stops, settled, stops, unreached } from './keyboard.ts'
import type { PageServer } from './shown-pages.ts'
import { askServer, showPages } from './shown-pages.ts'
import { expectSound } from './states.ts'

/** Values for the parameters in the URLs of pages. */
const named: Record<string, string> = { layer: 'default:countries', id: '1', source: 'nightly' }
const listing = readFileSync(join(import.meta.dirname, '../../../web/app/pages.ts'), 'utf8')
/** An address of each page, as the list of pages has them. */
const pagePaths = [...listing.matchAll(/pattern: '([^']+)'/g)]
  .map(([, pattern = '']) => pattern.replaceAll(/:(\w+)/g, (_, name: string) => named[name] ?? name))
  // The first page redirects users who are signed in; the second is for frames in other sites.
  .filter((path) => path !== '/app/sign-in' && !path.startsWith('/embed/'))

/** One of so many pages is opened by the extended tests. */
const sampled = 5
export const sampledPages = pagePaths.filter((_, at) => at % sampled === 0)
export const otherPages = pagePaths.filter((_, at) => at % sampled > 0)

/** Registers a test for each page, at two widths. */
export function checkPages(server: PageServer, paths: readonly string[]): void {
  before(async () => {
    const location = 'https://data.example.org/trees.gpkg'
    const source = { name: named['source'], data: { type: 'remote', location }, target: { layer: 'trees' } }
    await askServer(server, '/rest/sources', { source })
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
}
