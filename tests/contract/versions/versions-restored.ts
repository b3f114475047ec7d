import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { fileDatabase } from '../../support/postgis-store.ts'
import { runSql } from '../../support/postgres.ts'
import { ask, restore, versionsOf } from '../../support/version-client.ts'
import { addVersionStores } from '../../support/version-stores.ts'
import type { Points } from '../../support/versioned-layers.ts'
import { importPoints } from '../../support/versioned-layers.ts'

const pointsOf = (generation: string, count = 3): Points =>
  Array.from({ length: count }, (_, at) => [`${generation}${at}`, at * 2, at])

/** Names of the features of a layer, with their ids. */
async function featuresOf(server: TestApp, layer: string, query = ''): Promise<[unknown, unknown][]> {
  const { status, json, text } = await ask(server, 'GET', `/ogc/collections/default:${layer}/items${query}`)
  assert.equal(status, 200, text)
  const { features } = json as unknown as { features: { id: unknown; properties: { name: string } }[] }
  return features.map(({ id, properties }) => [id, properties.name])
}

const catalogues = {
  SQLite: async () => ({}),
  PostgreSQL: async () => ({ TERRANE_DATABASE_URL: await fileDatabase() }),
}

/** Tests versions of layers in both types of stores, with one catalogue. */
export function describeRestores(catalogue: keyof typeof catalogues): void {
  describe(`versions that are brought back, catalogue in ${catalogue}`, () => {
    let server: TestApp
    before(async () => {
      server = await createTestApp({ env: { TERRANE_LOADS: '2', ...(await catalogues[catalogue]()) } })
      await addVersionStores(server)
    })
    after(() => server.close())

    for (const store of ['file', 'table']) {
      it(`are whole, readable and restored after a REPLACE, in store ${store}`, async () => {
        const name = `replaced_${store}`
        await importPoints(server, { name, store, points: pointsOf('a') })
        await importPoints(server, { name, store, mode: 'REPLACE', points: pointsOf('b', 5) })
        await importPoints(server, { name, store, mode: 'REPLACE', points: pointsOf('c', 2) })
        const versions = await versionsOf(server, `default:${name}`)
        assert.deepEqual(
          versions.map(({ version, restorable, reason }) => [version, restorable, reason]),
          [
            [3, false, 'It is the current version'],
            [2, true, null],
            [1, true, null],
          ],
        )
        assert.ok(versions.slice(1).every(({ sizeBytes }) => Number(sizeBytes) > 0))
        const first = await featuresOf(server, name, '?version=1')
        assert.deepEqual(first.map(([, text]) => text).sort(), ['a0', 'a1', 'a2'])
        const tile = await server.app.inject({
          url: `/tiles/default:${name}/0/0/0.mvt?version=2`,
          headers: server.admin,
        })
        assert.equal(tile.statusCode, 200, tile.body)
        const layer = new VectorTile(new PbfReader(tile.rawPayload)).layers[name]
        const names = Array.from(
          { length: layer?.length ?? 0 },
          (_, at) => layer?.feature(at).properties.name,
        )
        assert.deepEqual(names.sort(), ['b0', 'b1', 'b2', 'b3', 'b4'])
        const back = await restore(server, `default:${name}`, 1)
        assert.equal(back.status, 200, back.text)
        assert.deepEqual([back.json.version?.version, back.json.version?.cause], [4, 'restore'])
        assert.deepEqual(await featuresOf(server, name), first)
        const again = await restore(server, `default:${name}`, 3)
        assert.equal(again.status, 200, again.text)
        assert.deepEqual((await featuresOf(server, name)).map(([, text]) => text).sort(), ['c0', 'c1'])
        assert.deepEqual(
          (await versionsOf(server, `default:${name}`)).map(({ restorable }) => restorable),
          [false, true, true, true, true],
        )
      })

      it(`come back after their layer was deleted with its table, in store ${store}`, async () => {
        const name = `deleted_${store}`
        await importPoints(server, { name, store, points: pointsOf('a') })
        const whole = await featuresOf(server, name)
        const gone = await ask(server, 'DELETE', `/rest/layers/default:${name}?recurse=true`)
        assert.equal(gone.status, 200, gone.text)
        const [latest] = await versionsOf(server, `default:${name}`)
        assert.deepEqual([latest?.cause, latest?.restorable], ['delete', true])
        const back = await restore(server, `default:${name}`, latest?.version ?? 0)
        assert.equal(back.status, 200, back.text)
        assert.deepEqual(await featuresOf(server, name), whole)
        await importPoints(server, { name, store, mode: 'APPEND', points: pointsOf('b') })
        assert.equal((await featuresOf(server, name)).length, 6)
      })
    }

    for (const store of ['file', 'table'])
      it(`tell their rows also where they were there already, in store ${store}`, async () => {
        const name = `twice_${store}`
        await importPoints(server, { name, store, points: pointsOf('a') })
        await importPoints(server, { name, store, mode: 'REPLACE', points: pointsOf('b', 5) })
        for (const version of [1, 1, 2, 2]) await restore(server, `default:${name}`, version)
        const versions = await versionsOf(server, `default:${name}`)
        assert.deepEqual(
          versions.map(({ rows }) => rows),
          [5, 5, 3, 3, 5, 3],
        )
      })

    it('stay with their layer where its table cannot go, since a view depends on it', async () => {
      const name = `seen_${catalogue.toLowerCase()}`
      await importPoints(server, { name, store: 'table', points: pointsOf('a') })
      const url = await fileDatabase()
      await runSql(url, `create view public.${name}_seen as select name from public.${name}`)
      const refused = await ask(server, 'DELETE', `/rest/layers/default:${name}?recurse=true`)
      assert.equal(refused.status, 409, refused.text)
      assert.equal((await featuresOf(server, name)).length, 3)
      await runSql(url, `drop view public.${name}_seen`)
      const gone = await ask(server, 'DELETE', `/rest/layers/default:${name}?recurse=true`)
      assert.equal(gone.status, 200, gone.text)
      const back = await restore(server, `default:${name}`, 1)
      assert.equal(back.status, 200, back.text)
      assert.equal((await featuresOf(server, name)).length, 3)
    })

    it('are brought back one after the other where two ask at once', async () => {
      const name = 'at_once'
      await importPoints(server, { name, store: 'table', points: pointsOf('a') })
      await importPoints(server, { name, store: 'table', mode: 'REPLACE', points: pointsOf('b') })
      await importPoints(server, { name, store: 'table', mode: 'REPLACE', points: pointsOf('c') })
      const answers = await Promise.all([1, 2, 1, 2].map((one) => restore(server, `default:${name}`, one)))
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200],
      )
      assert.deepEqual(answers.map(({ json }) => Number(json.version?.version)).sort(), [4, 5, 6, 7])
      const texts = (await featuresOf(server, name)).map(([, text]) => String(text).slice(0, 1))
      assert.equal(new Set(texts).size, 1)
    })

    it('are none where the store keeps none, which is said beforehand', async () => {
      const url = '/rest/workspaces/default/datastores/table'
      assert.equal((await ask(server, 'PUT', url, { dataStore: { versions: false } })).status, 200)
      await importPoints(server, { name: 'unkept', store: 'table', points: pointsOf('a') })
      await importPoints(server, { name: 'unkept', store: 'table', mode: 'REPLACE', points: pointsOf('b') })
      const [, first] = await versionsOf(server, 'default:unkept')
      assert.deepEqual([first?.restorable, first?.reason], [false, 'The store "table" keeps no versions'])
      const refused = await restore(server, 'default:unkept', 1)
      assert.deepEqual([refused.status, String(refused.json.code)], [409, 'not-restorable'])
      await ask(server, 'PUT', url, { dataStore: { versions: true } })
    })
  })
}
