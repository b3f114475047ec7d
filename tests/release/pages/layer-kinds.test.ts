import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { asAdmin } from '../../pages/support/import-data.ts'
import { closeBrowser, showPages, startPageServer } from '../../pages/support/shown-pages.ts'
import { expectSoundIn, type View } from '../../pages/support/states.ts'

const rasters = join(import.meta.dirname, '../../fixtures/raster')
const views: View[] = [
  [1440, 'light'],
  [390, 'dark'],
]

describe('layers of other kinds', async () => {
  const server = await startPageServer({ after }, { TERRANE_SAMPLE: 'off' })
  after(closeBrowser)

  /** Imports a file unchanged. */
  async function load(name: string, bytes: Uint8Array<ArrayBuffer>, srs?: string): Promise<void> {
    const made = (await asAdmin(server, 'POST', '/rest/imports', { import: {} })) as {
      import: { id: number }
    }
    const form = new FormData()
    form.append('filedata', new Blob([bytes]), name)
    const path = `/rest/imports/${made.import.id}`
    await asAdmin(server, 'POST', `${path}/tasks`, form)
    if (srs !== undefined) await asAdmin(server, 'PUT', `${path}/tasks/0/layer`, { layer: { srs } })
    await asAdmin(server, 'POST', path)
  }

  it('are rasters: a map with its legend, and no table', async (t) => {
    await load('relief.tif', new Uint8Array(readFileSync(join(rasters, 'RGB.byte.tif'))))
    const shown = await showPages(t, server)
    await shown.signIn('/app/layers/default:relief')
    await shown.page.waitForSelector('.canvas[data-drawn=yes]')
    await shown.page.getByText('A raster has cells instead of rows').waitFor()
    assert.deepEqual(await shown.page.locator('main', { hasText: /0 rows|holds nothing/ }).count(), 0)
    await shown.page.locator('.lay-legend').getByRole('img').waitFor()
    await expectSoundIn(shown, 'layer-raster', views)
    await shown.page.getByRole('link', { name: 'Style', exact: true }).click()
    await shown.page.getByRole('button', { name: 'Ramp', exact: true }).waitFor()
    assert.deepEqual(shown.faults, [])
  })

  it('are tables without geometry: rows that are filtered, and no map', async (t) => {
    const rows = Array.from({ length: 300 }, (_, at) => `${at},name ${at % 7}`)
    await load('list.csv', new TextEncoder().encode(`number,text\n${rows.join('\n')}\n`), 'EPSG:4326')
    const shown = await showPages(t, server)
    await shown.signIn('/app/layers/default:list')
    await shown.page.getByText('The rows have no geometry').waitFor()
    await shown.page.locator('.lay-table >> text=300 rows').waitFor()
    await shown.page.locator('.facts >> text=300 rows').waitFor()
    assert.equal(await shown.page.locator('main').getByText('no known CRS').count(), 0)
    assert.equal(await shown.page.getByRole('link', { name: 'Style' }).count(), 0)
    await shown.page.getByRole('button', { name: 'Filter rows' }).click()
    await shown.page.getByLabel('Column').selectOption('text')
    await shown.page.getByLabel('Value').fill('name 3')
    await shown.page.keyboard.press('Enter')
    await shown.page.locator('.lay-table >> text=43 rows found').waitFor()
    await expectSoundIn(shown, 'layer-without-geometry', views)
  })
})
