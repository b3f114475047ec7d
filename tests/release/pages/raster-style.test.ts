import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { asAdmin } from '../../pages/support/import-data.ts'
import {
  askServer,
  closeBrowser,
  password,
  showPages,
  startPageServer,
} from '../../pages/support/shown-pages.ts'
import { expectSound, expectSoundIn } from '../../pages/support/states.ts'

const file = join(import.meta.dirname, '../../fixtures/raster/RGB.byte.tif')

describe('the colours of a raster', async () => {
  const server = await startPageServer({ after }, { TERRANE_SAMPLE: 'off' })
  after(closeBrowser)
  const id = 'default:relief'
  const path = `/app/layers/${id}/style`
  const layer = async () =>
    (await askServer(server, `/rest/layers/${id}`)) as { layer: { defaultStyle: { name: string } } }

  before(async () => {
    const made = (await asAdmin(server, 'POST', '/rest/imports', { import: {} })) as {
      import: { id: number }
    }
    const form = new FormData()
    form.append('filedata', new Blob([new Uint8Array(readFileSync(file))]), 'relief.tif')
    await asAdmin(server, 'POST', `/rest/imports/${made.import.id}/tasks`, form)
    await asAdmin(server, 'POST', `/rest/imports/${made.import.id}`)
  })

  it('are chosen with the map following, by keyboard too, and saved as a style that the server draws', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    const tried: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().includes('/tiles/'))
        tried.push(request.postData() ?? '')
    })
    await shown.signIn(path)
    await page.waitForSelector('.canvas[data-drawn=yes]')
    await expectSound(shown, 'raster-style-plain-1440-light')
    assert.deepEqual(tried, [])
    await page.getByRole('button', { name: 'Ramp' }).click()
    await page.getByLabel('Band', { exact: true }).selectOption('2')
    await page.getByLabel('cividis').check()
    const handle = page.getByRole('slider').nth(2)
    const value = Number(await handle.getAttribute('aria-valuenow'))
    await handle.focus()
    await page.keyboard.press('Shift+ArrowRight')
    const moved = Number(await handle.getAttribute('aria-valuenow'))
    assert.ok(moved > value)
    const expected = `quantity=\\"${moved}\\"`
    await page.waitForResponse(
      (reply) => reply.request().postData()?.includes(expected) === true && reply.ok(),
    )
    await page.waitForSelector('.canvas[data-drawn=yes]')
    await expectSound(shown, 'raster-style-ramp-1440-light')
    await page.getByLabel('Legend text of', { exact: false }).first().fill('<b>tief & مرحبا')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The style is saved').waitFor()
    assert.equal((await layer()).layer.defaultStyle.name, 'relief')
    const { entries } = (await askServer(server, `/tiles/${id}/legend.json`)) as {
      entries: { ramp?: { stops: { value: number; label?: string }[] } }[]
    }
    const stops = entries.flatMap(({ ramp }) => ramp?.stops ?? [])
    assert.equal(stops[2]?.value, moved)
    assert.equal(stops[0]?.label, '<b>tief & مرحبا')
    await page.reload()
    await page.waitForSelector('[role=slider]')
    assert.equal(await page.getByLabel('cividis').isChecked(), true)
    assert.equal(Number(await handle.getAttribute('aria-valuenow')), moved)
    assert.equal(await page.getByRole('button', { name: 'Save' }).isDisabled(), true)
    assert.deepEqual(shown.faults, [])
  })

  it('are classes, shades or three bands, and are given up without a trace', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn(path)
    await page.waitForSelector('[role=slider]')
    await page.getByRole('button', { name: 'Classes' }).click()
    await page.getByLabel('Colours', { exact: true }).fill('7')
    await page.waitForResponse(
      (reply) => (reply.request().postData() ?? '').includes('intervals') && reply.ok(),
    )
    await page.locator('.cls tbody tr').nth(6).waitFor()
    await page.waitForSelector('.canvas[data-drawn=yes]')
    await expectSoundIn(shown, 'raster-style-classes', [
      [768, 'dark'],
      [390, 'light'],
    ])
    await page.getByRole('button', { name: 'Three bands' }).click()
    const red = page.getByRole('group', { name: 'Red' })
    await red.getByLabel('Dark to light').selectOption('all')
    await red.getByLabel('Dark from').fill('20')
    await red.getByLabel('Dark to light').locator('option[value=own]').waitFor({ state: 'attached' })
    await page.waitForResponse((reply) => (reply.request().postData() ?? '').includes('>20<') && reply.ok())
    await page.waitForSelector('.canvas[data-drawn=yes]')
    await expectSoundIn(shown, 'raster-style-three', [
      [1440, 'dark'],
      [390, 'dark'],
    ])
    await page.getByRole('button', { name: 'Shades' }).click()
    await page.getByLabel('Gamma').fill('1.5')
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('button', { name: 'Ramp', pressed: true }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Save' }).isDisabled(), true)
    assert.deepEqual(shown.faults, [])
  })

  it('are reached as WMS, WMTS, WCS and tiles by the addresses beside the map', async (t) => {
    const shown = await showPages(t, server)
    await shown.signIn(`/app/layers/${id}`)
    const list = shown.page.locator('.addresses li')
    await list.first().waitFor()
    const names = await list.locator('b').allInnerTexts()
    for (const name of ['WMS', 'WMTS', 'WCS', 'XYZ']) assert.ok(names.includes(name), names.join())
    for (const [service, reported] of [
      ['WMS', /<Name>default:relief<\/Name>/],
      ['WCS', /<wcs:CoverageId>default__relief<\/wcs:CoverageId>/],
    ] as const) {
      const address = await list.filter({ hasText: service }).locator('code').innerText()
      const capabilities = await fetch(`${address}?service=${service}&request=GetCapabilities`, {
        headers: { authorization: `Basic ${btoa(`admin:${password}`)}` },
      })
      assert.match(await capabilities.text(), reported)
    }
  })
})
