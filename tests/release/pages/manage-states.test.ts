import { after, describe, it } from 'node:test'
import type { ShownPage } from '../../pages/support/shown-pages.ts'
import { closeBrowser, password, showPages, startPageServer } from '../../pages/support/shown-pages.ts'
import { expectSound } from '../../pages/support/states.ts'

describe('states of workspaces, stores and users', async () => {
  const server = await startPageServer({ after })
  after(closeBrowser)
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

  it('show what is true when the server was killed meanwhile, and keep what was typed', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/workspaces')
    await page.getByRole('button', { name: 'New workspace' }).click()
    await page.locator('dialog input[name=name]').fill('later')
    await server.kill()
    await page.getByRole('button', { name: 'Save' }).click()
    await dialog(shown).locator('.err', { hasText: 'does not answer' }).waitFor()
    await server.start()
    await page.getByRole('button', { name: 'Save' }).click()
    await main(shown).locator('tr', { hasText: 'later' }).waitFor()
    await page.reload()
    await main(shown).locator('tr', { hasText: 'later' }).waitFor()
  })

  for (const [width, colorScheme] of [
    [768, 'light'],
    [390, 'dark'],
  ] as const)
    it(`show hostile names as they are at ${width} pixels, ${colorScheme}`, async (t) => {
      const name = `${'ש'.repeat(40)}${'W'.repeat(59)}`
      const description = `<img src=x onerror=alert(1)>${'😀‮x'.repeat(3000)}`.slice(0, 9000)
      await rest('/rest/workspaces', { workspace: { name } })
      await rest(`/rest/workspaces/${encodeURIComponent(name)}/datastores`, {
        dataStore: { name, type: 'GeoPackage', description },
      })
      await rest('/rest/security/users', {
        user: { name, password: 'long-enough', email: '"><script>alert(1)</script>'.repeat(10) },
      })
      const shown = await showPages(t, server, { width, colorScheme })
      const end = `${width}-${colorScheme}`
      await shown.signIn('/app/stores')
      await main(shown).locator('.about').first().waitFor()
      await expectSound(shown, `stores-hostile-${end}`)
      for (const place of ['workspaces', 'users']) {
        await shown.open(`/app/${place}`)
        await main(shown).locator('td').first().waitFor()
        await expectSound(shown, `${place}-hostile-${end}`)
      }
      await shown.open(`/app/stores?change=${encodeURIComponent(`${name}:${name}`)}`)
      await page(shown).getByRole('button', { name: 'Save' }).waitFor()
      await expectSound(shown, `store-change-hostile-${end}`)
      await shown.open(`/app/workspaces?delete=${encodeURIComponent(name)}`)
      await dialog(shown).locator('li').first().waitFor()
      await expectSound(shown, `workspace-delete-hostile-${end}`)
    })

  const page = (shown: ShownPage) => shown.page
})
