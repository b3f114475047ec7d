import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { asAdmin, prepareImport } from '../../pages/support/import-data.ts'
import { scrolled } from '../../pages/support/keyboard.ts'
import { writeCountries } from '../../pages/support/many-files.ts'
import { closeBrowser, showPages, startPageServer } from '../../pages/support/shown-pages.ts'
import { expectSound } from '../../pages/support/states.ts'
import { writePastImports } from '../../support/past-imports.ts'

const layers = 60

function tables(): Record<string, string> {
  const files: Record<string, string> = {}
  for (let number = 0; number < layers; number += 1)
    files[`area_${String(number).padStart(2, '0')}.csv`] = `id,lat,lon\n${number},52,13\n`
  return files
}

const expected = { whole: 138, withoutCrs: 31, tables: 29, broken: 2 }

interface Task {
  id: number
  state: string
  rejectLimit?: string
  layer: { name: string; srs?: string }
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
    const now = (await asAdmin(server, 'GET', `/rest/imports/${id}?expand=all`)) as {
      import: { tasks: Task[] }
    }
    const one = (await asAdmin(server, 'GET', `/rest/imports/${id}/tasks/3?expand=all`)) as { task: Task }
    assert.deepEqual(one.task, now.import.tasks[3])
    await page.getByRole('link', { name: 'Import something else' }).waitFor()
    assert.deepEqual(shown.faults, [])
  })

  it('of 200 files is mended by what is wrong, chosen for by rules, and loaded as one, by keyboard alone', async (t) => {
    const folder = join(server.folder, 'incoming', 'countries')
    assert.equal(writeCountries(folder, expected), 200)
    const body = { import: { data: { type: 'directory', location: folder } } }
    const made = await asAdmin(server, 'POST', '/rest/imports', body)
    const { id: many } = (made as { import: { id: number } }).import
    const tasksNow = async (): Promise<Task[]> => {
      const now = await asAdmin(server, 'GET', `/rest/imports/${many}?expand=all`)
      return (now as { import: { tasks: Task[] } }).import.tasks
    }
    const shown = await showPages(t, server)
    const { page } = shown
    const press = (name: string | RegExp): Promise<void> =>
      page.getByRole('button', { name, exact: true }).press('Enter')
    await shown.signIn(`/app/imports/${many}`)
    const problems = page.getByRole('region', { name: 'What is in the way' })
    await problems.getByText('31 layers: no coordinate system').waitFor()
    await expectSound(shown, 'import-together-1440-light')
    assert.ok((await page.locator('li').count()) <= 200)

    await press('Take them as points in 29 layers')
    await problems.getByText('29 layers: coordinates').waitFor({ state: 'detached' })
    await problems.getByRole('radio', { name: /Pseudo-Mercator/ }).press('Space')
    await press('Take it for 31 layers')
    await problems.getByText('31 layers: no coordinate').waitFor({ state: 'detached' })
    await press('Leave them out')
    await page.getByRole('dialog').getByRole('button', { name: 'Leave them out' }).press('Enter')
    await problems.getByText('Nothing is in the way.').waitFor()

    const rules = page.getByRole('region', { name: 'Choices for 198 layers' })
    await rules.getByLabel('Replace').fill('a_')
    await rules.getByLabel('Before each name').fill('Land_')
    await rules.getByText('a_000_Zimbabwe → Land_000_Zimbabwe').waitFor()
    await rules.getByLabel('Rejected rows at most').fill('5%')
    await press('Apply to 198 layers')
    await page.getByText('198 of 198 layers changed').waitFor()
    await page.locator('.found b >> text=Land_000_Zimbabwe').waitFor()
    const changed = await tasksNow()
    assert.deepEqual(
      new Set(changed.map(({ state, rejectLimit, layer: { srs } }) => `${state} ${rejectLimit} ${srs}`)),
      new Set(['READY 5% EPSG:4326', 'READY 5% EPSG:3857']),
    )
    assert.ok(changed.every(({ layer: { name } }) => /^Land_\d{3}_\p{L}/u.test(name)))

    await page.getByLabel('Find a layer').fill('Land_17')
    const few = page.getByRole('region', { name: 'Choices for 10 layers' })
    await few.getByLabel('Minimum number of rows').fill('2')
    await press('Apply to 10 layers')
    await page.getByText('10 of 10 layers changed').waitFor()
    await page.getByLabel('Find a layer').fill('')
    await press('Import 198 layers')
    await problems.getByText('10 layers: a limit stopped the load').waitFor({ timeout: 120_000 })
    await expectSound(shown, 'import-together-stopped-1440-light')
    await press('Let 10 layers through')
    await page.getByRole('link', { name: 'Import something else' }).waitFor({ timeout: 60_000 })
    await page.getByText('Nothing is in the way.').waitFor()
    assert.deepEqual(new Set((await tasksNow()).map(({ state }) => state)), new Set(['COMPLETE']))
    assert.deepEqual(shown.faults, [])
  })

  it('is decided on a phone, in German and in the dark, no wider than the window', async (t) => {
    const own = await prepareImport(server, { 'a.csv': 'id,lat,lon\n1,52,13\n' })
    const shown = await showPages(t, server, { width: 390, colorScheme: 'dark', locale: 'de' })
    const { page } = shown
    await shown.signIn(`/app/imports/${own}`)
    await page.getByText('Grenzen: anhalten, was falsch aussieht').click()
    await page.getByRole('button', { name: 'Testlauf starten' }).click()
    await page.locator('.diff b, .asides').first().waitFor()
    await expectSound(shown, 'import-decide-390-dark')
  })

  it('is found again among 10,000 others: by words, state, creator and day, with every message', async (t) => {
    await server.kill()
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    writePastImports(join(server.folder, 'terrane.sqlite'), { count: 10_000, first: 1000 })
    await server.start()
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/imports')
    const locator = page.locator('.pastfilter')
    await locator.getByText(/^10,00\d imports$/).waitFor()
    await page.getByRole('link', { name: 'countries' }).waitFor()
    await expectSound(shown, 'import-history-1440-light')
    const { rows } = await scrolled(page)
    assert.ok(rows > 5 && rows <= 200, `${rows} rows`)
    await page.getByLabel('Search names').fill('ring 4999')
    await locator.getByText('1 import', { exact: true }).waitFor()
    await page.getByLabel('Search names').fill('')
    await page.getByLabel('State').selectOption('COMPLETE_ERROR')
    await page.getByLabel('By whom').selectOption('jana')
    await page.getByLabel('From', { exact: true }).fill(yesterday)
    await page.getByLabel('To', { exact: true }).fill(yesterday)
    await locator.getByText('48 imports').waitFor()
    const { searchParams } = new URL(page.url())
    assert.deepEqual(Object.fromEntries(searchParams), {
      state: 'COMPLETE_ERROR',
      who: 'jana',
      from: yesterday,
      to: yesterday,
    })
    await page.goBack()
    await page.goForward()
    await locator.getByText('48 imports').waitFor()
    const first = page.locator('.past a.name').first()
    await first.focus()
    await first.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByText(/a ring is not closed/).waitFor()
    await page.getByText(/Column of Plän \d+ was renamed/).waitFor()
    assert.deepEqual(shown.faults, [])
  })
})
