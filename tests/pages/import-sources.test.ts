import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { dropFiles, slowUploads } from './support/drop-files.ts'
import { closeBrowser, showPages, startPageServer } from './support/shown-pages.ts'
import { expectSound } from './support/states.ts'

describe('what an import is made of', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-sources-'))
  const server = await startPageServer({ after }, { TERRANE_SAMPLE: 'off' })
  after(closeBrowser)
  after(() => rmSync(folder, { recursive: true, force: true }))
  const put = (name: string, content: string | Uint8Array): string => {
    const path = join(folder, name)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, content)
    return path
  }

  it('shows what belongs together and what is missing, and takes a part that comes later', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/import')
    const fixture = (ending: string) =>
      readFileSync(join(import.meta.dirname, `../fixtures/shapefile/coutwildrnp.${ending}`))
    put('towns/towns.shp', fixture('shp'))
    put('towns/towns.shx', fixture('shx'))
    put('towns/.DS_Store', 'not for anybody')
    put('towns/deep/list.csv', 'a,b\n1,2\n')
    await page.waitForSelector('.drop')
    await dropFiles(page, [join(folder, 'towns')])
    const set = page.locator('.ups > li', { hasText: 'towns.shp' })
    await set.getByText('Without its .dbf it would have no columns').waitFor()
    await set.getByText('Drop .dbf and .prj here to add them').waitFor()
    await set.getByText('Part missing').waitFor()
    await page.locator('.ups > li', { hasText: 'list.csv' }).getByText('All there').waitFor()
    assert.equal(await page.locator('.ups > li').count(), 2)
    await expectSound(shown, 'import-sources-missing-1440-light')
    await dropFiles(page, [put('towns.dbf', fixture('dbf'))])
    await set.getByText('Drop the .prj here').waitFor()
    await page.click('text=Look at 2 datasets')
    await page.waitForURL(/\/app\/imports\/\d+$/)
    await page.click('.found >> text=towns')
    await page.waitForSelector('td >> text=Wilderness')
    assert.deepEqual(shown.faults, [])
  })

  it('goes on where an upload ended: after a pause, a kill of the server, a reload of the page', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    const size = 6_000_000
    const line = 'point,13.4,52.5\n'
    const path = put('big.csv', `name,lon,lat\n${line.repeat(size / line.length)}`)
    await shown.signIn('/app/import')
    const sent: { offset: number; after: string }[] = []
    let stage = 'first'
    page.on('request', (request) => {
      if (request.method() !== 'PATCH') return
      sent.push({ offset: Number(request.headers()['upload-offset']), after: stage })
    })
    await slowUploads(page, 1_500_000)
    await page.setInputFiles('input[type=file]', path)
    const row = page.locator('.ups > li', { hasText: 'big.csv' })
    const bar = row.locator('[role=progressbar]:not([aria-valuenow="0"])')
    await bar.waitFor()
    await row.getByRole('button', { name: 'Pause big.csv' }).click()
    await row.getByText('Paused').waitFor()
    await expectSound(shown, 'import-sources-paused-1440-light')
    stage = 'pause'
    await row.getByRole('button', { name: 'Go on with big.csv' }).click()
    await row.getByText('On its way').waitFor()
    await server.kill()
    await row.getByText('The server does not answer').waitFor()
    await server.start()
    stage = 'kill'
    await row.getByText('On its way').waitFor()
    await bar.waitFor()
    await page.reload()
    stage = 'reload'
    await row.getByText('Drop it again to go on').waitFor()
    await expectSound(shown, 'import-sources-again-1440-light')
    await slowUploads(page, 0)
    await page.setInputFiles('input[type=file]', path)
    await page.waitForURL(/\/app\/imports\/\d+$/)
    for (const one of ['kill', 'reload'])
      assert.ok((sent.find(({ after }) => after === one)?.offset ?? 0) > 0, `${one}: ${JSON.stringify(sent)}`)
    await page.waitForSelector('text=Take them as points')
    assert.deepEqual(shown.faults, [])
  })
})
