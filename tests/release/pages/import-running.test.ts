import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { asAdmin, prepareImport } from '../../pages/support/import-data.ts'
import type { ShownPage } from '../../pages/support/shown-pages.ts'
import { closeBrowser, password, showPages, startPageServer } from '../../pages/support/shown-pages.ts'
import { expectSound } from '../../pages/support/states.ts'

const rows = 300_000
/** So many that a load of them can be met in the middle. */
const table = (count: number): string =>
  `name,lat,lon\n${Array.from({ length: count }, (_, at) => `place ${at},${(at % 1700) / 10 - 85},${at % 360}`).join('\n')}\n`

describe('an import that runs', async () => {
  const server = await startPageServer({ after }, { TERRANE_SAMPLE: 'off' })
  after(closeBrowser)
  const stateOf = async (id: number): Promise<string> =>
    ((await asAdmin(server, 'GET', `/rest/imports/${id}`)) as { import: { state: string } }).import.state
  const layers = async (): Promise<{ name: string; rows: number }[]> =>
    ((await asAdmin(server, 'GET', '/rest/catalogue/layers')) as { layers: { name: string; rows: number }[] })
      .layers
  const moving = ({ page }: ShownPage) => page.locator('.howfar .big', { hasText: /[1-9]/ })

  it('is the same in a second browser, and goes on after a kill of the server, with all rows once', async (t) => {
    const id = await prepareImport(server, { 'killed.csv': table(rows) })
    const [one, other] = [
      await showPages(t, server),
      await showPages(t, server, { width: 390, locale: 'de' }),
    ]
    for (const shown of [one, other]) await shown.signIn(`/app/imports/${id}`)
    await one.page.getByRole('button', { name: 'Import 1 layer' }).click()
    await moving(one).waitFor()
    await server.kill()
    await one.page.getByText('The server does not answer').first().waitFor()
    await server.start()
    const sums = ({ page }: ShownPage) => page.locator('.sum', { hasText: /300[.,]000/ })
    await Promise.all(
      [one, other].map(async (shown) => {
        await shown.page.locator('.howfar').waitFor({ state: 'detached' })
        await sums(shown).waitFor()
      }),
    )
    for (const shown of [one, other]) {
      await shown.page.reload()
      await sums(shown).waitFor()
    }
    assert.equal(await stateOf(id), 'COMPLETE')
    assert.deepEqual(
      (await layers()).map(({ name, rows }) => [name, rows]),
      [['killed', rows]],
    )
    await expectSound(other, 'import-killed-390-light')
  })

  it('is cancelled in the middle, leaves nothing, and is told so in another browser', async (t) => {
    const id = await prepareImport(server, { 'stopped.csv': table(4 * rows) })
    const [one, other] = [await showPages(t, server), await showPages(t, server, { colorScheme: 'dark' })]
    for (const shown of [one, other]) await shown.signIn(`/app/imports/${id}`)
    await one.page.getByRole('button', { name: 'Import 1 layer' }).click()
    await moving(one).waitFor()
    await one.page.getByRole('button', { name: 'Cancel' }).click()
    for (const { page } of [one, other]) await page.locator('.found', { hasText: 'Cancelled' }).waitFor()
    assert.ok((await layers()).every(({ name }) => name !== 'stopped'))
    await one.page.reload()
    await one.page.getByRole('button', { name: 'Import 1 layer' }).waitFor()
    await one.page.getByText('1 layer was cancelled.').waitFor()
    assert.equal(await one.page.getByText('has failed').count(), 0)
    await expectSound(one, 'import-cancelled-1440-light')
  })

  it('is decided on further after the session has ended, with what was being typed', async (t) => {
    const id = await prepareImport(server, { 'typed.csv': 'name,lat,lon\na,1,2\n' })
    const { page, ...shown } = await showPages(t, server)
    await shown.signIn(`/app/imports/${id}`)
    const target = page.getByRole('region', { name: 'Destination' })
    await target.getByText('Limits: stop a load').click()
    const [name, most] = [
      target.getByLabel('Layer', { exact: true }),
      target.getByLabel('a row reaches beyond this area'),
    ]
    await most.fill('1, 2, half')
    await name.fill('half typed')
    await page.context().clearCookies()
    await name.press('Tab')
    await page.getByRole('dialog').getByText('Your session has ended').waitFor()
    await page.fill('dialog input[name=password]', password)
    await page.click('dialog button[type=submit]')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.locator('.found', { hasText: 'half_typed' }).waitFor()
    assert.deepEqual([await name.inputValue(), await most.inputValue()], ['half_typed', '1, 2, half'])
    const { task } = (await asAdmin(server, 'GET', `/rest/imports/${id}/tasks/0?expand=all`)) as {
      task: { layer: { name: string } }
    }
    assert.equal(task.layer.name, 'half_typed')
    assert.deepEqual(shown.faults, [])
  })
})
