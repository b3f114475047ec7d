import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, it } from 'node:test'
import { dropFiles, slowUploads } from '../../pages/support/drop-files.ts'
import { closeBrowser, showPages, startPageServer } from '../../pages/support/shown-pages.ts'
import { expectSound } from '../../pages/support/states.ts'

describe('what an import is made of', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-sources-'))
  const server = await startPageServer({ after }, { TERRANE_SAMPLE: 'off', TERRANE_IMPORT_ROOTS: folder })
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
      readFileSync(join(import.meta.dirname, `../../fixtures/shapefile/coutwildrnp.${ending}`))
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

  it('comes from a folder, a file and a database of the server, and from an address', async (t) => {
    const shown = await showPages(t, server, { locale: 'de' })
    const { page } = shown
    put('public/towns.csv', 'name,lat,lon\nBerlin,52.5,13.4\n')
    const database = new DatabaseSync(put('people.gpkg', ''))
    database.exec(geopackage)
    database.close()
    await shown.signIn('/app/import')
    await page.getByText('Ein Ordner auf dem Server').click()
    await page.locator('.folders li button').first().click()
    await page.getByRole('button', { name: 'In public hinein' }).click()
    await page.getByRole('button', { name: 'towns.csv ansehen' }).waitFor()
    await expectSound(shown, 'import-folder-1440-light')
    await page.getByText('Diesen Ordner ansehen').click()
    await page.waitForURL(/\/app\/imports\/\d+$/)
    await page.waitForSelector('td >> text=Berlin')
    await shown.open('/app/import?from=database')
    await page.getByLabel('Art').selectOption('geopkg')
    await page.getByLabel('Datei auf dem Server').fill(join(folder, 'people.gpkg'))
    await page.getByText('Tabellen auflisten').click()
    await page.locator('.tables b', { hasText: 'people' }).waitFor()
    await expectSound(shown, 'import-database-1440-light')
    await page.getByText('1 Tabelle ansehen').click()
    await page.waitForURL(/\/app\/imports\/\d+$/)
    await page.waitForSelector('td >> text=Ada')
    await shown.open('/app/import?from=address')
    await page.getByLabel('Adresse').fill('gopher://example.org/x')
    await page.getByRole('button', { name: 'Ansehen', exact: true }).click()
    await page.locator('.source [role=alert]').waitFor()
    assert.deepEqual(shown.faults, [])
  })

  for (const [width, colorScheme] of [
    [768, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)
    it(`has hostile names and open forms within ${width} pixels, ${colorScheme}`, async (t) => {
      const shown = await showPages(t, server, { width, colorScheme, locale: 'de' })
      const { page } = shown
      await shown.signIn('/app/import?from=folder')
      const name = `<img src=x onerror=alert(1)> שלום 🌳 ${'x'.repeat(120)}`
      await page.setInputFiles('input[type=file]', [
        { name: `${name}.shp`, mimeType: '', buffer: Buffer.from('no shape') },
        { name: `${'y'.repeat(200)}.zip`, mimeType: '', buffer: Buffer.from('no zip') },
      ])
      await page.locator('.ups .st', { hasText: 'Ein Teil fehlt' }).waitFor()
      await page.locator('.folders li button').first().waitFor()
      await expectSound(shown, `import-sources-hostile-${width}-${colorScheme}`)
      assert.equal(await page.locator('main img').count(), 0)
      await page.getByRole('button', { name: 'Alle entfernen' }).click()
      await page.locator('.ups').waitFor({ state: 'detached' })
    })
})

const geopackage = `PRAGMA application_id=1196444487;
  CREATE TABLE gpkg_contents (table_name TEXT, data_type TEXT, identifier TEXT, description TEXT, last_change TEXT,
    min_x REAL, min_y REAL, max_x REAL, max_y REAL, srs_id INTEGER);
  CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT, srs_id INTEGER PRIMARY KEY, organization TEXT,
    organization_coordsys_id INTEGER, definition TEXT, description TEXT);
  CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT);
  INSERT INTO people VALUES (1, 'Ada');
  INSERT INTO gpkg_contents (table_name, data_type, identifier) VALUES ('people', 'attributes', 'people')`
