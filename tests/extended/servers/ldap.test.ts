import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { adminPassword, basicAuth, createTestApp, type TestApp } from '../../support/app.ts'
import { type Slapd, startSlapd } from '../../support/slapd.ts'

describe('sign-in by LDAP with OpenLDAP', () => {
  let slapd: Slapd
  before(async () => {
    slapd = await startSlapd()
  })
  after(() => slapd.close())

  const withServer = async (env: Record<string, string>, work: (server: TestApp) => Promise<void>) => {
    const server = await createTestApp({ env })
    try {
      await work(server)
    } finally {
      await server.close()
    }
  }
  const ask = (server: TestApp, name: string, password: string) =>
    server.app.inject({ url: '/rest/security/session', headers: basicAuth(name, password) })

  it('searches the user, binds, and follows groups in groups, circles included', async () => {
    await withServer(slapd.settings, async (server) => {
      const reply = await ask(server, 'anna', 'anna-password')
      assert.equal(reply.statusCode, 200, reply.body)
      assert.equal(reply.json<{ session: { role: string } }>().session.role, 'staff')
      const groups = (await server.accounts.groups.list()).map(({ name }) => name)
      assert.deepEqual(groups, ['circle', 'editors', 'gis-staff', 'surveyors'])
      const page = await server.app.inject({
        method: 'POST',
        url: '/rest/security/session',
        payload: { session: { name: 'ANNA', password: 'anna-password' } },
      })
      assert.equal(page.statusCode, 200, page.body)
      assert.equal(page.json<{ session: { user: string } }>().session.user, 'anna')
    })
  })

  it('refuses wrong and empty passwords, and names that are filters', async () => {
    await withServer(slapd.settings, async (server) => {
      for (const [name, password] of [
        ['anna', 'wrong'],
        ['anna', ''],
        ['*', 'anna-password'],
        ['anna)(uid=*', 'anna-password'],
        ['nobody', 'anna-password'],
      ] as const)
        assert.equal((await ask(server, name, password)).statusCode, 401, `${name} ${password}`)
      assert.equal((await ask(server, 'o*(brien)', 'brien-password')).statusCode, 200)
    })
  })

  it('binds by a pattern without a search', async () => {
    const env = {
      TERRANE_LDAP_URL: `ldap://localhost:${slapd.port}`,
      TERRANE_LDAP_USER_DN: 'uid={name},ou=people,dc=city,dc=example',
    }
    await withServer(env, async (server) => {
      assert.equal((await ask(server, 'anna', 'anna-password')).statusCode, 200)
      assert.equal((await ask(server, 'anna,ou=people', 'anna-password')).statusCode, 401)
      assert.equal((await server.accounts.users.get('anna')).email, 'anna@city.example')
    })
  })

  it('refuses a certificate of an unknown authority', async () => {
    const { TERRANE_LDAP_CA: _, ...env } = slapd.settings
    await withServer(env, async (server) => {
      const reply = await ask(server, 'anna', 'anna-password')
      assert.equal(reply.statusCode, 503)
      assert.match(reply.json<{ detail: string }>().detail, /self-signed certificate/)
    })
  })

  it('is a 503 while the directory is away, and local passwords go on', async () => {
    await withServer(slapd.settings, async (server) => {
      await slapd.stop()
      try {
        const reply = await ask(server, 'anna', 'anna-password')
        assert.equal(reply.json<{ code: string }>().code, 'directory-unavailable')
        assert.equal((await ask(server, 'admin', adminPassword)).statusCode, 200)
      } finally {
        await slapd.start()
      }
    })
  })
})
