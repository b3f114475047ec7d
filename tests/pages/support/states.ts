import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ShownPage } from './shown-pages.ts'

/** Where pictures go to be looked at; none are made where it is not set. */
const folder = process.env.TERRANE_SCREENSHOTS

/** A state of a page as it has to be: nothing wider than its window, no violation, no fault; and a picture to be looked at. */
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
