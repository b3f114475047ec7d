import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { defined } from '../../../src/core/values/defined.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { fileDatabase } from '../../support/postgis-store.ts'
import { importPoints, versionOf } from '../../support/versioned-layers.ts'

const styleDocument = (color: string) => ({
  version: 8,
  name: 's',
  sources: {},
  layers: [{ id: 'p', type: 'circle', source: 'layer', paint: { 'circle-color': color } }],
})

/** Describes changes in the catalogue that behave the same with every database of the catalogue. */
function describeOwnChanges(name: string, environment: () => Promise<Record<string, string>>): void {
  describe(`versions of layers, catalogue in ${name}`, () => {
    let server: TestApp
    before(async () => {
      server = await createTestApp({ env: { TERRANE_LOADS: '1', ...(await environment()) } })
    })
    after(() => server.close())
    const send = (method: 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) =>
      server.app.inject({ method, url, headers: server.admin, ...defined({ payload }) })
    /** By how much the versions of layers grow while `action` runs. */
    const growth = async (layers: string[], action: () => Promise<unknown>): Promise<number[]> => {
      const before = await Promise.all(layers.map((layer) => versionOf(server, layer)))
      await action()
      return Promise.all(
        layers.map(async (layer, at) => (await versionOf(server, layer)) - (before[at] ?? 0)),
      )
    }

    it('grow with each import into the layer, and stand still otherwise', async () => {
      await importPoints(server, { name: 'roads' })
      assert.equal(await versionOf(server, 'default:roads'), 1)
      await importPoints(server, { name: 'paths' })
      const both = ['default:roads', 'default:paths']
      for (const mode of ['APPEND', 'REPLACE', 'REPLACE', 'APPEND'] as const)
        assert.deepEqual(await growth(both, () => importPoints(server, { name: 'roads', mode })), [1, 0])
      // A log of commits is moved into the file of a GeoPackage a quarter of a second after the last load.
      assert.deepEqual(await growth(both, () => sleep(600)), [0, 0])
    })

    it('grow with title, style, publicity and store', async () => {
      await importPoints(server, { name: 'edited' })
      const edited = ['default:edited']
      const put = (layer: object) => () => send('PUT', '/rest/layers/default:edited', { layer })
      for (const change of [
        { title: 't' },
        { defaultStyle: 'generic' },
        { public: true },
        { public: 'workspace' },
      ])
        assert.deepEqual(await growth(edited, put(change)), [1], JSON.stringify(change))
    })
    it('grow with the document of their style, and with one of that name that comes between', async () => {
      const styles = '/rest/styles'
      await send('POST', '/rest/workspaces', { workspace: { name: 'other' } })
      await send('POST', styles, { style: { name: 'red', document: styleDocument('red') } })
      for (const workspace of ['default', 'other']) {
        await importPoints(server, { workspace, name: 'drawn' })
        await send('PUT', `/rest/layers/${workspace}:drawn`, { layer: { defaultStyle: 'red' } })
      }
      const drawn = ['default:drawn', 'other:drawn', 'default:roads']
      const change = (prefix: string) => () =>
        send('PUT', `${prefix}/styles/red`, { style: { document: styleDocument('blue') } })
      assert.deepEqual(await growth(drawn, change('/rest')), [1, 1, 0])
      const own = { style: { name: 'red', document: styleDocument('green') } }
      assert.deepEqual(
        await growth(drawn, () => send('POST', '/rest/workspaces/other/styles', own)),
        [0, 1, 0],
      )
      assert.deepEqual(await growth(drawn, change('/rest')), [1, 0, 0])
      assert.deepEqual(await growth(drawn, change('/rest/workspaces/other')), [0, 1, 0])
      assert.deepEqual(await growth(drawn, () => send('DELETE', `${styles}/red?recurse=true`)), [1, 1, 0])
    })

    it('grow with the publicity of the workspace where the layer has none itself', async () => {
      await send('POST', '/rest/workspaces', { workspace: { name: 'city' } })
      for (const name of ['own', 'follows']) await importPoints(server, { workspace: 'city', name })
      await send('PUT', '/rest/layers/city:own', { layer: { public: false } })
      const layers = ['city:own', 'city:follows', 'default:roads']
      const open = (isPublic: boolean) => () =>
        send('PUT', '/rest/workspaces/city', { workspace: { public: isPublic } })
      assert.deepEqual(await growth(layers, open(true)), [0, 1, 0])
      assert.deepEqual(await growth(layers, open(true)), [0, 0, 0])
      assert.deepEqual(await growth(layers, open(false)), [0, 1, 0])
    })

    it('go on where a layer of that name was deleted', async () => {
      await importPoints(server, { name: 'again' })
      await send('PUT', '/rest/layers/default:again', { layer: { title: 't' } })
      await send('DELETE', '/rest/layers/default:again?recurse=true')
      await importPoints(server, { name: 'again' })
      assert.equal(await versionOf(server, 'default:again'), 3)
    })
  })
}

describeOwnChanges('SQLite', async () => ({}))
describeOwnChanges('PostgreSQL', async () => ({ TERRANE_DATABASE_URL: await fileDatabase() }))
