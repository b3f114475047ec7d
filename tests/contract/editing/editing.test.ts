import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { addEditedStores, editedStores, shownFeatures } from '../../support/edited-layers.ts'
import { askFeature, pointFeature } from '../../support/feature-client.ts'
import { fileDatabase } from '../../support/postgis-store.ts'
import { ask, restore, versionsOf } from '../../support/version-client.ts'
import { importPoints } from '../../support/versioned-layers.ts'

function describeEdits(catalogue: string, environment: () => Promise<Record<string, string>>): void {
  describe(`editing of features, catalogue in ${catalogue}`, () => {
    let server: TestApp
    before(async () => {
      server = await createTestApp({ env: { ...(await environment()) } })
      await addEditedStores(server)
    })
    after(() => server.close())

    for (const store of editedStores) {
      const namesOf = async (layer: string): Promise<unknown[]> =>
        (await shownFeatures(server, layer)).map(({ id, properties }) => [id, properties['name']])

      it(`adds, changes and removes features, which are one version and taken back together, in store ${store}`, async () => {
        const layer = `default:together_${store}`
        await importPoints(server, { name: `together_${store}`, store })
        const added = await askFeature(server, {
          method: 'POST',
          layer,
          body: pointFeature({ name: 'c' }, [5, 6]),
        })
        assert.equal(added.status, 201, added.text)
        assert.ok(
          String(added.headers['location']).endsWith(`/ogc/collections/${encodeURIComponent(layer)}/items/3`),
        )
        assert.deepEqual(await namesOf(layer), [
          [1, 'a'],
          [2, 'b'],
          [3, 'c'],
        ])
        const removed = await askFeature(server, { method: 'DELETE', layer, id: 1 })
        assert.equal(removed.status, 204, removed.text)
        const changed = await askFeature(server, {
          method: 'PATCH',
          layer,
          id: 2,
          body: { properties: { name: 'B' } },
        })
        assert.equal(changed.status, 204, changed.text)
        const now = [
          [2, 'B'],
          [3, 'c'],
        ]
        assert.deepEqual(await namesOf(layer), now)
        const [edits, first, ...others] = await versionsOf(server, layer)
        assert.deepEqual(others, [])
        assert.deepEqual(
          [edits?.version, edits?.cause, edits?.mode, edits?.user, edits?.rows, edits?.changes],
          [4, 'edit', 'EDIT', 'admin', 2, { added: 1, changed: 1, removed: 1, same: 0 }],
        )
        assert.deepEqual([first?.version, first?.restorable, first?.reason], [1, true, null])
        const changes = await ask(server, 'GET', `/rest/layers/${layer}/versions/1/changes?against=4`)
        assert.equal(changes.status, 200, changes.text)
        const { changes: counts } = changes.json as unknown as { changes: object }
        assert.deepEqual(counts, { added: 1, changed: 1, removed: 1, same: 0, matchedBy: [] })
        const back = await restore(server, layer, 1)
        assert.equal(back.status, 200, back.text)
        assert.deepEqual(await namesOf(layer), [
          [1, 'a'],
          [2, 'b'],
        ])
        const again = await restore(server, layer, 4)
        assert.equal(again.status, 200, again.text)
        assert.deepEqual(await namesOf(layer), now)
      })
    }
  })
}

describeEdits('SQLite', async () => ({}))
describeEdits('PostgreSQL', async () => ({ TERRANE_DATABASE_URL: await fileDatabase() }))
