import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../support/app.ts'
import { basicAuth, createTestApp } from '../support/app.ts'
import { fileDatabase } from '../support/postgis-store.ts'
import { ask, versionsOf } from '../support/version-client.ts'
import { importPoints, versionOf } from '../support/versioned-layers.ts'

function describeVersions(name: string, environment: () => Promise<Record<string, string>>): void {
  describe(`versions that are told, catalogue in ${name}`, () => {
    let server: TestApp
    before(async () => {
      server = await createTestApp({ env: { TERRANE_LOADS: '1', ...(await environment()) } })
      for (const [who, role] of [
        ['reader', 'user'],
        ['editor', 'staff'],
      ])
        await ask(server, 'POST', '/rest/security/users', {
          user: { name: who, role, password: 'a-long-password' },
        })
    })
    after(() => server.close())

    it('say when, who, from which import and how many rows', async () => {
      await importPoints(server, { name: 'told' })
      await importPoints(server, { name: 'told', mode: 'APPEND' })
      const title = { layer: { title: 'Told' } }
      await ask(server, 'PUT', '/rest/layers/default:told', title, basicAuth('editor', 'a-long-password'))
      await ask(server, 'PUT', '/rest/layers/default:told', { layer: { defaultStyle: 'generic' } })
      const versions = await versionsOf(server, 'default:told')
      assert.deepEqual(
        versions.map(({ version, cause, user, mode, rows, style }) => [
          version,
          cause,
          user,
          mode,
          rows,
          style,
        ]),
        [
          [4, 'style', 'admin', null, 4, 'generic'],
          [3, 'edit', 'editor', null, 4, 'point'],
          [2, 'import', 'admin', 'APPEND', 4, 'point'],
          [1, 'import', 'admin', 'CREATE', 2, 'point'],
        ],
      )
      assert.equal(typeof versions[3]?.import, 'number')
      assert.deepEqual([versions[0]?.restorable, versions[2]?.restorable], [false, true])
    })

    it('grow in the list exactly as the layer does', async () => {
      await importPoints(server, { name: 'counted' })
      for (const isPublic of [true, false])
        await ask(server, 'PUT', '/rest/workspaces/default', { workspace: { public: isPublic } })
      await importPoints(server, { name: 'counted', mode: 'REPLACE' })
      const versions = await versionsOf(server, 'default:counted')
      const latest = await versionOf(server, 'default:counted')
      assert.deepEqual(
        versions.map(({ version }) => version),
        Array.from({ length: latest }, (_, at) => latest - at),
      )
    })

    it('name users and imports to staff alone, and nothing to the anonymous', async () => {
      const [latest] = await versionsOf(server, 'default:told', basicAuth('reader', 'a-long-password'))
      assert.deepEqual([latest?.user, latest?.import], [null, null])
      const anonymous = await server.app.inject({ url: '/rest/layers/default:told/versions' })
      assert.equal(anonymous.statusCode, 401)
    })

    it('stay when their layer is deleted, for staff', async () => {
      await importPoints(server, { name: 'gone' })
      await ask(server, 'DELETE', '/rest/layers/default:gone')
      const versions = await versionsOf(server, 'default:gone')
      assert.deepEqual(
        versions.map(({ version, cause }) => [version, cause]),
        [
          [2, 'delete'],
          [1, 'import'],
        ],
      )
      const headers = basicAuth('reader', 'a-long-password')
      const hidden = await ask(server, 'GET', '/rest/layers/default:gone/versions', undefined, headers)
      assert.deepEqual([hidden.status, String(hidden.json.code)], [404, 'unknown-layer'])
    })

    it('are pinned and let go', async () => {
      const path = '/rest/layers/default:told/versions/4'
      const pinned = await ask(server, 'PUT', path, { pinned: true })
      assert.deepEqual([pinned.status, pinned.json.version?.pinned], [200, true], pinned.text)
      const free = await ask(server, 'PUT', path, { pinned: false })
      assert.equal(free.json.version?.pinned, false)
      const unknown = await ask(server, 'PUT', '/rest/layers/default:told/versions/99', { pinned: true })
      assert.deepEqual([unknown.status, String(unknown.json.code)], [404, 'unknown-version'])
    })
  })
}

describeVersions('SQLite', async () => ({}))
describeVersions('PostgreSQL', async () => ({ TERRANE_DATABASE_URL: await fileDatabase() }))
