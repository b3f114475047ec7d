import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { PageOptions, ShownPage } from './shown-pages.ts'

/** Folder for screenshots; without the variable none are taken. */
const folder = process.env.TERRANE_SCREENSHOTS

/** Width of the window, and theme. */
export type View = readonly [width: NonNullable<PageOptions['width']>, theme: 'light' | 'dark']

/** The same state in windows of several widths and themes, without asking for the page again. */
export async function expectSoundIn(shown: ShownPage, name: string, views: readonly View[]): Promise<void> {
  for (const [width, colorScheme] of views) {
    await shown.page.setViewportSize({ width, height: 900 })
    await shown.page.emulateMedia({ colorScheme })
    // Two frames, after which what follows the size of the window has followed.
    await shown.page.evaluate(
      'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
    )
    await expectSound(shown, `${name}-${width}-${colorScheme}`)
  }
}

/**
 * Asserts that the page is not wider than its window and has no violations and no faults; takes a screenshot.
 */
export async function expectSound(shown: ShownPage, name: string): Promise<void> {
  if (folder !== undefined) {
    mkdirSync(folder, { recursive: true })
    const isPhone = (shown.page.viewportSize()?.width ?? 0) < 600
    await shown.page.waitForLoadState('networkidle')
    await shown.page.screenshot({ path: join(folder, `${name}.png`), fullPage: isPhone })
  }
  assert.deepEqual(await shown.wide(), [], `${name} is wider than its window`)
  assert.deepEqual(await shown.violations(), [], name)
  assert.deepEqual(shown.faults, [], name)
}
