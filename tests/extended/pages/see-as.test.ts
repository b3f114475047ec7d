import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { ShownPage } from '../../pages/support/shown-pages.ts'
import { askServer, closeBrowser, showPages, startPageServer } from '../../pages/support/shown-pages.ts'
import { expectSoundIn } from '../../pages/support/states.ts'

const userPassword = 'otter granite umbrella'
const everyView = [
  [1440, 'light'],
  [768, 'dark'],
  [390, 'light'],
] as const

describe('pages as another subject sees them', async () => {
  const server = await startPageServer({ after }, { TERRANE_DEFAULT_READ: 'granted' })
  after(closeBrowser)
  before(async () => {
    await askServer(server, '/rest/security/users', { user: { name: 'anna', password: userPassword } })
    await askServer(server, '/rest/security/groups', { group: { name: 'gis', members: [] } })
    for (const layer of ['countries', 'states'])
      await askServer(server, `/rest/layers/default:${layer}`, { layer: { public: false } }, 'PUT')
    for (const [subject, layer] of [
      [{ user: 'anna' }, 'countries'],
      [{ group: 'gis' }, 'states'],
    ] as const) {
      const permission = { subject, resource: `default:${layer}`, actions: ['read'] }
      await askServer(server, '/rest/security/permissions', { permission })
    }
  })
  const main = ({ page }: ShownPage) => page.locator('main')
  const bar = ({ page }: ShownPage) => page.getByRole('region', { name: 'See as' })
  const layerLinks = async (shown: ShownPage): Promise<string[]> => {
    await main(shown).locator('a[href*="/app/layers/"]').first().waitFor()
    const links = await main(shown).locator('a[href*="/app/layers/"]').all()
    const found = await Promise.all(links.map((link) => link.getAttribute('href')))
    return [
      ...new Set(found.map((href) => decodeURIComponent(href ?? '').split('default:')[1] ?? '')),
    ].toSorted()
  }

  it('are opened from a layer, marked by a bar, and left by it', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/layers/default:countries')
    const panel = main(shown).getByRole('region', { name: 'Who may read it' })
    await panel.getByRole('button', { name: 'See as…' }).click()
    await expectSoundIn(shown, 'see-as-form', everyView)
    await page.setViewportSize({ width: 1440, height: 900 })
    await panel.getByLabel('As', { exact: true }).selectOption('user')
    await panel.getByLabel('User', { exact: true }).fill('anna')
    await panel.getByRole('button', { name: 'See as', exact: true }).click()

    await bar(shown).getByText('You see what the user anna sees.').waitFor()
    assert.equal(new URL(page.url()).pathname, '/app/layers/default:countries')
    // What only administrators have is gone.
    await main(shown).locator('h1').waitFor()
    assert.equal(await main(shown).getByRole('button', { name: 'See as…' }).count(), 0)
    assert.equal(await page.getByRole('link', { name: 'Import', exact: true }).count(), 0)
    await expectSoundIn(shown, 'see-as-bar', everyView)
    await page.setViewportSize({ width: 1440, height: 900 })
    await shown.open('/')
    const seen = await layerLinks(shown)
    assert.ok(seen.includes('countries') && !seen.includes('states'), seen.join())
    await shown.open('/app/layers/default:states')
    await main(shown).getByText('does not exist').first().waitFor()

    await bar(shown).getByRole('button', { name: 'Back to my own view' }).click()
    await bar(shown).waitFor({ state: 'detached' })
    await main(shown).getByRole('button', { name: 'See as…' }).waitFor()
    await shown.open('/')
    assert.ok((await layerLinks(shown)).includes('states'))
    assert.deepEqual(shown.faults, [])
  })

  it('show what members of a group and people without a login see, from a workspace', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    const choose = async (kind: string): Promise<void> => {
      await shown.open('/app/workspaces')
      await page.getByRole('button', { name: 'Who can… default' }).click()
      const dialog = page.locator('dialog[open]')
      await dialog.getByRole('button', { name: 'See as…' }).click()
      await dialog.getByLabel('As', { exact: true }).selectOption(kind)
      if (kind === 'group') await dialog.getByLabel('Group', { exact: true }).selectOption('gis')
      await dialog.getByRole('button', { name: 'See as', exact: true }).click()
      await page.waitForURL(`${server.url}/`)
    }
    await shown.signIn('/')
    await choose('group')
    await bar(shown).getByText('members of the group gis').waitFor()
    const members = await layerLinks(shown)
    assert.ok(members.includes('states') && !members.includes('countries'), members.join())
    await bar(shown).getByRole('button', { name: 'Back to my own view' }).click()
    await bar(shown).waitFor({ state: 'detached' })
    await choose('anonymous')
    await bar(shown).getByText('who have not signed in').waitFor()
    await page.locator('header').getByRole('link', { name: 'Sign in' }).waitFor()
    const open = await layerLinks(shown)
    assert.ok(!open.includes('states') && !open.includes('countries') && open.length > 0, open.join())
    await bar(shown).getByRole('button', { name: 'Back to my own view' }).click()
    await page.locator('header a.who').filter({ hasText: 'admin' }).waitFor()
    assert.deepEqual(shown.faults, [])
  })
})
