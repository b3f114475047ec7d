import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import {
  askServer,
  closeBrowser,
  type ShownPage,
  showPages,
  startPageServer,
} from '../../pages/support/shown-pages.ts'
import { expectSound, expectSoundIn } from '../../pages/support/states.ts'
import { points, type ShownRun } from '../../support/sources/source-client.ts'
import { until } from '../../support/until.ts'
import { startWebServer } from '../../support/web-server.ts'

describe('the pages of sources', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-source-pages-'))
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const env = { TERRANE_SAMPLE: 'off', TERRANE_IMPORT_ROOTS: folder, TERRANE_REMOTE_ALLOW: '127.0.0.1/32' }
  const server = await startPageServer({ after }, env)
  after(closeBrowser)
  const served = { text: points([[1, 'oak']]) }
  const web = await startWebServer({ after }, (_request, reply) => void reply.end(served.text))
  const runsOf = async (name: string): Promise<ShownRun[]> =>
    ((await askServer(server, `/rest/sources/${name}/runs`)) as { runs: ShownRun[] }).runs
  const ended = async (name: string, count: number): Promise<void> =>
    until(async () => {
      const runs = await runsOf(name)
      return runs.length >= count && runs.every(({ outcome }) => outcome !== null)
    })
  const create = (source: object) => askServer(server, '/rest/sources', { source })
  const history = ({ page }: ShownPage) => page.getByRole('region', { name: 'History' })

  it('create a source, run it, pause it, change its schedule and delete it', async (t) => {
    const shown = await showPages(t, server, { timezoneId: 'Europe/Berlin' })
    const { page } = shown
    await shown.signIn('/app/workspaces')
    await page.getByRole('navigation', { name: 'What is managed' }).getByText('Sources').click()
    await page.getByText('Keep layers up to date automatically').waitFor()
    await expectSoundIn(shown, 'sources-empty', [
      [1440, 'light'],
      [390, 'dark'],
    ])
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('link', { name: 'Add source' }).click()
    await page.getByLabel('Name', { exact: true }).fill('trees')
    await page.getByLabel('Address', { exact: true }).fill(`${web}/trees.geojson`)
    await page.getByLabel('Layer name').fill('trees')
    await page.getByLabel('If the layer exists').selectOption('Update by key')
    await page.getByLabel('Match rows by').fill('gid')
    await page.getByLabel('Delete rows that are no longer in the data').check()
    await page.getByLabel('Time', { exact: true }).fill('02:30')
    await page.getByLabel('Most rows removed').fill('30')
    await page.getByLabel('Receivers').fill('nobody at all')
    await expectSoundIn(shown, 'sources-new', [
      [1440, 'light'],
      [768, 'dark'],
      [390, 'light'],
    ])
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('button', { name: 'Create source' }).click()
    await page.getByRole('alert').filter({ hasText: '"receivers" takes mail addresses' }).waitFor()
    assert.equal(await page.getByLabel('Match rows by').inputValue(), 'gid', 'what was typed stays')
    await page.getByLabel('Receivers').fill('duty@example.org')
    await page.getByRole('button', { name: 'Create source' }).click()
    await page.waitForURL(/\/app\/sources\/trees$/)
    await history(shown).getByText('Loaded').waitFor()
    await page.getByText('Daily at 02:30 (Europe/Berlin)').waitFor()

    served.text = points([
      [1, 'birch'],
      [2, 'elm'],
      [3, 'ash'],
    ])
    await page.getByRole('button', { name: 'Run now' }).click()
    await history(shown).getByText('+2').waitFor()
    await history(shown).getByText('~1').waitFor()
    await expectSoundIn(shown, 'sources-one', [
      [1440, 'light'],
      [1440, 'dark'],
      [768, 'light'],
      [390, 'light'],
    ])
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('status').filter({ hasText: 'Paused' }).first().waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()

    await page.getByLabel('Run', { exact: true }).selectOption('Every week')
    await page.getByLabel('Day of the week').selectOption({ value: '5' })
    await page.getByText('Unsaved changes').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Fri at 02:30 (Europe/Berlin)').waitFor()
    const { source } = (await askServer(server, '/rest/sources/trees')) as { source: Record<string, unknown> }
    assert.deepEqual(source['schedule'], { cron: '30 2 * * 5', timeZone: 'Europe/Berlin' })
    assert.deepEqual([source['keys'], source['deleteMissing']], [['gid'], true])
    assert.deepEqual(source['stopIf'], { removed: { percent: 30 } })

    await history(shown)
      .getByRole('link', { name: /Difference/ })
      .first()
      .click()
    await page.waitForURL(/\/app\/layers\/default%3Atrees\?from=1&to=2$/)
    await page
      .getByRole('region', { name: /Source of this layer/ })
      .getByText('trees')
      .waitFor()
    await expectSound(shown, 'sources-layer-1440-light')
    await page.goBack()
    await page.getByRole('button', { name: 'Delete source' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete source' }).click()
    await page.waitForURL(/\/app\/sources$/)
    await page.getByText('Keep layers up to date automatically').waitFor()
    assert.deepEqual(shown.faults, [])
  })

  it('show what stopped a run, and let a person accept it', async (t) => {
    const file = join(folder, 'lakes.geojson')
    const rows = Array.from({ length: 10 }, (_, at): [number, string] => [at + 1, `lake ${at}`])
    writeFileSync(file, points(rows))
    await create({
      name: 'lakes',
      data: { type: 'file', location: file },
      target: { layer: 'lakes' },
      updateMode: 'UPSERT',
      keys: ['gid'],
      deleteMissing: true,
      stopIf: { removed: { percent: 20 } },
    })
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/sources/lakes')
    await page.getByRole('button', { name: 'Run now' }).click()
    await history(shown).getByText('Loaded').waitFor()
    writeFileSync(file, points(rows.slice(0, 5)))
    await page.getByRole('button', { name: 'Run now' }).click()
    const stopped = page.getByRole('region', { name: 'A limit stopped the last run' })
    await stopped.getByText('50').waitFor()
    await expectSoundIn(shown, 'sources-stopped', [
      [1440, 'light'],
      [390, 'dark'],
    ])
    await page.setViewportSize({ width: 1440, height: 900 })
    await stopped.getByRole('button', { name: 'Accept new data' }).click()
    await stopped.waitFor({ state: 'detached' })
    await history(shown).getByText('accepted by admin').waitFor()
    const path = '/ogc/collections/default:lakes/items?f=json'
    assert.equal(((await askServer(server, path)) as { numberMatched: number }).numberMatched, 5)
    assert.deepEqual(shown.faults, [])
  })

  it('list sources with their problems, in English and German', async (t) => {
    await create({
      name: 'gone',
      data: { type: 'remote', location: `${web.replace(/\d+$/, '9')}/nothing.gpkg` },
      retry: { times: 0 },
      schedule: { cron: '*/15 * * * *' },
    })
    await create({
      name: 'inbox',
      data: { type: 'directory', location: folder },
      updateMode: 'APPEND',
      schedule: { watch: true, quietSeconds: 86_400 },
      enabled: false,
    })
    await askServer(server, '/rest/sources/gone/run', {})
    await ended('gone', 1)
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/sources')
    const row = page.locator('tr', { hasText: 'gone' })
    await row.getByText('It has never succeeded.').waitFor()
    await row.getByText('Every 15 minutes (UTC)').waitFor()
    await page.locator('tr', { hasText: 'inbox' }).getByText('Paused').waitFor()
    await page.getByText(/3 sources, 1 problem\./).waitFor()
    await expectSoundIn(shown, 'sources-list', [
      [1440, 'light'],
      [1440, 'dark'],
      [768, 'light'],
      [390, 'light'],
    ])
    await page.getByLabel('Find by name').fill('inbox')
    await row.waitFor({ state: 'detached' })
    await shown.open('/app/sources/gone')
    await history(shown).getByText('Failed').waitFor()
    await expectSound(shown, 'sources-failed-390-light')

    const german = await showPages(t, server, { locale: 'de', width: 768 })
    await german.signIn('/app/sources')
    await german.page.locator('tr', { hasText: 'gone' }).getByText('Sie war noch nie erfolgreich.').waitFor()
    await expectSound(german, 'sources-list-de-768-light')
    await german.open('/app/sources/gone')
    await german.page.getByRole('button', { name: 'Jetzt ausführen' }).waitFor()
    await expectSound(german, 'sources-one-de-768-light')
    assert.deepEqual([...shown.faults, ...german.faults], [])
  })

  it('save a finished import as a source, and import its layer again', async (t) => {
    served.text = points([[1, 'spring']])
    const data = { type: 'remote', location: `${web}/springs.geojson` }
    const made = (await askServer(server, '/rest/imports', { import: { data } })) as {
      import: { id: number }
    }
    const { id } = made.import
    await askServer(server, `/rest/imports/${id}`, undefined, 'POST')
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn(`/app/imports/${id}`)
    await page.getByRole('link', { name: 'Save as source' }).click()
    assert.equal(await page.getByLabel('Address', { exact: true }).inputValue(), data.location)
    assert.equal(await page.getByLabel('Layer name').inputValue(), 'springs')
    await page.getByLabel('Run it now').uncheck()
    await page.getByRole('button', { name: 'Create source' }).click()
    await page.waitForURL(/\/app\/sources\/springs$/)
    await page.getByText('No runs yet').waitFor()
    await shown.open('/app/layers/default:springs')
    await page.getByText('Not run yet').waitFor()
    served.text = points([
      [1, 'spring'],
      [2, 'well'],
    ])
    await page.getByRole('button', { name: 'Import again' }).click()
    await page.waitForURL(/\/app\/sources\/springs$/)
    await history(shown).getByText('Loaded').waitFor()
    assert.equal((await runsOf('springs'))[0]?.rows, 2)
    assert.deepEqual(shown.faults, [])
  })
})
