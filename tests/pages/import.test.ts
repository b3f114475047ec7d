import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { closeBrowser, showPages, startPageServer } from './support/shown-pages.ts'

const trees = {
  name: 'trees.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from('id,kind,lat,lon\n1,oak,52,13\n2,ash,52.1,13.1\n3,elm,north,13.2\n'),
}

describe('the pages of an import', async () => {
  const server = await startPageServer({ after }, { TERRANE_SAMPLE: 'off' })
  after(closeBrowser)

  it('lead from a file to its layer on a map', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/import')
    await page.setInputFiles('input[type=file]', trees)
    await page.waitForURL(/\/app\/imports\/0$/)
    await page.click('text=Take them as points')
    await page.waitForSelector('.found >> text=Ready')
    await page.waitForSelector('.maplibregl-canvas')
    await page.waitForSelector('td >> text=oak')
    await page.reload()
    await page.waitForSelector('td >> text=oak')
    await page.click('text=Import 1 layer')
    await page.waitForSelector('text=Show the layer')
    assert.deepEqual(await page.locator('.sum b').allTextContents(), ['3', '2', '1'])
    const tile = page.waitForResponse((reply) => /\/tiles\/default:trees\/\d+\/.*\.mvt/.test(reply.url()))
    await page.click('text=Show the layer')
    assert.ok([200, 204].includes((await tile).status()))
    await page.waitForSelector('h1 >> text=trees')
    await page.waitForSelector('td >> text=ash')
    await page.goBack()
    await page.waitForSelector('.sum')
    assert.deepEqual(shown.faults, [])
  })

  it('go on after a session that has ended, with what was on them', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/import')
    await page.setInputFiles('input[type=file]', { ...trees, name: 'more.csv' })
    await page.click('text=Take them as points')
    await page.waitForSelector('.found >> text=Ready')
    await page.context().clearCookies()
    const dialog = page.waitForSelector('dialog >> text=Your session has ended')
    // The page may find it out itself, as it looks for what others have done.
    const isClicked = await page.click('text=Import 1 layer', { timeout: 10_000 }).then(
      () => true,
      () => false,
    )
    await dialog
    assert.deepEqual(await shown.violations(), [])
    await page.fill('dialog input[name=password]', 'wrong-password-again')
    await page.click('dialog button[type=submit]')
    await page.waitForSelector('dialog .err')
    await page.fill('dialog input[name=password]', 'pages-are-looked-at')
    await page.click('dialog button[type=submit]')
    if (!isClicked) await page.click('text=Import 1 layer')
    await page.waitForSelector('.sum')
  })

  it('have no violation of axe', async (t) => {
    const shown = await showPages(t, server)
    await shown.signIn('/app/import')
    await shown.page.waitForSelector('h1')
    assert.deepEqual(await shown.violations(), [])
    await shown.open('/app/imports')
    await shown.page.waitForSelector('td a')
    assert.deepEqual(await shown.violations(), [])
    await shown.open('/app/imports/0')
    await shown.page.waitForSelector('.sum')
    assert.deepEqual(await shown.violations(), [])
    await shown.open('/app/layers/default:trees')
    await shown.page.waitForSelector('td >> text=ash')
    assert.deepEqual(await shown.violations(), [])
  })
})
