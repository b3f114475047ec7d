import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { gdalFixture, needsGdal } from '../support/gdal-files.ts'
import { until } from '../support/until.ts'
import { asAdmin, loadTable, prepareImport } from './support/import-data.ts'
import { closeBrowser, showPages, startPageServer } from './support/shown-pages.ts'
import { expectSound, expectSoundIn } from './support/states.ts'

const monday = 'id,kind,lat,lon\n1,oak,52,13\n2,ash,52.1,13.1\n3,elm,52.2,13.2\n'
const tuesday =
  'id,kind,lat,lon,note\n1,oak,52,13,\n2,lime,52.1,13.1,cut\n4,yew,52.3,13.3,\n5,fir,north,13.4,\n'

describe('what becomes of an import', async () => {
  const server = await startPageServer({ after }, { TERRANE_SAMPLE: 'off' })
  after(closeBrowser)
  before(() => loadTable(server, { 'trees.csv': monday }))

  it('is decided with the difference shown, stopped by a limit, and let through by a person', async (t) => {
    const id = await prepareImport(server, { 'tuesday.csv': tuesday })
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn(`/app/imports/${id}`)
    const target = page.getByRole('region', { name: 'Destination' })
    await target.getByRole('textbox', { name: 'Layer' }).fill('trees')
    await target.getByRole('textbox', { name: 'Layer' }).press('Enter')
    await target.getByText(/It is there already: 3 rows/).waitFor()
    await target.getByText('Replace its rows').click()
    await target.getByRole('button', { name: 'id', exact: true }).click()
    await target.getByText('Limits: stop a load').click()
    await target.getByLabel('Maximum number of rejected rows').fill('50%')
    await target.getByLabel('Maximum number of rejected rows').press('Enter')
    await target.getByLabel('Percent of rows that may be removed').fill('10')
    await target.getByLabel('Percent of rows that may be removed').press('Enter')
    await target.getByText('Limits: 1 rule is set').waitFor()

    const difference = page.getByRole('region', { name: 'What would change' })
    await difference.getByRole('button', { name: 'Start dry run' }).click()
    await difference.locator('.diff b').first().waitFor()
    assert.deepEqual(await difference.locator('.diff b').allTextContents(), ['1', '1', '1', '1'])
    await difference.getByText('Rows are matched by id.').waitFor()
    await difference.getByText('One column more: note.').waitFor()
    await difference.getByText('row 4: “north”').waitFor()
    await difference.getByText(/Rows that would be removed: limit 10 %, found 1 row, 33/).waitFor()
    await difference.locator('del >> text=ash').waitFor()
    await difference.locator('.changemap [data-drawn]').waitFor()
    await difference.getByRole('button', { name: 'changed 1' }).click()
    await expectSound(shown, 'import-decide-1440-light')
    await page.reload()
    await difference.locator('.diff b').first().waitFor()

    await page.getByRole('button', { name: 'Import 1 layer' }).click()
    const stopped = page.getByRole('region', { name: 'A limit stopped this load' })
    await stopped.getByText(/limit 10 %, found 1 row, 33/).waitFor()
    await expectSound(shown, 'import-stopped-1440-light')
    await stopped.getByRole('button', { name: 'Let this load through' }).click()
    await page.waitForSelector('.sum')
    assert.deepEqual(await page.locator('.sum b').allTextContents(), ['4', '3', '1'])
    const kept = await asAdmin(server, 'GET', '/rest/layers/default:trees/versions')
    const { versions } = kept as { versions: { rows: number }[] }
    assert.deepEqual(
      versions.map(({ rows }) => rows),
      [3, 3],
    )
    assert.deepEqual(shown.faults, [])
  })

  it('has limits of values and places that are written, changed and taken away', async (t) => {
    const id = await prepareImport(server, { 'bounded.csv': monday })
    const shown = await showPages(t, server, { width: 768, colorScheme: 'dark' })
    const { page } = shown
    const kept = async (): Promise<unknown> => {
      const { task } = (await asAdmin(server, 'GET', `/rest/imports/${id}/tasks/0`)) as {
        task: { stopIf?: unknown }
      }
      return task.stopIf
    }
    await shown.signIn(`/app/imports/${id}`)
    // The next field is filled before the response to the previous change.
    await page.route(`**/rest/imports/${id}/tasks/0`, async (route) => {
      if (route.request().method() === 'PUT') await new Promise((resolve) => setTimeout(resolve, 200))
      await route.continue()
    })
    const target = page.getByRole('region', { name: 'Destination' })
    await target.getByText('Limits: stop a load').click()
    await target.getByLabel('a column has values that it should not have').selectOption('kind')
    await target.getByLabel('Least value of kind').fill('')
    await target.getByLabel('Least value of kind').press('Enter')
    await target.getByLabel('Values that kind may have').fill('oak, ash')
    await target.getByLabel('Values that kind may have').press('Enter')
    const area = target.getByLabel('a row reaches beyond this area')
    await area.fill('12, 51')
    await area.press('Tab')
    await area.fill('12, 51, 14 53')
    await area.press('Enter')
    // More is typed before the response.
    await area.pressSequentially('.5')
    await target.getByText('Limits: 2 rules are set').waitFor()
    assert.equal(await area.inputValue(), '12, 51, 14 53.5')
    const answered = page.waitForResponse((reply) => reply.request().method() === 'PUT')
    await area.press('Tab')
    await answered
    await target.getByText('Limits: 2 rules are set').waitFor()
    assert.deepEqual(await kept(), { values: { kind: { in: ['oak', 'ash'] } }, outside: [12, 51, 14, 53.5] })
    await expectSound(shown, 'import-limits-768-dark')
    await page.getByRole('button', { name: 'Import 1 layer' }).click()
    const stopped = page.getByRole('region', { name: 'A limit stopped this load' })
    await stopped.getByText(/Values out of range/).waitFor()
    await target.getByRole('button', { name: 'No limit for kind' }).click()
    await target.getByText('Limits: 1 rule is set').waitFor()
    assert.deepEqual(await kept(), { outside: [12, 51, 14, 53.5] })
  })

  it('adds columns with the labels of coded values by a button', needsGdal, async (t) => {
    const made = (await asAdmin(server, 'POST', '/rest/imports', { import: {} })) as {
      import: { id: number }
    }
    const form = new FormData()
    const content = readFileSync(gdalFixture('domains.gdb.zip').path)
    form.append('filedata', new Blob([content]), 'domains.gdb.zip')
    await asAdmin(server, 'POST', `/rest/imports/${made.import.id}/tasks`, form)
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn(`/app/imports/${made.import.id}`)
    const labels = page.getByRole('region', { name: 'Labels of coded values' })
    await labels.getByText('Column "kind" contains codes with labels: 1 = Wald, 2 = Wiese').waitFor()
    await expectSoundIn(shown, 'import-labels', [
      [1440, 'light'],
      [1440, 'dark'],
      [390, 'light'],
    ])
    await labels.getByRole('button', { name: 'Add column with labels' }).click()
    await labels.waitFor({ state: 'detached' })
    await page.getByText('kind_label').first().waitFor()
    await page.getByRole('button', { name: 'Import 1 layer' }).click()
    await until(async () => {
      const reply = await asAdmin(server, 'GET', `/rest/imports/${made.import.id}/tasks/0`)
      return (reply as { task: { state: string } }).task.state === 'COMPLETE'
    })
    const { features } = (await asAdmin(server, 'GET', '/ogc/collections/default:flaechen/items')) as {
      features: { properties: { kind_label: string } }[]
    }
    assert.deepEqual(
      features.map(({ properties }) => properties.kind_label),
      ['Wald', 'Wiese'],
    )
  })
})
