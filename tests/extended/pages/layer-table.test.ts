import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Response } from 'playwright-core'
import { asAdmin } from '../../pages/support/import-data.ts'
import { closeBrowser, showPages, startPageServer } from '../../pages/support/shown-pages.ts'
import { expectSound } from '../../pages/support/states.ts'

const path = '/app/layers/default:countries'
const drawn = '.canvas[data-drawn=yes]'
const rows = '.grid-rows tbody tr:not(.space)'

interface Items {
  features: { geometry: { type: string } | null }[]
}

describe('the table of a layer', async () => {
  const server = await startPageServer({ after })
  after(closeBrowser)

  it('goes through all rows by keys, and the chosen one is marked on the map', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    const replies: Response[] = []
    page.on('response', (reply) => {
      const { pathname, searchParams } = new URL(reply.url())
      if (pathname.endsWith('/items') && searchParams.has('offset')) replies.push(reply)
    })
    await shown.signIn(path)
    await page.waitForSelector(drawn)
    await page.locator('.lay-table >> text=242 rows').waitFor()
    await page.focus('.grid-scroll')
    const whole = page.waitForResponse((reply) => /\/items\/\d+$/.test(reply.url()))
    for (const key of ['ArrowDown', 'ArrowDown', 'PageDown']) await page.keyboard.press(key)
    await page.locator(`${rows}[aria-current=true]`).waitFor()
    const marked = (await (await whole).json()) as Items['features'][number]
    assert.equal(marked.geometry?.type, 'MultiPolygon')
    const tables: Items[] = await Promise.all(replies.map((reply) => reply.json()))
    const shapes = tables.flatMap(({ features }) => features.map((row) => row.geometry))
    assert.ok(
      shapes.length >= 50 && shapes.every((shape) => shape === null),
      'rows come without their shapes',
    )
    assert.ok((await page.locator(rows).count()) < 200)
    await page.locator('.grid-scroll').evaluate((grid) => grid.scrollTo(0, grid.scrollHeight))
    await page.locator(`${rows} >> text=242`).first().waitFor()
    await expectSound(shown, 'layer-table-1440-light')
  })

  it('shows what the map shows, as the address says, and is as it was after a reload', async (t) => {
    const shown = await showPages(t, server)
    await shown.signIn(`${path}?bbox=-10,35,30,60`)
    const { page } = shown
    const locator = page.locator('.lay-table header [role=status]')
    await page.locator('.lay-table >> text=in sight').waitFor()
    const count = Number.parseInt(await locator.innerText())
    assert.ok(count > 20 && count < 200, `${count} countries around`)
    await page.waitForSelector(drawn)
    await page.locator('[aria-label=Nearer]').click()
    await page.locator('[aria-label=Nearer]').click()
    await page.waitForURL((address) => address.searchParams.get('bbox') !== '-10,35,30,60')
    await page.reload()
    await page.locator('.lay-table >> text=in sight').waitFor()
    await page.getByLabel('Only what the map shows').uncheck()
    await page.locator('.lay-table >> text=242 rows').waitFor()
    assert.deepEqual(shown.faults, [])
  })

  it('is ordered by the head of a column, as the address says, with the focus kept', async (t) => {
    const shown = await showPages(t, server)
    await shown.signIn(path)
    const { page } = shown
    const head = page.getByRole('columnheader', { name: 'SOVEREIGNT', exact: true })
    const button = head.getByRole('button')
    const first = page.locator(`${rows}[aria-rowindex="2"]`)
    const items = '/ogc/collections/default:countries/items?limit=1&sortby=-SOVEREIGNT'
    const found = (await asAdmin(server, 'GET', items)) as {
      features: { properties: Record<string, string> }[]
    }
    const largest = found.features[0]?.properties['SOVEREIGNT'] ?? assert.fail('there is no row')
    await button.focus()
    await page.keyboard.press('Enter')
    await first.getByText('Afghanistan').first().waitFor()
    assert.equal(await head.getAttribute('aria-sort'), 'ascending')
    assert.ok(await button.evaluate((one) => one.matches(':focus')))
    await page.keyboard.press('Enter')
    await first.getByText(largest, { exact: true }).first().waitFor()
    await page.reload()
    await first.getByText(largest, { exact: true }).first().waitFor()
    assert.equal(await head.getAttribute('aria-sort'), 'descending')
    assert.equal(new URL(page.url()).searchParams.get('sort'), 'down.SOVEREIGNT')
    await expectSound(shown, 'layer-sorted-1440-light')
    await button.click()
    await page.waitForURL((address) => !address.searchParams.has('sort'))
  })
})
