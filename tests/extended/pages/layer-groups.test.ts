import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { ShownPage } from '../../pages/support/shown-pages.ts'
import { askServer, closeBrowser, showPages, startPageServer } from '../../pages/support/shown-pages.ts'
import { expectSoundIn } from '../../pages/support/states.ts'

const everyView = [
  [1440, 'light'],
  [768, 'dark'],
  [390, 'light'],
] as const

interface GroupReply {
  layerGroup: { title: string; mode: string; publishables: { published: { name: string }[] } }
}

describe('the page of layer groups', async () => {
  const server = await startPageServer({ after })
  after(closeBrowser)
  const main = ({ page }: ShownPage) => page.locator('main')
  const dialog = ({ page }: ShownPage) => page.locator('dialog[open]')
  const membersOf = async (path: string): Promise<string[]> =>
    ((await askServer(server, path)) as GroupReply).layerGroup.publishables.published.map(({ name }) => name)

  it('creates a group of layers in their order, changes it, shows it on the map and deletes it', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/workspaces')
    await page.locator('nav.places').getByRole('link', { name: 'Layer groups' }).click()
    await main(shown).locator('h2', { hasText: 'nothing here yet' }).waitFor()
    await page.getByRole('button', { name: 'New layer group' }).click()
    await dialog(shown).getByLabel('Name', { exact: true }).fill('base')
    await dialog(shown).getByLabel('Workspace').selectOption('default')
    await dialog(shown).getByLabel('Title').fill('Base map')
    const search = dialog(shown).getByLabel('Add a layer')
    for (const layer of ['countries', 'states']) {
      await search.fill(layer)
      await search.press('Enter')
      await dialog(shown)
        .locator('.map-found button', { hasText: new RegExp(layer, 'i') })
        .first()
        .click()
      await dialog(shown)
        .getByRole('button', { name: `Remove default:${layer}` })
        .waitFor()
    }
    await expectSoundIn(shown, 'layer-group-new', everyView)
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('button', { name: 'Save' }).click()
    const row = main(shown).locator('tr', { hasText: 'Base map' })
    await row.locator('td', { hasText: 'default:states, default:countries' }).waitFor()
    const path = '/rest/workspaces/default/layergroups/base'
    assert.deepEqual(await membersOf(path), ['default:countries', 'default:states'])
    await expectSoundIn(shown, 'layer-groups', everyView)
    await page.setViewportSize({ width: 1440, height: 900 })

    await page.getByRole('button', { name: 'Change base' }).click()
    await dialog(shown).getByRole('button', { name: 'Move default:states down' }).click()
    await dialog(shown).getByLabel('In lists of services').selectOption('NAMED')
    await page.getByRole('button', { name: 'Save' }).click()
    await row.locator('td', { hasText: 'default:countries, default:states' }).waitFor()
    assert.deepEqual(await membersOf(path), ['default:states', 'default:countries'])
    assert.equal(((await askServer(server, path)) as GroupReply).layerGroup.mode, 'NAMED')

    await row.getByRole('link', { name: 'Show on the map base' }).click()
    await page.waitForURL('**/app/map?layers=default%3Astates%2Cdefault%3Acountries*')
    await page.goBack()
    await page.getByRole('button', { name: 'Delete base' }).click()
    await dialog(shown).getByText('The layers stay.').waitFor()
    await dialog(shown).getByRole('button', { name: 'Delete default:base' }).click()
    await main(shown).locator('h2', { hasText: 'nothing here yet' }).waitFor()
    assert.deepEqual(shown.faults, [])
  })
})
