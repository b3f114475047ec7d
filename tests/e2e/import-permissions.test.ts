import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../support/app.ts'
import { adminPassword, createTestApp } from '../support/app.ts'
import type { Cleanup, Ended } from '../support/terrane-process.ts'
import { runTerrane, temporaryData } from '../support/terrane-process.ts'
import { ask } from '../support/version-client.ts'
import { importPoints } from '../support/versioned-layers.ts'

describe('terrane permissions import', () => {
  let server: TestApp
  let url: string
  before(async () => {
    server = await createTestApp()
    await ask(server, 'POST', '/rest/workspaces', { workspace: { name: 'town' } })
    await importPoints(server, { workspace: 'town', name: 'trees' })
    await ask(server, 'POST', '/rest/security/users', {
      user: { name: 'bobby', password: 'long-enough-password', role: 'user' },
    })
    url = await server.app.listen({ port: 0, host: '127.0.0.1' })
  })
  after(() => server.close())

  const run = (t: Cleanup, ...args: string[]): Promise<Ended> =>
    runTerrane(t, ['permissions', 'import', ...args, '--url', url], { TERRANE_PASSWORD: adminPassword })

  async function present(): Promise<string[]> {
    const { json } = await ask(server, 'GET', '/rest/security/permissions')
    const all = json['permissions'] as unknown as { subject: object; resource: string; actions: string[] }[]
    return all.map(({ subject, resource, actions }) => `${JSON.stringify(subject)} ${resource} ${actions}`)
  }

  it('reports rules of GeoServer in a dry run, adds them once, and nothing of a file with a bad line', async (t) => {
    const folder = temporaryData(t)
    const [layers = '', rest = '', bad = ''] = ['layers.properties', 'rest.properties', 'bad.properties'].map(
      (name) => join(folder, name),
    )
    writeFileSync(layers, 'mode=HIDE\n*.*.r=*\ntown.*.w=EDITORS\ngone.*.r=EDITORS\n')
    writeFileSync(rest, '/rest/workspaces/town/**;GET,PUT,POST,DELETE=OFFICE\n')
    writeFileSync(bad, 'town.*.r=EDITORS\ntown.trees=EDITORS\n')

    const dry = await run(t, 'geoserver', layers, rest, '--dry-run')
    assert.equal(dry.code, 0, dry.stderr)
    assert.match(dry.stdout, /Would make groups without members: EDITORS, OFFICE/)
    assert.match(dry.stdout, /line 4: .*gone\.\*\.r=EDITORS: workspace "gone" does not exist here/)
    assert.match(dry.stdout, /Would add 3 permissions; 0 existed/)
    assert.deepEqual(await present(), [])

    const wrong = await run(t, 'geoserver', bad)
    assert.equal(wrong.code, 1)
    assert.match(
      wrong.stdout,
      /Bad lines, because of which nothing was changed:\n {2}line 2: town\.trees=EDITORS/,
    )
    assert.deepEqual(await present(), [])

    const expected = [
      '{"everyone":true} * read,download',
      '{"group":"EDITORS"} town edit',
      '{"group":"OFFICE"} town manage',
    ]
    for (const created of [3, 0]) {
      const done = await run(t, 'geoserver', layers, rest, '--json')
      assert.equal(done.code, 0, done.stderr)
      const report = JSON.parse(done.stdout).import
      assert.equal(report.permissions.filter((one: { state: string }) => one.state === 'new').length, created)
      assert.deepEqual(await present(), expected)
    }
  })

  it('reports and adds permissions of GeoNode', async (t) => {
    const file = join(temporaryData(t), 'permissions.json')
    const users = { bobby: ['view_resourcebase', 'change_dataset_style'], nobody: ['view_resourcebase'] }
    writeFileSync(file, JSON.stringify({ 'geonode:trees': { users, groups: {} } }, null, 2))
    const done = await run(t, 'geonode', file, '--workspace', 'town')
    assert.equal(done.code, 0, done.stderr)
    assert.match(done.stdout, /change_dataset_style: "manage" would give more/)
    assert.match(done.stdout, /user "nobody" does not exist here/)
    assert.ok((await present()).includes('{"user":"bobby"} town:trees read'))
  })
})
