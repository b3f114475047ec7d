import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { Accounts } from '../../src/access/index.ts'
import type { Database, DatabaseSettings } from '../../src/core/db/connection.ts'
import { openDatabase } from '../../src/core/db/connection.ts'
import { Secret } from '../../src/core/secrets/secret.ts'
import { createVault } from '../../src/core/secrets/vault.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { createCatalogDatabase } from '../support/catalog-database.ts'

const catalogs: Record<string, (t: TestContext) => Promise<DatabaseSettings>> = {
  SQLite: async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'terrane-groups-'))
    t.after(() => rmSync(folder, { recursive: true }))
    return { path: join(folder, 'terrane.sqlite') }
  },
  PostgreSQL: async () => ({ url: new Secret(await createCatalogDatabase()) }),
}

async function revision(database: Database): Promise<number> {
  const row = await database.kysely
    .selectFrom('counters')
    .select('value')
    .where('name', '=', 'access-revision')
    .executeTakeFirstOrThrow()
  return Number(row.value)
}

for (const [kind, open] of Object.entries(catalogs)) {
  describe(`groups in ${kind}`, () => {
    async function accountsOn(t: TestContext) {
      const database = await openDatabase(await open(t))
      t.after(() => database.close())
      const accounts = new Accounts({
        database,
        clock: systemClock,
        passwordCost: { logN: 12, r: 8, p: 1 },
        vault: createVault(new Uint8Array(32)),
      })
      for (const name of ['anna', 'ben']) await accounts.users.create({ name, password: 'long-password' })
      return { accounts, database }
    }

    it('replace the memberships of one provider and keep local ones', async (t) => {
      const { accounts } = await accountsOn(t)
      const { groups } = accounts
      await groups.create({ name: 'gis', title: 'GIS office', members: ['anna', 'ben'] })
      await groups.replaceMemberships('anna', 'oidc', ['gis', 'water'])
      await groups.replaceMemberships('anna', 'ldap', ['water'])
      await groups.replaceMemberships('anna', 'oidc', ['roads'])
      assert.deepEqual(
        (await groups.list()).map(({ name, source, members }) => ({
          name,
          source,
          members: members.map((member) => `${member.user} ${member.source}`),
        })),
        [
          { name: 'gis', source: 'local', members: ['anna local', 'ben local'] },
          { name: 'roads', source: 'oidc', members: ['anna oidc'] },
          { name: 'water', source: 'oidc', members: ['anna ldap'] },
        ],
      )
    })

    it('increase the revision when something changed, and only then', async (t) => {
      const { accounts, database } = await accountsOn(t)
      const { groups } = accounts
      const revisions = [await revision(database)]
      const note = async () => revisions.push(await revision(database))
      await groups.create({ name: 'gis', members: ['anna'] })
      await note()
      await groups.replaceMemberships('anna', 'oidc', ['water'])
      await note()
      const same = revisions.at(-1)
      await groups.replaceMemberships('anna', 'oidc', ['water'])
      assert.equal(await revision(database), same)
      await groups.change('gis', { name: 'geo' })
      await note()
      await accounts.users.delete('anna')
      await note()
      assert.deepEqual(
        revisions,
        revisions.toSorted((a, b) => a - b),
      )
      assert.equal(new Set(revisions).size, revisions.length)
      assert.deepEqual((await groups.get('geo')).members, [])
    })

    it('refuse unknown members, groups as members and taken names, with nothing saved', async (t) => {
      const { groups } = (await accountsOn(t)).accounts
      await groups.create({ name: 'gis' })
      await assert.rejects(
        groups.create({ name: 'all', members: ['anna', 'gis'] }),
        /groups contain only users/,
      )
      await assert.rejects(groups.create({ name: 'gis' }), /exists already/)
      await assert.rejects(
        groups.change('gis', { title: 'x', members: ['nobody'] }),
        /"nobody" does not exist/,
      )
      assert.deepEqual(
        (await groups.list()).map(({ name, title }) => ({ name, title })),
        [{ name: 'gis', title: undefined }],
      )
    })
  })
}
