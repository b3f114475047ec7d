import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  askServer,
  closeBrowser,
  password,
  showPages,
  startPageServer,
} from '../../pages/support/shown-pages.ts'
import { expectSound, expectSoundIn } from '../../pages/support/states.ts'

const path = '/app/layers/default:countries'
const drawn = '.canvas[data-drawn=yes]'

describe('the filter of a layer', async () => {
  const server = await startPageServer({ after })
  after(closeBrowser)

  async function matched(filter: string): Promise<number> {
    const requested = `/ogc/collections/default:countries/items?limit=1&filter=${encodeURIComponent(filter)}`
    return ((await askServer(server, requested)) as { numberMatched: number }).numberMatched
  }

  async function fetchTile(url: string): Promise<{ drawn: number }> {
    const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`
    const reported = (await fetch(url, { headers: { authorization } })).headers.get('terrane-tile')
    return { drawn: Number(/drawn=(\d+)/.exec(reported ?? '')?.[1]) }
  }

  it('is made of conditions by keyboard, followed by map and table, and stands in the address', async (t) => {
    const shown = await showPages(t, server)
    await shown.signIn(path)
    const { page } = shown
    const requested: string[] = []
    page.on('request', (request) => requested.push(request.url()))
    await page.getByRole('button', { name: 'Filter rows' }).focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('Column').selectOption('SOVEREIGNT')
    await page.getByLabel('Comparison').selectOption('begins with')
    await page.getByLabel('Value').fill('united')
    await page.keyboard.press('Enter')
    const count = await matched("CASEI(SOVEREIGNT) LIKE CASEI('united%')")
    assert.ok(count > 1 && count < 100, `${count}`)
    await page.locator(`.lay-filter >> text=${count} rows found`).waitFor()
    await page.locator(`.lay-table >> text=${count} rows found`).waitFor()
    await page.waitForSelector(drawn)
    await expectSound(shown, 'layer-filter-1440-light')
    const tiles = requested.filter((one) => /\/tiles\/.*\.mvt\?.*filter=CASEI/.test(one))
    assert.ok(tiles.length > 0, 'the map does not follow the filter')
    const whole = await Promise.all(tiles.map(async (one) => (await fetchTile(one)).drawn))
    assert.ok(Math.max(...whole) > 1 && Math.max(...whole) <= count, whole.join())

    await page.getByRole('button', { name: 'Add a condition' }).click()
    await page.getByLabel('Comparison').nth(1).selectOption('is not empty')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.waitForURL(/IS\+NOT\+NULL/)
    await page.reload()
    await page.getByLabel('Column').nth(1).waitFor()
    assert.equal(await page.getByLabel('Value').first().inputValue(), 'united')
    await page.goBack()
    await page.getByLabel('Column').nth(1).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Show all rows' }).click()
    await page.locator('.lay-table >> text=242 rows').waitFor()
    await page.getByRole('button', { name: 'Filter rows' }).waitFor()
    assert.deepEqual(shown.faults, [])
  })

  it('may be any text of CQL2; what the server cannot take it says in its words', async (t) => {
    const filter = "NOT (SOVEREIGNT LIKE 'A%') AND S_INTERSECTS(geometry, BBOX(0,40,10,50))"
    const shown = await showPages(t, server, { locale: 'de' })
    await shown.signIn(`${path}?filter=${encodeURIComponent(filter)}`)
    const { page } = shown
    await page.locator(`.lay-filter >> text=${await matched(filter)} Zeilen gefunden`).waitFor()
    assert.equal(await page.getByLabel('Filter in CQL2').inputValue(), filter)
    await page.getByLabel('Filter in CQL2').fill(`<img src=x onerror=alert(1)> ${'W'.repeat(3000)}`)
    await page.getByRole('button', { name: 'Anwenden' }).click()
    await page.locator('.lay-filter .err').waitFor()
    await expectSoundIn(shown, 'layer-filter-refused', [[390, 'dark']])
    await page.getByLabel('Filter in CQL2').fill('"SOVEREIGNT" = \'Nowhere\'')
    await page.getByRole('button', { name: 'Anwenden' }).click()
    await page.getByText('Keine Zeile erfüllt den Filter.').waitFor()
    await expectSoundIn(shown, 'layer-filter-none', [
      [768, 'light'],
      [390, 'light'],
    ])
  })

  it('is no wider than a phone while it is made', async (t) => {
    const shown = await showPages(t, server, { width: 390 })
    await shown.signIn('/app/layers/default:states')
    await shown.page.getByRole('button', { name: 'Filter rows' }).click()
    await shown.page.getByLabel('Value').fill('x')
    await expectSound(shown, 'layer-filter-390-light')
  })
})
