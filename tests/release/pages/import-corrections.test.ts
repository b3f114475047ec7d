import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { closeBrowser, password, showPages, startPageServer } from '../../pages/support/shown-pages.ts'
import { expectSound } from '../../pages/support/states.ts'

const points = { mimeType: 'text/csv', name: 'trees.csv' }
const headers = { authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}` }
const buffer = Buffer.from(
  'id,kind,lat,lon\n1,oak,52,13\n2,ash,north,13.1\n3,elm,52.2,east\n4,yew,52.3,13.3\n',
)

describe('rejected rows in the import page', async () => {
  const server = await startPageServer({ after }, { TERRANE_SAMPLE: 'off' })
  after(closeBrowser)

  it('are corrected in the table, sent again, and the import is undone and redone', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/import')
    await page.setInputFiles('input[type=file]', { ...points, buffer })
    await page.click('text=Take them as points')
    await page.waitForSelector('.found >> text=Ready')
    await page.click('text=Import 1 layer')
    await page.waitForSelector('.correct-rows tbody tr:nth-child(2)')
    await expectSound(shown, 'mend-refused-1440-light')
    await page.click('text=Load the other 2 rows')
    await page.waitForSelector('text=The layer is published without these rows')
    await expectSound(shown, 'mend-rows-1440-light')
    const first = page.getByLabel('Row 2, lat')
    assert.equal(await first.inputValue(), 'north')
    await first.fill('52.1')
    await page.getByLabel('Row 3, lon').fill('east of the yew')
    await page.waitForSelector('text=2 of 2 corrected')
    await page.click('text=Send 2 rows again')
    await page.waitForSelector('text=1 is loaded, 1 rejected again')
    assert.deepEqual(await page.locator('.sum b').allTextContents(), ['4', '2', '1', '1'])
    await page.getByLabel('Row 3, lon').fill('13.2')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.sum > div:nth-child(4) >> text=2')
    assert.deepEqual(await page.locator('.sum b').allTextContents(), ['4', '2', '0', '2'])

    await page.click('button >> text=Undo')
    await page.waitForSelector('button >> text=Redo')
    const layer = await fetch(`${server.url}/rest/layers/default:trees`, { headers })
    assert.equal(layer.status, 404)
    await page.reload()
    await page.click('button >> text=Redo')
    await page.waitForSelector('button >> text=Undo')
    const items = await fetch(`${server.url}/ogc/collections/default:trees/items`, { headers })
    assert.equal(((await items.json()) as { numberMatched: number }).numberMatched, 4)
    assert.deepEqual(shown.faults, [])
  })

  for (const [width, colorScheme] of [
    [390, 'dark'],
    [768, 'light'],
  ] as const)
    it(`look right at ${width} pixels, ${colorScheme}, whatever stands in them`, async (t) => {
      const shown = await showPages(t, server, { width, colorScheme, locale: 'de' })
      const hostile = '<img src=x onerror=alert(1)> שלום 🌳 '
      await shown.signIn('/app/import')
      const rows = [
        '12,52.5,13.5',
        `1,"${hostile.repeat(200)}",13`,
        `2,"${'y'.repeat(3000)}",13`,
        '3,52,east',
      ]
      const content = Buffer.from(`id,lat,lon\n${rows.join('\n')}\n`)
      const { page } = shown
      await page.setInputFiles('input[type=file]', { ...points, name: `mend${width}.csv`, buffer: content })
      await page.click('text=Als Punkte nehmen')
      await page.waitForSelector('.found >> text=Bereit')
      await page.click('text=1 Layer importieren')
      await page.click('text=Die andere Zeile laden')
      await page.getByLabel('Zeile 4, lon').fill('14')
      await expectSound(shown, `mend-hostile-${width}-${colorScheme}`)
    })
})
