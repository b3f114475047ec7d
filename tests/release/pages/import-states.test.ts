import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { closeBrowser, showPages, startPageServer } from '../../pages/support/shown-pages.ts'

const trees = {
  name: 'trees.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from('id,kind,lat,lon\n1,oak,52,13\n2,ash,52.1,13.1\n3,elm,north,13.2\n'),
}
const hostile = '<img src=x onerror=alert(1)> שלום 🌳 '

describe('states of the pages of an import', async () => {
  const server = await startPageServer({ after }, { TERRANE_SAMPLE: 'off' })
  after(closeBrowser)

  it('show what is true when the server was killed meanwhile', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/import')
    await page.setInputFiles('input[type=file]', { ...trees, name: 'killed.csv' })
    await page.click('text=Take them as points')
    await page.waitForSelector('.found >> text=Ready')
    await server.kill()
    await page.click('text=Import 1 layer')
    await page.waitForSelector('text=The server does not answer')
    await server.start()
    await page.reload()
    await page.waitForSelector('.found >> text=Ready')
    await page.click('text=Import 1 layer')
    await page.waitForSelector('.sum')
  })

  it('show hostile names as they are, no wider than a phone', async (t) => {
    const shown = await showPages(t, server, { width: 390, locale: 'de', colorScheme: 'dark' })
    const { page } = shown
    await shown.signIn('/app/import')
    const name = `${hostile}${'x'.repeat(120)}.csv`
    const buffer = Buffer.from(`"${hostile}${'y'.repeat(3000)}",lat,lon\n"${hostile.repeat(300)}",52,13\n`)
    await page.setInputFiles('input[type=file]', { ...trees, name, buffer })
    await page.waitForSelector('.grid td')
    assert.deepEqual(await shown.wide(), [])
    assert.deepEqual(await shown.violations(), [])
    assert.equal(await page.locator('main img').count(), 0)
    assert.deepEqual(shown.faults, [])
  })

  it('have no violation of axe, dark', async (t) => {
    const shown = await showPages(t, server, { colorScheme: 'dark' })
    await shown.signIn('/app/import')
    await shown.page.waitForSelector('h1')
    assert.deepEqual(await shown.violations(), [])
    await shown.open('/app/imports')
    await shown.page.waitForSelector('td a')
    assert.deepEqual(await shown.violations(), [])
    await shown.open('/app/imports/0')
    await shown.page.waitForSelector('.sum')
    assert.deepEqual(await shown.violations(), [])
    await shown.open('/app/layers/default:killed')
    await shown.page.waitForSelector('td >> text=ash')
    assert.deepEqual(await shown.violations(), [])
  })
})
