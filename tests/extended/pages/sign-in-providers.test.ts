// Sign-in in a browser by a real OpenID Connect provider, in two shapes, and by a real LDAP directory.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { PageServer, ShownPage } from '../../pages/support/shown-pages.ts'
import { closeBrowser, password, showPages, startPageServer } from '../../pages/support/shown-pages.ts'
import {
  clientId,
  clientSecret,
  type IssuerShape,
  startIssuer,
  type TestIssuer,
  tenant,
} from '../../support/oidc-issuer.ts'
import { freePort } from '../../support/remote-servers.ts'
import { type Slapd, startSlapd } from '../../support/slapd.ts'

const groupId = '0d3f1f6e-1111-4111-8111-111111111111'

const shapes: Record<IssuerShape, { env: Record<string, string>; user: string; claims: object }> = {
  keycloak: {
    env: { TERRANE_OIDC_GROUPS_CLAIM: 'realm_access.roles', TERRANE_OIDC_STAFF_GROUP: 'editors' },
    user: 'anna',
    claims: { preferred_username: 'anna', realm_access: { roles: ['editors'] } },
  },
  entra: {
    env: { TERRANE_OIDC_SUBJECT_CLAIM: 'oid', TERRANE_OIDC_STAFF_GROUP: groupId },
    user: 'anna@city.example',
    claims: {
      preferred_username: 'anna@city.example',
      oid: '11111111-0000-4000-8000-000000000000',
      tid: tenant,
      groups: [groupId],
    },
  },
}

/** The link to the account, which only those have who are signed in. */
const account = ({ page }: ShownPage) => page.locator('header a.who')

async function fillIn({ page }: ShownPage, name: string, secret: string): Promise<void> {
  await page.fill('input[name=user]', name)
  await page.fill('input[name=password]', secret)
  await page.click('main button[type=submit]')
}

async function signOut(shown: ShownPage): Promise<void> {
  await account(shown).click()
  await shown.page.getByRole('button', { name: 'Sign out' }).click()
}

/** Signs in with a local password while the provider is away. */
async function signInLocally(shown: ShownPage): Promise<void> {
  await fillIn(shown, 'admin', password)
  await account(shown).filter({ hasText: 'admin' }).waitFor()
}

for (const [name, shape] of Object.entries(shapes) as [IssuerShape, (typeof shapes)['entra']][])
  describe(`sign-in on the pages by OpenID Connect with claims of ${name}`, () => {
    let issuer: TestIssuer
    let server: PageServer
    const works: (() => void)[] = []
    before(async () => {
      const port = await freePort()
      const url = `http://127.0.0.1:${port}`
      issuer = await startIssuer(name, { client: url })
      issuer.accounts.set('anna', { claims: { ...shape.claims } })
      server = await startPageServer(
        { after: (work: () => void) => void works.push(work) },
        {
          TERRANE_PORT: String(port),
          TERRANE_PUBLIC_URL: url,
          TERRANE_SAMPLE: 'off',
          TERRANE_OIDC_ISSUER: issuer.url,
          TERRANE_OIDC_CLIENT_ID: clientId,
          TERRANE_OIDC_CLIENT_SECRET: clientSecret,
          TERRANE_OIDC_TITLE: 'City account',
          ...shape.env,
        },
      )
    })
    after(async () => {
      for (const work of works) work()
      await issuer.close().catch(() => undefined)
      await closeBrowser()
    })

    it('opens the requested page, ends both sessions, and goes on by password without the provider', async (t) => {
      const shown = await showPages(t, server)
      const { page } = shown
      await shown.open('/app/sign-in?to=/app/import')
      await page.getByRole('link', { name: 'Sign in with City account' }).click()
      await page.waitForURL(`${server.url}/app/import`)
      await account(shown).filter({ hasText: shape.user }).waitFor()

      await signOut(shown)
      // The provider asks whether its own session ends too.
      await page.waitForURL((url) => url.href.startsWith(`${issuer.url}/session/end`))
      await page.getByRole('button', { name: /yes/i }).click()
      await page.waitForURL((url) => url.origin === server.url)
      await page.locator('header').getByRole('link', { name: 'Sign in' }).waitFor()
      const session = await page.request.get(`${server.url}/rest/security/session`)
      assert.equal(session.status(), 401)

      await issuer.close()
      await shown.open('/app/sign-in?to=/')
      await signInLocally(shown)
    })
  })

describe('sign-in on the pages by LDAP', () => {
  let slapd: Slapd
  let server: PageServer
  const works: (() => void)[] = []
  before(async () => {
    slapd = await startSlapd()
    server = await startPageServer(
      { after: (work: () => void) => void works.push(work) },
      { TERRANE_SAMPLE: 'off', ...slapd.settings },
    )
  })
  after(async () => {
    for (const work of works) work()
    await slapd.close()
    await closeBrowser()
  })

  it('opens the requested page, signs out, and goes on by password without the directory', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.open('/app/sign-in?to=/app/import')
    await fillIn(shown, 'anna', 'wrong')
    await page.locator('main .err').waitFor()
    await fillIn(shown, 'anna', 'anna-password')
    await page.waitForURL(`${server.url}/app/import`)
    await account(shown).filter({ hasText: 'anna' }).waitFor()
    await signOut(shown)
    await page.locator('header').getByRole('link', { name: 'Sign in' }).waitFor()
    assert.equal((await page.request.get(`${server.url}/rest/security/session`)).status(), 401)

    await slapd.stop()
    await shown.open('/app/sign-in?to=/')
    // Not anna: a confirmed password is good for a minute.
    await fillIn(shown, 'ben', 'ben-password')
    await page.locator('main .err').waitFor()
    await signInLocally(shown)
  })
})
