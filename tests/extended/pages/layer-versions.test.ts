import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { askServer, closeBrowser, showPages, startPageServer } from '../../pages/support/shown-pages.ts'
import { expectSound } from '../../pages/support/states.ts'

const layer = 'default:countries'
const path = `/app/layers/${layer}`
const items = `/ogc/collections/${layer}/items`

describe('versions of a layer', async () => {
  const server = await startPageServer({ after })
  after(closeBrowser)
  await askServer(server, `${items}/1`, { type: 'Feature', properties: { NAME: 'Altered' } }, 'PATCH')
  await askServer(server, `${items}/2`, undefined, 'DELETE')

  it('are compared with old and new values, and restored', async (t) => {
    const shown = await showPages(t, server)
    await shown.signIn(path)
    const { page } = shown
    const strata = page.locator('.strata li')
    await strata.nth(1).getByRole('button', { name: 'Compare' }).click()
    await page.locator('.changes .changed >> text=Altered').waitFor()
    await page.locator('.compare .canvas[data-drawn=yes]').waitFor()
    await expectSound(shown, 'layer-compare-1440-light')
    await page.reload()
    await page.locator('.changes .removed').waitFor()
    await page.locator('.compare').getByRole('button', { name: 'Close' }).click()
    await strata.nth(1).getByRole('button', { name: 'Look at' }).click()
    await page.locator('.lay-table >> text=242 rows').waitFor()
    await page.locator('.note.warn >> text=Back to now').click()
    await page.locator('.lay-table >> text=241 rows').waitFor()
    await strata.nth(1).getByRole('button', { name: 'Keep for good' }).click()
    await page.locator('.strata >> text=pinned').waitFor()
    await strata.nth(1).getByRole('button', { name: 'Restore' }).click()
    await page.locator('.lay-table >> text=242 rows').waitFor()
    assert.deepEqual(shown.faults, [])
  })

  it('bring a deleted layer back at its address, also when the server was killed meanwhile', async (t) => {
    const shown = await showPages(t, server, { width: 390, colorScheme: 'dark' })
    await shown.signIn('/app/layers/default:boundary_lines')
    const { page } = shown
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.locator('.goes >> text=185 rows will be deleted too').waitFor()
    await expectSound(shown, 'layer-delete-390-dark')
    await page.getByRole('button', { name: 'Delete the layer' }).click()
    await page.locator('text=This layer is deleted').waitFor()
    await expectSound(shown, 'layer-deleted-390-dark')
    await server.kill()
    await server.start()
    await page.reload()
    await page.locator('text=This layer is deleted').waitFor()
    await page.getByRole('button', { name: 'Restore' }).first().click()
    await page.locator('.lay-table >> text=185 rows').waitFor()
    assert.deepEqual(shown.faults, [])
  })
})
