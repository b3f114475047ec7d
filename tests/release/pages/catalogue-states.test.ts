import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { PageServer, ShownPage } from '../../pages/support/shown-pages.ts'
import { closeBrowser, password, showPages, startPageServer } from '../../pages/support/shown-pages.ts'
import { expectSoundIn, type View } from '../../pages/support/states.ts'

const hostile = `<img src=x onerror=alert(1)> ${'long'.repeat(60)} \u202Eטקסט 🗺️`
const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`

async function change(server: PageServer, layer: string, value: object): Promise<void> {
  const reply = await fetch(`${server.url}/rest/layers/${layer}`, {
    method: 'PUT',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ layer: value }),
  })
  assert.equal(reply.status, 200, await reply.text())
}

async function shownNames(shown: ShownPage): Promise<string[]> {
  await shown.page.locator('.card h2').first().waitFor()
  return shown.page.locator('.card .mono').allTextContents()
}

describe('states of the catalogue', async () => {
  const [server, bare] = await Promise.all([
    startPageServer({ after }),
    startPageServer({ after }, { TERRANE_SAMPLE: 'off' }),
  ])
  after(closeBrowser)
  await change(server, 'default:states', { title: hostile, public: true })
  for (const layer of ['default:countries', 'default:boundary_lines'])
    await change(server, layer, { public: false })

  const views: Record<'en' | 'de', View[]> = {
    en: [
      [1440, 'light'],
      [768, 'dark'],
      [390, 'dark'],
    ],
    de: [
      [1440, 'dark'],
      [390, 'light'],
    ],
  }
  for (const locale of ['en', 'de'] as const)
    it(`is sound in each state, at each width, light and dark, ${locale}`, async (t) => {
      const expectSound = (one: ShownPage, state: string): Promise<void> =>
        expectSoundIn(one, `${state}-${locale}`, views[locale])
      const empty = await showPages(t, bare, { locale })
      await empty.open('/')
      await empty.page.locator('.emp').waitFor()
      await expectSound(empty, 'empty-anonymous')
      await empty.signIn('/')
      await empty.page.locator('.emp a[href="/app/import"]').waitFor()
      await expectSound(empty, 'empty')
      const shown = await showPages(t, server, { locale })
      await shown.open('/')
      assert.deepEqual(await shownNames(shown), ['default:states'])
      await expectSound(shown, 'anonymous')
      await shown.open('/app/sign-in')
      await shown.page.locator('h1').waitFor()
      await expectSound(shown, 'sign-in')
      await shown.signIn('/')
      assert.equal((await shownNames(shown)).length, 3)
      await expectSound(shown, 'cards')
      await shown.open('/?view=list&sort=rows')
      await shown.page.locator('tbody .lrow a').first().waitFor()
      await expectSound(shown, 'list')
      await shown.open('/?q=nowhere')
      await shown.page.locator('.state h2').waitFor()
      await expectSound(shown, 'nothing')
      await shown.open('/app/account')
      await shown.page.locator('input[name=name]').waitFor()
      await expectSound(shown, 'account')
    })
})
