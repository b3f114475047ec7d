import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { PostgresCluster } from '../support/postgres.ts'
import { runSql, testCluster } from '../support/postgres.ts'
import { rasterFixtures } from '../support/rasters.ts'
import { temporaryFolder } from '../support/temporary-files.ts'
import { until } from '../support/until.ts'
import type { ShownPage } from './support/shown-pages.ts'
import { closeBrowser, password, showPages, startPageServer } from './support/shown-pages.ts'
import { expectSound, expectSoundIn } from './support/states.ts'

describe('workspaces, stores and users', async () => {
  const folder = temporaryFolder({ after: (work) => after(work as () => void) })
  const server = await startPageServer({ after }, { TERRANE_IMPORT_ROOTS: folder })
  let cluster: PostgresCluster
  let database: URL
  before(async () => {
    cluster = await testCluster()
    database = new URL(await cluster.createDatabase())
  })
  after(async () => {
    await cluster.dropDatabase(database.href)
    await cluster.stop()
    await closeBrowser()
  })
  const main = ({ page }: ShownPage) => page.locator('main')
  const dialog = ({ page }: ShownPage) => page.locator('main ~ dialog, dialog[open]')
  const rest = (path: string, body?: unknown) =>
    fetch(server.url + path, {
      headers: {
        authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })

  it('are made, tried, changed, and deleted with what depends on them shown first', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/workspaces')
    await main(shown).locator('td', { hasText: 'default' }).first().waitFor()
    await expectSound(shown, 'workspaces-1440-light')
    await page.getByRole('button', { name: 'New workspace' }).click()
    await page.locator('dialog input[name=name]').fill('a b')
    await page.getByRole('button', { name: 'Save' }).click()
    await dialog(shown).locator('.err', { hasText: 'is not valid' }).waitFor()
    await page.locator('dialog input[name=name]').fill('roads')
    await page.getByRole('button', { name: 'Save' }).click()
    await main(shown).locator('tr', { hasText: 'roads' }).waitFor()
    assert.equal(new URL(page.url()).search, '')

    await page.getByRole('button', { name: 'Change roads' }).click()
    await page.getByLabel('Anonymous people may read its layers').check()
    await expectSound(shown, 'workspace-change-1440-light')
    await page.getByRole('button', { name: 'Save' }).click()
    await main(shown).locator('tr', { hasText: 'roads' }).locator('td', { hasText: 'Everybody' }).waitFor()

    await page.locator('nav.places').getByRole('link', { name: 'Stores' }).click()
    await page.getByRole('button', { name: 'New store' }).click()
    await page.locator('dialog input[name=name]').fill('pg')
    await page.getByLabel('Workspace', { exact: true }).last().selectOption('roads')
    const connection = { Host: database.hostname, Port: database.port, Database: database.pathname.slice(1) }
    for (const [label, value] of Object.entries({ ...connection, User: database.username }))
      await page.locator('dialog').getByLabel(label, { exact: true }).fill(value)
    await page.locator('dialog').getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Try the connection' }).click()
    await dialog(shown)
      .locator('.told .bad', { hasText: /password/i })
      .waitFor()
    await expectSound(shown, 'store-new-1440-light')
    await page.locator('dialog').getByLabel('Password').fill(database.password)
    await page.getByRole('button', { name: 'Try the connection' }).click()
    await dialog(shown).locator('.told .ok', { hasText: 'It answers' }).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    const row = main(shown).locator('tr', { hasText: 'pg' })
    await row.waitFor()
    await row.getByRole('button', { name: 'Try pg' }).click()
    await row.locator('.told', { hasText: 'tables' }).waitFor()
    await expectSound(shown, 'stores-1440-light')

    await row.getByRole('button', { name: 'Change pg' }).click()
    await page.getByLabel('What it is for').fill('Roads of the city')
    assert.equal(await page.locator('dialog').getByLabel('Password').inputValue(), '')
    assert.equal((await page.content()).includes(database.password), false)
    await page.getByRole('button', { name: 'Save' }).click()
    await row.locator('.about', { hasText: 'Roads of the city' }).waitFor()
    await row.getByRole('button', { name: 'Try pg' }).click()
    await row.locator('.told .ok').waitFor()

    // The state of the page is in the address: it is the same after a reload.
    await shown.open('/app/workspaces?delete=default')
    await dialog(shown).locator('li', { hasText: '3 layers' }).waitFor()
    await page.reload()
    await dialog(shown).locator('a', { hasText: 'default:countries' }).waitFor()
    await expectSound(shown, 'workspace-delete-1440-light')
    await page.getByRole('button', { name: 'Keep it' }).click()
    await dialog(shown).waitFor({ state: 'detached' })
    await shown.open('/app/workspaces?delete=roads')
    await dialog(shown).locator('li', { hasText: '1 store' }).waitFor()
    await dialog(shown).getByRole('button', { name: 'Delete roads' }).click()
    await main(shown).locator('tr', { hasText: 'roads' }).waitFor({ state: 'detached' })
    assert.equal((await rest('/rest/workspaces/roads')).status, 404)
    assert.equal((await rest('/rest/workspaces/default')).status, 200)
    assert.deepEqual(shown.faults, [])
  })

  it('publish tables of a store where they are', async (t) => {
    await runSql(
      database.href,
      `create schema city; create table city.roads (id int primary key, name text, g geometry(LineString, 25832));
       create view city.names as select name from city.roads; analyze city.roads`,
    )
    const parameters = {
      host: database.hostname,
      port: database.port,
      database: database.pathname.slice(1),
      schema: 'city',
      user: database.username,
      passwd: database.password,
    }
    const made = await rest('/rest/workspaces/default/datastores', {
      dataStore: { name: 'city', type: 'PostGIS', connectionParameters: parameters },
    })
    assert.equal(made.status, 201)
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/stores')
    await page.getByRole('button', { name: 'Tables city' }).click()
    const roads = dialog(shown).locator('tr', { hasText: 'roads' })
    await roads.locator('td', { hasText: 'LineString, EPSG:25832' }).waitFor()
    await dialog(shown).locator('summary').first().click()
    await expectSound(shown, 'store-tables-1440-light')
    await page.getByRole('button', { name: 'Publish roads' }).click()
    await roads.getByRole('link', { name: 'roads' }).waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    await expectSound(shown, 'store-tables-390-light')
    assert.equal((await rest('/rest/layers/default:roads')).status, 200)
    await dialog(shown).getByRole('button', { name: 'Close' }).last().click()
    await page.setViewportSize({ width: 1440, height: 900 })
    await shown.open('/app/layers/default:roads')
    await main(shown).getByLabel('What Terrane may change').selectOption('edit')
    await until(async () => /"managed":"edit"/.test(await (await rest('/rest/layers/default:roads')).text()))
    await main(shown).getByRole('button', { name: 'Delete' }).first().click()
    await dialog(shown).locator('li', { hasText: 'The table or file stays' }).waitFor()
    assert.deepEqual(shown.faults, [])
  })

  it('publish rasters of a folder where they are', async (t) => {
    mkdirSync(join(folder, 'north'))
    for (const [name, path] of [
      ['RGB.byte.tif', 'photo.tif'],
      ['float_nan.tif', 'north/height.tif'],
    ] as const)
      copyFileSync(join(rasterFixtures, name), join(folder, path))
    writeFileSync(join(folder, 'broken.tif'), 'II*')
    const made = await rest('/rest/workspaces/default/coveragestores', {
      coverageStore: { name: 'aerial', url: `file:${folder}` },
    })
    assert.equal(made.status, 201, await made.text())
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/stores')
    await main(shown).getByRole('button', { name: 'Rasters aerial' }).click()
    const photo = dialog(shown).locator('tr', { hasText: 'photo.tif' })
    await photo.locator('td', { hasText: 'EPSG:32618' }).waitFor()
    await expectSound(shown, 'store-rasters-1440-light')
    await page.getByRole('button', { name: 'Publish photo.tif' }).click()
    await photo.getByRole('link', { name: 'photo' }).waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    await expectSound(shown, 'store-rasters-390-light')
    assert.equal((await rest('/rest/layers/default:photo')).status, 200)
    assert.deepEqual(shown.faults, [])
  })

  it('give users a role and a password, by keyboard alone', async (t) => {
    const shown = await showPages(t, server, { locale: 'de' })
    const { page } = shown
    await shown.signIn('/app/users')
    await main(shown).locator('td', { hasText: 'admin' }).first().waitFor()
    await page.getByRole('button', { name: 'Neuer Benutzer' }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('eva')
    await page.keyboard.press('Tab')
    await page.keyboard.type('staff')
    await page.keyboard.press('Tab')
    await page.keyboard.type('eva@example.org')
    await page.keyboard.press('Tab')
    await page.keyboard.type('long-enough')
    await page.keyboard.press('Enter')
    await main(shown)
      .locator('tr', { hasText: 'eva@example.org' })
      .locator('td', { hasText: 'staff' })
      .waitFor()
    const login = await rest('/rest/security/session', { session: { name: 'eva', password: 'long-enough' } })
    assert.equal(login.status, 200)
    await page.getByRole('button', { name: 'eva löschen' }).focus()
    await page.keyboard.press('Enter')
    await dialog(shown).locator('li', { hasText: '1 offene Anmeldung' }).waitFor()
    await page.keyboard.press('Escape')
    await dialog(shown).waitFor({ state: 'detached' })
    await shown.open('/app/users?delete=admin')
    await page.getByRole('button', { name: 'admin löschen' }).last().click()
    await dialog(shown).locator('.err', { hasText: 'last' }).waitFor()
    await expectSound(shown, 'users-1440-light-de')
  })

  it('end what lets a user in: tokens, logins, or all of it, and show it as it is after a kill', async (t) => {
    const name = 'karla'
    const user = { name, password: 'long-enough', role: 'staff' }
    await rest('/rest/security/users', { user })
    const karla = (path: string, body: object) =>
      fetch(server.url + path, {
        method: 'POST',
        headers: {
          authorization: `Basic ${btoa(`${name}:long-enough`)}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      })
    for (const one of ['night', '<b>‮'.repeat(20)])
      assert.equal((await karla('/rest/security/tokens', { token: { name: one } })).status, 201)
    assert.equal((await rest('/rest/security/session', { session: user })).status, 200)
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/users')
    const row = main(shown).locator('tr', { hasText: name })
    await row.getByRole('button', { name: 'Access karla' }).click()
    await dialog(shown).getByText('1 login is open.').waitFor()
    await expectSoundIn(shown, 'user-access', [
      [1440, 'light'],
      [768, 'light'],
      [390, 'dark'],
    ])
    await dialog(shown).getByRole('button', { name: 'Revoke night' }).click()
    await dialog(shown).getByRole('button', { name: 'Revoke night' }).waitFor({ state: 'detached' })
    await dialog(shown).getByRole('button', { name: 'End all' }).click()
    await dialog(shown).getByText('No login is open.').waitFor()
    await page.keyboard.press('Escape')
    await dialog(shown).waitFor({ state: 'detached' })
    await row.getByRole('button', { name: 'Change karla' }).click()
    await page.getByLabel('May sign in').focus()
    await page.keyboard.press('Space')
    await server.kill()
    await page.getByRole('button', { name: 'Save' }).click()
    await dialog(shown).locator('.err', { hasText: 'does not answer' }).waitFor()
    await server.start()
    await page.getByRole('button', { name: 'Save' }).click()
    await row.locator('.tag', { hasText: 'switched off' }).waitFor()
    await expectSound(shown, 'users-off-1440-dark')
    assert.equal((await karla('/rest/security/tokens', { token: { name: 'x' } })).status, 401)
    await page.reload()
    await row.locator('.tag', { hasText: 'switched off' }).waitFor()
    await shown.open('/app/users?change=admin')
    await page.getByRole('button', { name: 'Save' }).waitFor()
    assert.equal(await page.getByLabel('May sign in').count(), 0)
  })

  it('change their own password on the account page, by the current one alone', async (t) => {
    await rest('/rest/security/users', { user: { name: 'pia', password: 'long-enough', role: 'staff' } })
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.open('/app/sign-in?to=/app/account')
    await page.fill('input[name=user]', 'pia')
    await page.fill('input[name=password]', 'long-enough')
    await page.click('main button[type=submit]')
    await page.getByLabel('Current password').fill('not-this-one')
    await page.getByLabel('New password').fill('another-long-one')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('The current password is wrong').waitFor()
    await page.getByLabel('Current password').fill('long-enough')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('The password is changed.').waitFor()
    await page.reload()
    await page.getByLabel('Current password').waitFor()
  })

  it('are for staff, and users for administrators alone', async (t) => {
    await rest('/rest/security/users', { user: { name: 'otto', password: 'long-enough', role: 'staff' } })
    const shown = await showPages(t, server)
    await shown.open('/app/sign-in?to=/app/stores')
    await shown.page.fill('input[name=user]', 'otto')
    await shown.page.fill('input[name=password]', 'long-enough')
    await shown.page.click('main button[type=submit]')
    await shown.page.locator('nav.places').waitFor()
    assert.equal(await shown.page.locator('nav.places').getByText('Users').count(), 0)
    await shown.open('/app/users')
    await shown.page.getByText('There is no such page').waitFor()
  })
})
