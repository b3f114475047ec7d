import type { Page } from 'playwright-core'

/** Elements of a page that Tab reaches, numbered in `data-stop`, and the heading of the page. */
export interface Stops {
  heading: string | null
  count: number
}

const mostStops = 250

/** Evaluated in the page. Of radio buttons of one group only the selected one is a stop. */
export const stops = `(() => {
  const shown = (one) => one.checkVisibility({ visibilityProperty: true }) && one.getClientRects().length > 0
  const isStop = (one) => !one.disabled && one.tabIndex >= 0 && shown(one)
    && (one.type !== 'radio' || one.checked || document.querySelector('input[type=radio][name="' + one.name + '"]:checked') === null)
  const all = [...document.querySelectorAll('a[href],button,input,select,textarea,summary,[tabindex]')].filter(isStop)
  all.forEach((one, at) => { one.dataset.stop = String(at) })
  return { heading: document.querySelector('h1')?.textContent ?? null, count: all.length }
})()`

/** Evaluated in the page: the focused element, and whether the focus is visible. */
const focused = `(() => {
  const one = document.activeElement
  if (one === null || one === document.body) return null
  const seen = (element) => {
    if (element === null) return false
    const { boxShadow, outlineStyle, outlineWidth } = getComputedStyle(element)
    return boxShadow !== 'none' || (outlineStyle !== 'none' && outlineWidth !== '0px')
  }
  const isSeen = seen(one) || seen(one.parentElement) || seen(one.closest('.card, .lrow, label, tr'))
  return { stop: one.dataset.stop ?? null, isSeen, html: one.outerHTML.slice(0, 100) }
})()`

/** Expression that counts the running animations. Evaluated in the page. */
export const moving = `document.getAnimations().filter((one) => one.playState === 'running').length`

/**
 * Moves through the page by Tab. Returns the stops that were not reached and those without a visible focus.
 */
export async function unreached(page: Page, { count }: Stops): Promise<string[]> {
  const missing = new Set(Array.from({ length: count }, (_, at) => String(at)))
  const faults: string[] = []
  await page.evaluate('document.activeElement?.blur(); scrollTo(0, 0)')
  for (let pressed = 0; pressed < Math.min(count + 20, mostStops) && missing.size > 0; pressed += 1) {
    await page.keyboard.press('Tab')
    const now = await page.evaluate<{ stop: string | null; isSeen: boolean; html: string } | null>(focused)
    if (now === null) continue
    if (!now.isSeen) faults.push(`not seen: ${now.html}`)
    if (now.stop !== null) missing.delete(now.stop)
  }
  if (count > mostStops) return faults
  for (const stop of missing) {
    const html = await page
      .locator(`[data-stop="${stop}"]`)
      .first()
      .evaluate('(one) => one.outerHTML')
      .catch(() => '')
    if (html !== '') faults.push(`not reached: ${String(html).slice(0, 150)}`)
  }
  return faults
}

/** Waits until the page has received all data that it requests. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main h1, main h2').first().waitFor({ state: 'attached' })
  await page.waitForLoadState('networkidle')
}

/** Measurements while a page scrolls. */
export interface Scrolled {
  /** The most rows that were drawn at once. */
  rows: number
  /** Height of the page, in pixels. */
  height: number
  longestMs: number
}

/** Scrolls by wheel what is at a place of the page. */
export async function scrolled(page: Page, at = { x: 600, y: 500 }): Promise<Scrolled> {
  await page.evaluate(`
    window.longTasks = []
    new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map((one) => one.duration)))
      .observe({ entryTypes: ['longtask'] })
  `)
  await page.mouse.move(at.x, at.y)
  let rows = 0
  for (let step = 0; step < 20; step += 1) {
    await page.mouse.wheel(0, 600 * (step + 1))
    await page.waitForTimeout(30)
    const drawn = 'document.querySelectorAll("main .card, main tbody tr").length'
    rows = Math.max(rows, Number(await page.evaluate(drawn)))
  }
  const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
  const longestMs = Number(await page.evaluate('Math.max(0, ...window.longTasks)'))
  return { rows, height, longestMs }
}
