import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { restoredParts } from '../../../src/catalog/index.ts'
import { actAs } from '../../../src/core/concurrency/acting.ts'
import type { TestApp } from '../../support/app.ts'
import { basicAuth, createTestApp } from '../../support/app.ts'
import { clientOf } from '../../support/importer-client.ts'
import { ask } from '../../support/version-client.ts'
import { importPoints, pointsJson, versionOf } from '../../support/versioned-layers.ts'

const password = 'long-enough-password'

// Work is started as a user who lost the right between the check of the request and the start of the job.
describe('work that starts after its request', () => {
  let server: TestApp
  before(async () => {
    server = await createTestApp({ env: { TERRANE_DEFAULT_READ: 'granted' } })
    for (const name of ['town', 'county'])
      await ask(server, 'POST', '/rest/workspaces', { workspace: { name } })
    await importPoints(server, { workspace: 'town', name: 'trees' })
    await importPoints(server, { workspace: 'town', name: 'trees', mode: 'APPEND' })
    await ask(server, 'POST', '/rest/security/users', { user: { name: 'anna', password, role: 'user' } })
    const permission = { subject: { user: 'anna' }, resource: 'town', actions: ['import'] }
    await ask(server, 'POST', '/rest/security/permissions', { permission })
  })
  after(() => server.close())

  async function uploaded(workspace: string): Promise<number> {
    const client = clientOf(server)
    const created = await client.call('POST', '', {
      import: { targetWorkspace: { workspace: { name: workspace } } },
    })
    const id = Number(created.json.import?.id)
    await client.upload(id, [{ name: 'shrubs.geojson', content: pointsJson([['a', 1, 2]]) }])
    return id
  }

  it('makes no dry run for a user who may not import into the workspace', async () => {
    for (const [workspace, expected] of [
      ['county', 'not-allowed'],
      ['town', undefined],
    ] as const) {
      const id = await uploaded(workspace)
      await actAs('anna', '127.0.0.1', () =>
        server.importer.performDryRun(id, { isAsync: false, signal: new AbortController().signal }),
      )
      const { json } = await ask(server, 'GET', `/rest/imports/${id}/dry-run`)
      const { messages } = json.dryRun?.tasks?.[0] ?? {}
      const codes = (messages as unknown as { code: string }[]).map(({ code }) => code)
      assert.equal(codes.includes('not-allowed'), expected !== undefined, JSON.stringify(json))
    }
  })

  it('restores no version for a user who may not manage the layer', async () => {
    const before = await versionOf(server, 'town:trees')
    const layer = await server.catalog.layers.findNamed('town:trees')
    assert.ok(layer)
    const of = { ...layer, layer }
    const version = await server.catalog.versions.get(of, 1)
    const restore = (user: string): Promise<number> =>
      server.importer.restores.restore(
        of,
        version,
        { what: restoredParts, user },
        new AbortController().signal,
      )
    await assert.rejects(restore('anna'), { code: 'not-allowed', kind: 'forbidden' })
    assert.equal(await versionOf(server, 'town:trees'), before)
    assert.ok((await restore('admin')) > before)
  })

  it('moves no import into a workspace that the caller or the token may not import to', async () => {
    const permission = { subject: { user: 'anna' }, resource: 'county', actions: ['import'] }
    const made = await ask(server, 'POST', '/rest/security/permissions', { permission })
    const signedIn = basicAuth('anna', password)
    const token = await ask(
      server,
      'POST',
      '/rest/security/tokens',
      { token: { name: 't', workspace: 'town' } },
      signedIn,
    )
    const bearer = { authorization: `Bearer ${token.json.token?.value}` }
    const target = { dataStore: { name: 'county', workspace: { name: 'county' } } }
    const id = await uploaded('town')
    for (const [path, body] of [
      [`/rest/imports/${id}/tasks/0`, { task: { target } }],
      [`/rest/imports/${id}/tasks/0/target`, target],
    ] as const) {
      const refused = await ask(server, 'PUT', path, body, bearer)
      assert.equal(refused.status, 400, refused.text)
      assert.equal(refused.json.code, 'unknown-workspace')
    }
    const shown = await ask(server, 'GET', `/rest/imports/${id}`)
    assert.equal(shown.json.import?.targetWorkspace?.workspace?.name, 'town')
    const moved = await ask(server, 'PUT', `/rest/imports/${id}/tasks/0`, { task: { target } }, signedIn)
    assert.equal(moved.status, 200, moved.text)
    await ask(server, 'DELETE', `/rest/security/permissions/${made.json.permission?.id}`)
    const run = await ask(server, 'POST', `/rest/imports/${id}`, undefined, signedIn)
    assert.equal(run.status, 404, 'an import into a workspace that the caller may not import to')
  })
})
