import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  askServer,
  closeBrowser,
  password,
  showPages,
  startPageServer,
} from '../../pages/support/shown-pages.ts'

const offline = 'The server does not answer'

// Imports, versions, usage, workspaces and what a layer is for have such tests of their own.
describe('a server that is killed in the middle of a job', async () => {
  const server = await startPageServer({ after })
  after(closeBrowser)

  it('lets nobody in, says so, and takes the same login when it is back', async (t) => {
    const { page, open, faults } = await showPages(t, server)
    await open('/app/sign-in?to=%2Fapp%2Faccount')
    await page.fill('input[name=user]', 'admin')
    await page.fill('input[name=password]', password)
    await server.kill()
    await page.click('main button[type=submit]')
    await page.locator('main [role=alert]', { hasText: offline }).waitFor()
    await server.start()
    await page.click('main button[type=submit]')
    await page.locator('h1', { hasText: 'Account' }).waitFor()
    await page.reload()
    await page.locator('main', { hasText: 'admin, role admin' }).waitFor()
    assert.deepEqual(faults, [])
  })

  it('keeps the edited style on the page, and saves it once when it is back', async (t) => {
    const { page, signIn, faults } = await showPages(t, server)
    const versions = async (): Promise<number> =>
      ((await askServer(server, '/rest/layers/default:states')) as { layer: { version: number } }).layer
        .version
    await signIn('/app/layers/default:states/style')
    const color = page.locator('.styl input[type=color]').first()
    await page.waitForSelector('.canvas[data-drawn=yes]')
    const before = await versions()
    await color.fill('#112233')
    await server.kill()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText(offline).first().waitFor()
    assert.equal(await color.inputValue(), '#112233')
    await server.start()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('The style is saved').waitFor()
    await page.reload()
    await color.waitFor()
    assert.equal(await color.inputValue(), '#112233')
    assert.equal(await versions(), before + 1)
    assert.deepEqual(faults, [])
  })

  it('keeps what an alert was changed to on the page, and takes it when it is back', async (t) => {
    const { page, signIn, faults } = await showPages(t, server)
    await signIn('/app/alerts')
    await page.locator('.alist a', { hasText: 'Errors' }).click()
    const threshold = page.getByLabel(/^Threshold: /).first()
    await threshold.fill('77')
    await server.kill()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.locator('form [role=alert]', { hasText: offline }).waitFor()
    assert.equal(await threshold.inputValue(), '77')
    await server.start()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('The alert is saved').waitFor()
    await page.reload()
    await threshold.waitFor()
    assert.equal(await threshold.inputValue(), '77')
    assert.deepEqual(faults, [])
  })
})
