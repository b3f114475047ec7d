import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { ShownPage } from '../../pages/support/shown-pages.ts'
import { askServer, closeBrowser, showPages, startPageServer } from '../../pages/support/shown-pages.ts'
import { expectSound, expectSoundIn } from '../../pages/support/states.ts'

const userPassword = 'otter granite umbrella'
const everyView = [
  [1440, 'light'],
  [768, 'dark'],
  [390, 'light'],
] as const

describe('pages of permissions, groups and the audit log', async () => {
  const server = await startPageServer({ after }, { TERRANE_DEFAULT_READ: 'granted' })
  after(closeBrowser)
  before(async () => {
    for (const name of ['anna', 'ben', 'contractor'])
      await askServer(server, '/rest/security/users', { user: { name, password: userPassword } })
    await askServer(server, '/rest/workspaces', { workspace: { name: 'town', public: false } })
  })
  const main = ({ page }: ShownPage) => page.locator('main')
  const dialog = ({ page }: ShownPage) => page.locator('dialog[open]')
  const decisions = async (user: string, resource: string): Promise<Record<string, boolean>> => {
    const query = new URLSearchParams({ user, resource })
    const { access } = (await askServer(server, `/rest/security/access?${query}`)) as {
      access: { decisions: { action: string; allowed: boolean }[] }
    }
    return Object.fromEntries(access.decisions.map(({ action, allowed }) => [action, allowed]))
  }

  it('create a group, change its members and name, and show what is deleted with it', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/workspaces')
    await page.locator('nav.places').getByRole('link', { name: 'Groups', exact: true }).click()
    await main(shown).locator('h2', { hasText: 'nothing here yet' }).waitFor()
    await expectSoundIn(shown, 'groups-empty', everyView)
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('button', { name: 'New group' }).click()
    await dialog(shown).getByLabel('Name', { exact: true }).fill('gis')
    await dialog(shown).getByLabel('Title').fill('GIS office')
    const member = dialog(shown).locator('input[name=member]')
    await member.fill('anna')
    await member.press('Enter')
    await dialog(shown).getByRole('button', { name: 'Remove anna' }).waitFor()
    await member.fill('nobody')
    await dialog(shown).getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await dialog(shown).locator('.err', { hasText: 'nobody' }).waitFor()
    await expectSoundIn(shown, 'group-refused', everyView)
    await page.setViewportSize({ width: 1440, height: 900 })
    await dialog(shown).getByRole('button', { name: 'Remove nobody' }).click()
    // A name that was typed and not added counts too.
    await member.fill('ben')
    await page.getByRole('button', { name: 'Save' }).click()
    const row = main(shown).locator('tr', { hasText: 'gis' })
    await row.locator('td', { hasText: 'anna, ben' }).waitFor()
    await expectSoundIn(shown, 'groups', everyView)
    await page.setViewportSize({ width: 1440, height: 900 })

    await row.getByRole('button', { name: 'Change gis' }).click()
    await dialog(shown).getByRole('button', { name: 'Remove ben' }).click()
    await dialog(shown).getByLabel('Name', { exact: true }).fill('geodata')
    await page.getByRole('button', { name: 'Save' }).click()
    await main(shown).locator('tr', { hasText: 'geodata' }).locator('td', { hasText: 'anna' }).waitFor()
    const { group } = (await askServer(server, '/rest/security/groups/geodata')) as {
      group: { members: string[] }
    }
    assert.deepEqual(group.members, ['anna'])

    const permission = { subject: { group: 'geodata' }, resource: 'town', actions: ['read'] }
    await askServer(server, '/rest/security/permissions', { permission })
    await page.getByRole('button', { name: 'Delete geodata' }).click()
    await dialog(shown).locator('li', { hasText: '1 permission town' }).waitFor()
    await expectSound(shown, 'group-delete-1440-light')
    await dialog(shown).getByRole('button', { name: 'Delete geodata' }).click()
    await main(shown).locator('tr', { hasText: 'geodata' }).waitFor({ state: 'detached' })
    assert.deepEqual(((await askServer(server, '/rest/security/groups')) as { groups: unknown[] }).groups, [])
    assert.deepEqual(shown.faults, [])
  })

  it('give and remove permissions of a workspace, and explain decisions', async (t) => {
    await askServer(server, '/rest/security/groups', { group: { name: 'office', members: ['anna'] } })
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/workspaces')
    await page.getByRole('button', { name: 'Who can… town' }).click()
    await dialog(shown).locator('td', { hasText: 'Role admin' }).waitFor()
    assert.equal((await decisions('anna', 'town'))['read'], false)
    await dialog(shown).getByRole('button', { name: 'Add permission' }).click()
    await dialog(shown)
      .getByRole('checkbox', { name: /^import/ })
      .check()
    await expectSoundIn(shown, 'who-can-add', everyView)
    await page.setViewportSize({ width: 1440, height: 900 })
    await dialog(shown).getByRole('button', { name: 'Add', exact: true }).click()
    const row = dialog(shown).locator('tr', { hasText: 'Group office' })
    await row.waitFor()
    assert.deepEqual(await decisions('anna', 'town'), {
      read: true,
      download: false,
      edit: false,
      import: true,
      manage: false,
    })

    await dialog(shown).getByRole('button', { name: 'Explain a decision' }).click()
    await dialog(shown).getByLabel('User', { exact: true }).fill('anna')
    await page.keyboard.press('Enter')
    const answers = dialog(shown).locator('.decisions tbody tr')
    await answers.filter({ hasText: 'Group office may read, import: this workspace.' }).first().waitFor()
    await answers.filter({ hasText: 'manage' }).filter({ hasText: 'No rule permits it.' }).waitFor()
    await expectSoundIn(shown, 'who-can-why', everyView)
    await page.setViewportSize({ width: 1440, height: 900 })
    await dialog(shown).getByLabel('User', { exact: true }).fill('who-is-that')
    await page.keyboard.press('Enter')
    await dialog(shown).locator('.err', { hasText: 'who-is-that' }).waitFor()
    await dialog(shown).locator('form').getByRole('button', { name: 'Close' }).click()

    await row.getByRole('button', { name: 'Remove the permission of Group office' }).click()
    await row.waitFor({ state: 'detached' })
    assert.equal((await decisions('anna', 'town'))['read'], false)
    // What the server refuses is shown, and nothing is saved.
    await dialog(shown).getByRole('button', { name: 'Add permission' }).click()
    await dialog(shown).getByLabel('For', { exact: true }).selectOption('user')
    await dialog(shown).getByLabel('User', { exact: true }).fill('who-is-that')
    await dialog(shown).getByRole('button', { name: 'Add', exact: true }).click()
    await dialog(shown).locator('.err', { hasText: 'who-is-that' }).waitFor()
    assert.deepEqual(shown.faults, [])
  })

  it('give permissions of a layer beside those of its workspace, by keyboard', async (t) => {
    const permission = { subject: { user: 'contractor' }, resource: 'default', actions: ['read'] }
    await askServer(server, '/rest/security/permissions', { permission })
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/layers/default:countries')
    const panel = main(shown).getByRole('region', { name: 'Who may read it' })
    const wider = panel.locator('tr', { hasText: 'User contractor' })
    await wider.getByRole('link', { name: 'workspace default' }).waitFor()
    assert.equal(await wider.getByRole('button').count(), 0)
    await panel.locator('tr', { hasText: 'Everyone' }).locator('td', { hasText: 'it is public' }).waitFor()
    await panel.getByRole('button', { name: 'Add permission' }).focus()
    await page.keyboard.press('Enter')
    await panel.locator('select[name=kind]:focus').waitFor()
    await panel.getByLabel('For', { exact: true }).selectOption('user')
    await panel.getByLabel('User', { exact: true }).fill('contractor')
    await panel.getByRole('checkbox', { name: /^read/ }).uncheck()
    await page.keyboard.press('Enter')
    await panel.locator('.err', { hasText: 'Choose at least one action' }).waitFor()
    await panel.getByRole('checkbox', { name: /^edit/ }).check()
    await page.keyboard.press('Enter')
    const own = panel.locator('tr', { hasText: 'this layer' })
    await own.locator('td', { hasText: 'edit' }).waitFor()
    await panel.scrollIntoViewIfNeeded()
    await expectSoundIn(shown, 'who-can-layer', everyView)
    assert.equal((await decisions('contractor', 'default:countries'))['edit'], true)
    assert.equal((await decisions('contractor', 'default'))['edit'], false)
    await page.setViewportSize({ width: 1440, height: 900 })
    await wider.getByRole('link', { name: 'workspace default' }).click()
    await dialog(shown).locator('h2', { hasText: 'Who can… in default' }).waitFor()
    await dialog(shown).getByRole('button', { name: 'Remove the permission of User contractor' }).click()
    await dialog(shown).locator('tr', { hasText: 'contractor' }).waitFor({ state: 'detached' })
    assert.deepEqual(shown.faults, [])
  })

  it('show the audit log with filters, pages, CSV and the state of the seals', async (t) => {
    for (let at = 0; at < 101; at += 1)
      await askServer(server, '/rest/workspaces/town', { workspace: { public: at % 2 === 0 } }, 'PUT')
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/workspaces')
    await page.locator('nav.places').getByRole('link', { name: 'Audit log' }).click()
    const rows = main(shown).locator('.audit tbody tr')
    await rows.filter({ hasText: 'workspace.change' }).first().waitFor()
    assert.equal(await rows.count(), 100)
    await expectSoundIn(shown, 'audit', everyView)
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('button', { name: 'Older entries' }).click()
    await rows.filter({ hasText: 'group.create' }).first().waitFor()
    await page.getByRole('button', { name: 'Newest entries' }).click()
    await rows.nth(99).waitFor()

    await page.getByLabel('User', { exact: true }).fill('admin')
    await page.getByLabel('Action', { exact: true }).fill('group.create')
    await page.keyboard.press('Enter')
    const entry = rows.filter({ hasText: 'group.create' }).first()
    await entry.waitFor()
    await page.waitForURL(/user=admin&action=group.create/)
    await entry.locator('summary').click()
    await entry.locator('pre', { hasText: '"office"' }).waitFor()
    await expectSoundIn(shown, 'audit-details', everyView)
    await page.setViewportSize({ width: 1440, height: 900 })
    const csv = await page.locator('a', { hasText: 'CSV' }).getAttribute('href')
    const text = await (await page.request.get(server.url + csv)).text()
    const lines = text.trimEnd().split('\r\n').slice(1)
    assert.ok(lines.length > 0 && lines.every((line) => line.includes(',group.create,')), text)

    await page.getByLabel('What', { exact: true }).fill('no-such-thing')
    await page.keyboard.press('Enter')
    await main(shown).locator('h2', { hasText: 'No entries match' }).waitFor()
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await rows.nth(99).waitFor()
    assert.equal(await page.getByLabel('What', { exact: true }).inputValue(), '')
    await page.getByRole('button', { name: 'Check the seals' }).click()
    await main(shown).getByText('No day has a seal yet').waitFor()
    await expectSound(shown, 'audit-seals-1440-light')
    assert.deepEqual(shown.faults, [])
  })
})
