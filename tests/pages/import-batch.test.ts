import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { prepareImport } from './support/import-data.ts'
import { closeBrowser, showPages, startPageServer } from './support/shown-pages.ts'
import { expectSound } from './support/states.ts'

const layers = 60

function tables(): Record<string, string> {
  const files: Record<string, string> = {}
  for (let number = 0; number < layers; number += 1)
    files[`area_${String(number).padStart(2, '0')}.csv`] = `id,lat,lon\n${number},52,13\n`
  return files
}

describe('an import of many layers', async () => {
  const server = await startPageServer({ after }, { TERRANE_SAMPLE: 'off' })
  after(closeBrowser)
  let id = 0
  before(async () => {
    id = await prepareImport(server, tables())
  })

  it('lists those in sight, is walked by J and K, narrowed by name, and loaded as one', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn(`/app/imports/${id}`)
    await page.getByRole('button', { name: `All ${layers}` }).waitFor()
    assert.ok((await page.locator('.found li').count()) < 40)
    await page.locator('h2.title >> text=area_00').waitFor()
    await page.keyboard.press('j')
    await page.locator('h2.title >> text=area_01').waitFor()
    await page.keyboard.press('k')
    await page.locator('h2.title >> text=area_00').waitFor()
    await page.getByLabel('Find a layer').fill('area_57')
    await page.locator('.found button >> text=area_57').click()
    await page.locator('h2.title >> text=area_57').waitFor()
    assert.match(page.url(), /q=area_57/)
    await expectSound(shown, 'import-batch-1440-light')
    await page.getByLabel('Find a layer').fill('')
    await page.getByRole('button', { name: `Import ${layers} layers` }).click()
    await page.getByRole('button', { name: `Done ${layers}` }).waitFor()
    await page.getByRole('link', { name: 'Import something else' }).waitFor()
    assert.deepEqual(shown.faults, [])
  })

  it('is decided on a phone, in German and in the dark, no wider than the window', async (t) => {
    const own = await prepareImport(server, { 'a.csv': 'id,lat,lon\n1,52,13\n' })
    const shown = await showPages(t, server, { width: 390, colorScheme: 'dark', locale: 'de' })
    const { page } = shown
    await shown.signIn(`/app/imports/${own}`)
    await page.getByText('Grenzen: anhalten, was falsch aussieht').click()
    await page.getByRole('button', { name: 'Ausprobieren' }).click()
    await page.locator('.diff b, .asides').first().waitFor()
    await expectSound(shown, 'import-decide-390-dark')
  })
})
