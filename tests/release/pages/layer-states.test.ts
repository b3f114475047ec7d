import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { askServer, closeBrowser, showPages, startPageServer } from '../../pages/support/shown-pages.ts'
import { expectSound, expectSoundIn, type View } from '../../pages/support/states.ts'

const path = '/app/layers/default:countries'
const drawn = '.canvas[data-drawn=yes]'

describe('states of the page of a layer', async () => {
  const server = await startPageServer({ after })
  after(closeBrowser)

  it('shows hostile words as they are, no wider than a phone', async (t) => {
    const markup = '<img src=x onerror="document.title=1"> \u05e9\u05dc\u05d5\u05dd \u{1f5fa}'
    const layer = {
      title: `${markup} ${'W'.repeat(9000)}`,
      abstract: `${markup} ${'W'.repeat(10_000)}`,
      keywords: [markup, 'W'.repeat(200)],
      attribution: markup,
      contact: 'W'.repeat(9000),
    }
    await askServer(server, '/rest/layers/default:states', { layer }, 'PUT')
    const shown = await showPages(t, server, { width: 390 })
    await shown.signIn('/app/layers/default:states')
    await shown.page.waitForSelector(drawn)
    await shown.page.locator('.lay-table >> text=51 rows').waitFor()
    await expectSound(shown, 'layer-hostile-390-light')
  })

  it('is sound on tablets and phones, light and dark', async (t) => {
    const views: View[] = [
      [768, 'dark'],
      [390, 'dark'],
      [390, 'light'],
    ]
    const shown = await showPages(t, server, { width: 768, colorScheme: 'dark', locale: 'de' })
    await shown.signIn(path)
    await shown.page.waitForSelector(drawn)
    await expectSoundIn(shown, 'layer', views)
    for (const [width, theme] of views.slice(0, 2)) {
      await shown.page.setViewportSize({ width, height: 900 })
      await clickInAfrica(shown.page)
      await shown.page.waitForSelector('.values >> text=SOVEREIGNT')
      await expectSoundIn(shown, 'layer-values', [[width, theme]])
      await shown.page.keyboard.press('Escape')
      await shown.page.waitForSelector('.values', { state: 'detached' })
    }
  })
})

/** Down the middle of a map of the world, until something is there. */
async function clickInAfrica(page: Page): Promise<void> {
  const canvas = page.locator('.lay-map canvas')
  const { width = 0, height = 0 } = (await canvas.boundingBox()) ?? {}
  for (let share = 0.4; share < 0.8; share += 0.05) {
    await canvas.click({ position: { x: width * 0.54, y: height * share } })
    await page.waitForTimeout(100)
    if ((await page.locator('.values').count()) > 0) return
  }
}
