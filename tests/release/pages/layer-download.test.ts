import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { closeBrowser, showPages, startPageServer } from '../../pages/support/shown-pages.ts'
import { expectSoundIn } from '../../pages/support/states.ts'

const path = '/app/layers/default:countries'

describe('downloads on the page of a layer', async () => {
  const server = await startPageServer({ after })
  after(closeBrowser)

  it('are made with progress and saved, with what the format has lost', async (t) => {
    const shown = await showPages(t, server)
    await shown.signIn(path)
    const { page } = shown
    const panel = page.locator('#download')
    await panel.getByLabel('Format').selectOption('Shapefile')
    await panel.getByText('In a zip.').waitFor()
    await panel.getByLabel('Coordinate system').fill('EPSG:3857')
    const saved = page.waitForEvent('download')
    await panel.getByRole('button', { name: 'Download' }).click()
    const file = await saved
    assert.equal(file.suggestedFilename(), 'default-countries.zip')
    assert.ok(statSync(await file.path()).size > 10_000)
    await panel.getByText('The file is ready').waitFor()
    await panel.getByText('Not as in the layer').click()
    await panel.getByText('no file is larger than 2 GB').waitFor()
    await expectSoundIn(shown, 'layer-download', [
      [1440, 'light'],
      [768, 'dark'],
      [390, 'light'],
    ])
  })

  it('are of what the map shows, and tell what the server refuses', async (t) => {
    const shown = await showPages(t, server)
    await shown.signIn(`${path}?bbox=5,45,16,56`)
    const { page } = shown
    const panel = page.locator('#download')
    await panel.getByText('Only what the map shows').waitFor()
    await panel.getByLabel('Coordinate system').fill('EPSG:0')
    await panel.getByRole('button', { name: 'Download' }).click()
    await panel.getByText('is not a known CRS').waitFor()
    await panel.getByLabel('Format').selectOption('KML')
    await panel.getByText('Always WGS 84', { exact: true }).waitFor()
    const saved = page.waitForEvent('download')
    await panel.getByRole('button', { name: 'Download' }).click()
    assert.equal((await saved).suggestedFilename(), 'default-countries.kml')
  })
})
