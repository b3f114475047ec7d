import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { basicAuth, createTestApp } from '../../support/app.ts'
import { fileDatabase } from '../../support/postgis-store.ts'
import { ask, restore, versionsOf } from '../../support/version-client.ts'
import { importPoints, versionOf } from '../../support/versioned-layers.ts'

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

    it('bring a style back with its document', async () => {
      const draw = (color: string) => ({
        version: 8,
        name: 's',
        sources: {},
        layers: [{ id: 'p', type: 'circle', source: 'layer', paint: { 'circle-color': color } }],
      })
      await importPoints(server, { name: 'drawn' })
      await ask(server, 'POST', '/rest/workspaces/default/styles', {
        style: { name: 'dots', document: draw('red') },
      })
      await ask(server, 'PUT', '/rest/layers/default:drawn', { layer: { defaultStyle: 'dots' } })
      await ask(server, 'PUT', '/rest/workspaces/default/styles/dots', { style: { document: draw('blue') } })
      await ask(server, 'PUT', '/rest/layers/default:drawn', { layer: { defaultStyle: 'generic' } })
      const back = await restore(server, 'default:drawn', 2, { what: ['style'] })
      assert.equal(back.status, 200, back.text)
      assert.deepEqual(
        [back.json.version?.cause, back.json.version?.style, back.json.version?.user],
        ['restore', 'dots_v2', 'admin'],
      )
      const url = '/rest/workspaces/default/styles/dots_v2.maplibre'
      assert.match((await ask(server, 'GET', url)).text, /red/)
      const whole = await restore(server, 'default:drawn', 3)
      assert.deepEqual([whole.status, String(whole.json.version?.style)], [200, 'dots'], whole.text)
    })

    it('bring a deleted layer back whose table stayed, unless its name is taken', async () => {
      await importPoints(server, { name: 'taken' })
      await ask(server, 'DELETE', '/rest/layers/default:taken')
      await importPoints(server, { name: 'taken', mode: 'CREATE' })
      // The restore means the layer deleted last only if no layer has the name; here the present layer has
      // it.
      await ask(server, 'DELETE', '/rest/layers/default:taken')
      const [latest] = await versionsOf(server, 'default:taken')
      assert.equal(latest?.cause, 'delete')
      const back = await restore(server, 'default:taken', latest?.version ?? 0)
      assert.equal(back.status, 200, back.text)
      assert.equal(await versionOf(server, 'default:taken'), Number(back.json.version?.version))
      const { json } = await ask(server, 'GET', '/ogc/collections/default:taken/items')
      assert.equal(json.numberMatched, 2)
    })

    it('are not brought back over a change that If-Match does not know of', async () => {
      await importPoints(server, { name: 'matched' })
      const { headers } = await ask(server, 'GET', '/rest/layers/default:matched/versions')
      await ask(server, 'PUT', '/rest/layers/default:matched', { layer: { title: 'changed' } })
      const tag = { 'if-match': String(headers.etag) }
      const stale = await restore(server, 'default:matched', 1, {}, tag)
      assert.deepEqual([stale.status, String(stale.json.code)], [412, 'changed-meanwhile'])
      const present = await restore(server, 'default:matched', 2)
      assert.deepEqual([present.status, String(present.json.code)], [409, 'not-restorable'])
    })

    it('are deleted by administrators alone, but for the present one', async () => {
      await importPoints(server, { name: 'cleared' })
      await ask(server, 'PUT', '/rest/layers/default:cleared', { layer: { title: 'changed' } })
      const path = '/rest/layers/default:cleared/versions'
      const headers = basicAuth('editor', 'a-long-password')
      assert.equal((await ask(server, 'DELETE', `${path}/1`, undefined, headers)).status, 403)
      assert.equal((await ask(server, 'DELETE', `${path}/2`)).status, 409)
      assert.equal((await ask(server, 'DELETE', `${path}/1`)).status, 200)
      assert.deepEqual(
        (await versionsOf(server, 'default:cleared')).map(({ version }) => version),
        [2],
      )
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

    it('have numbers that every catalogue holds: others are refused', async () => {
      const path = '/rest/layers/default:told/versions'
      const large = '99999999999999999999'
      for (const [method, address, body] of [
        ['GET', `${path}/${large}`],
        ['PUT', `${path}/${large}`, { pinned: true }],
        ['DELETE', `${path}/${large}`],
        ['GET', `${path}/${large}/changes`],
        ['GET', `${path}/4/changes?against=${large}`],
        ['POST', `${path}/${large}/restore`, { what: ['data'] }],
      ] as const) {
        const { status, text } = await ask(server, method, address, body)
        assert.equal(status, 400, `${method} ${address}: ${text}`)
      }
      assert.equal((await ask(server, 'GET', `${path}/9007199254740991`)).status, 404)
    })
  })
}

describeVersions('SQLite', async () => ({}))
describeVersions('PostgreSQL', async () => ({ TERRANE_DATABASE_URL: await fileDatabase() }))
