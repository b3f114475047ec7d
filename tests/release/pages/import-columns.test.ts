import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import type { Response } from 'playwright-core'
import { prepareImport } from '../../pages/support/import-data.ts'
import { closeBrowser, showPages, startPageServer } from '../../pages/support/shown-pages.ts'
import { expectSound } from '../../pages/support/states.ts'

function csv(name: string, text: string) {
  return { name, mimeType: 'text/csv', buffer: Buffer.from(text) }
}

const towns = csv(
  'towns.csv',
  'name,people,since,lat,lon,note\nBerlin,3878100,1237,52.5,13.4,\nHamburg,1910160,808,53.5,10,\nBern,x,1191,46.9,7.4,\n',
)

describe('the columns of an import', async () => {
  const server = await startPageServer({ after }, { TERRANE_SAMPLE: 'off' })
  after(closeBrowser)

  it('are left out and brought again, renamed, and given other types, as the server says', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/import')
    await page.setInputFiles('input[type=file]', towns)
    await page.getByText('Take them as points').click()
    const grid = page.locator('.rows-grid')
    await grid.locator('td', { hasText: 'Hamburg' }).waitFor()
    await page.getByRole('checkbox', { name: 'Bring note' }).click()
    await page.getByText('1 column is not imported').waitFor()
    await page.getByRole('textbox', { name: 'Name of people' }).fill('inhabitants')
    await page.keyboard.press('Tab')
    await page.getByRole('combobox', { name: 'Type of inhabitants' }).selectOption('java.lang.Integer')
    await page.locator('.colh', { hasText: '1910160' }).waitFor()
    await page.reload()
    await page.getByRole('combobox', { name: 'Type of inhabitants' }).waitFor()
    await grid.locator('td', { hasText: 'Berlin' }).waitFor()
    assert.equal(
      await grid.locator('td', { hasText: /^Bern$/ }).count(),
      0,
      'a row that cannot be loaded is left out',
    )
    await expectSound(shown, 'import-columns-1440-light')
    await page.getByRole('button', { name: 'Bring note again' }).click()
    await page.getByRole('checkbox', { name: 'Bring note' }).waitFor()
    await page.getByRole('textbox', { name: 'Name of name' }).fill('inhabitants')
    await page.keyboard.press('Tab')
    await page.locator('.data [role=alert]').getByText('Two attributes are named "inhabitants"').waitFor()
  })

  it('go through steps that are added, moved by keyboard and refused beside the step', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/import')
    await page.setInputFiles('input[type=file]', { ...towns, name: 'steps.csv' })
    await page.getByText('Take them as points').click()
    const steps = page.locator('.steps-of')
    await steps.getByText('Make points of columns').waitFor()
    await steps.getByRole('button', { name: 'Add a step' }).click()
    await steps.getByRole('combobox', { name: 'What is done' }).selectOption('IntegerFieldToDateTransform')
    await steps.getByRole('combobox', { name: 'Column' }).fill('nowhere')
    await steps.getByRole('button', { name: 'Add', exact: true }).click()
    await steps.getByText('Field "nowhere" does not exist').waitFor()
    await expectSound(shown, 'import-steps-refused-1440-light')
    await steps.getByRole('combobox', { name: 'Column' }).fill('since')
    await steps.getByRole('button', { name: 'Add', exact: true }).click()
    await steps.locator('li', { hasText: 'Make dates of years' }).waitFor()
    await page.locator('.rows-grid td', { hasText: '1237-01-01' }).waitFor()
    const up = steps.getByRole('button', { name: 'Move Make dates of years up' })
    await up.focus()
    await page.keyboard.press('Enter')
    await steps.locator('li').first().getByText('Make dates of years').waitFor()
    await steps.locator('button:focus').waitFor()
    await page.keyboard.press('Enter')
    await steps.locator('li').last().getByText('Make dates of years').waitFor()
    await steps.getByRole('button', { name: 'Remove Make dates of years' }).click()
    await steps.locator('li', { hasText: 'Make dates of years' }).waitFor({ state: 'detached' })
    assert.deepEqual(shown.faults, [])
  })

  it('and rows are all there, a few of them in the document: 200,000 rows, 300 columns', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/import')
    const rows = Array.from({ length: 200_000 }, (_, at) => `${at + 1},row ${at + 1}`).join('\n')
    await page.setInputFiles('input[type=file]', csv('many.csv', `id,name\n${rows}\n`))
    const grid = page.locator('.rows-grid')
    await grid.locator('td', { hasText: /^row 1$/ }).waitFor()
    await page.getByText('200,000 rows, 2 columns').waitFor()
    await grid.evaluate((box) => box.scrollTo(0, box.scrollHeight))
    await grid.locator('td', { hasText: /^row 200000$/ }).waitFor()
    assert.ok((await grid.locator('tbody tr').count()) <= 200)
    const wide = Array.from({ length: 300 }, (_, at) => `column${at}`)
    await shown.open('/app/import')
    await page.setInputFiles(
      'input[type=file]',
      csv('wide.csv', `${wide.join()}\n${`${wide.map((_, at) => at).join()}\n`.repeat(500)}`),
    )
    await grid.getByRole('textbox', { name: 'Name of column0', exact: true }).waitFor()
    assert.ok((await grid.locator('td').count()) < 1500)
    await grid.evaluate((box) => box.scrollTo(box.scrollWidth, 0))
    await grid.getByRole('textbox', { name: 'Name of column299' }).waitFor()
    await expectSound(shown, 'import-columns-wide-1440-light')
  })

  it('are asked for again where the task was changed while they were being read', async (t) => {
    const id = await prepareImport(server, { 'changed.csv': 'name,lat,lon\nelm,52,13\nyew,52.1,13.1\n' })
    const shown = await showPages(t, server)
    const { page } = shown
    const refused = new Set<string>()
    // The server refuses requests that were made for the task before its change.
    await page.route(/\/tasks\/0\/(?:rows|columns|preview\.geojson)/, (route) => {
      const { pathname } = new URL(route.request().url())
      if (refused.has(pathname)) return route.continue()
      refused.add(pathname)
      const body = JSON.stringify({ code: 'preview-not-ready', detail: 'The task was changed: ask again' })
      return route.fulfill({ status: 503, contentType: 'application/problem+json', body })
    })
    await shown.signIn(`/app/imports/${id}`)
    await page.locator('.rows-grid td', { hasText: 'yew' }).waitFor()
    await page.locator('.relmap [data-drawn]').waitFor()
    await page.locator('.colh', { hasText: '2 distinct' }).first().waitFor()
    assert.equal(refused.size, 3)
    assert.equal(await page.getByText('ask again').count(), 0)
    assert.deepEqual(shown.faults, [])
  })

  it('and the map of many rows, by tiles, share what is chosen', async (t) => {
    const side = 31
    const points = Array.from({ length: side * side }, (_, at) => {
      const [x, y] = [(at % side) - (side - 1) / 2, Math.floor(at / side) - (side - 1) / 2]
      return `point ${at + 1},${52 + y / 100},${13 + x / 100}`
    })
    const id = await prepareImport(server, { 'dense.csv': `name,lat,lon\n${points.join('\n')}\n` })
    const shown = await showPages(t, server)
    const { page } = shown
    // Some of the neighbouring tiles are empty.
    const isFull = (reply: Response): boolean =>
      reply.status() === 200 && /preview\/\d+\/\d+\/\d+\.mvt/.test(reply.url())
    const tile = page.waitForResponse(isFull)
    await shown.signIn(`/app/imports/${id}`)
    await tile
    await page.locator('.relmap [data-drawn]').waitFor()
    await page.getByRole('button', { name: 'Choose row 3', exact: true }).click()
    await page.waitForURL(/row=3$/)
    await page.locator('tr[aria-selected=true] >> text=point 3').waitFor()
    await page.locator('.relmap canvas').focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/row=481$/)
    await page.locator('tr[aria-selected=true] >> text=point 481').waitFor()
    await expectSound(shown, 'import-chosen-1440-light')
  })

  it('are where somebody says: candidates on maps, and systems by name', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/import')
    const parts = ['shp', 'shx', 'dbf'].map((ending) => ({
      name: `wild.${ending}`,
      mimeType: '',
      buffer: readFileSync(join(import.meta.dirname, `../../fixtures/shapefile/coutwildrnp.${ending}`)),
    }))
    await page.setInputFiles('input[type=file]', parts)
    await page.getByRole('button', { name: 'Look at 1 dataset' }).click()
    const where = page.getByRole('region', { name: 'Where does this lie?' })
    await where.getByLabel('Name, code, country, city or layer').fill('Conus Albers')
    await page.keyboard.press('Enter')
    await where.getByText('Systems that are called so').waitFor()
    await where.getByRole('radio', { name: /NAD83 \/ Conus Albers EPSG:5070/ }).check()
    await where.getByLabel('Name, code, country, city or layer').fill('Colorado')
    await page.keyboard.press('Enter')
    await where.locator('.crs label').first().waitFor()
    await where.locator('.mini canvas').first().waitFor()
    await where.locator('.crs input').first().focus()
    await page.keyboard.press('ArrowDown')
    await expectSound(shown, 'import-where-1440-light')
    await where.getByRole('button', { name: 'Use this CRS' }).click()
    await page.locator('.found').getByText('Ready').waitFor()
  })
})
