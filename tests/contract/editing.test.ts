import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../support/app.ts'
import { createTestApp } from '../support/app.ts'
import { askFeature, pointFeature } from '../support/feature-client.ts'
import { restore, versionsOf } from '../support/version-client.ts'
import { importPoints } from '../support/versioned-layers.ts'

/** Names of the features of a layer, by their ids. */
async function namesOf(server: TestApp, layer: string): Promise<[unknown, unknown][]> {
  const { status, json, text } = await askFeature(server, { method: 'GET', layer, query: '?limit=10000' })
  assert.equal(status, 200, text)
  const { features } = json as unknown as { features: { id: unknown; properties: { name: string } }[] }
  return features.map(({ id, properties }) => [id, properties.name])
}

describe('editing of features', () => {
  let server: TestApp
  before(async () => {
    server = await createTestApp()
  })
  after(() => server.close())

  it('adds and removes features, which are one version and taken back together', async () => {
    const layer = 'default:thin'
    await importPoints(server, { name: 'thin' })
    const added = await askFeature(server, {
      method: 'POST',
      layer,
      body: pointFeature({ name: 'c' }, [5, 6]),
    })
    assert.equal(added.status, 201, added.text)
    assert.match(String(added.headers['location']), /\/ogc\/collections\/default%3Athin\/items\/3$/)
    assert.deepEqual(await namesOf(server, layer), [
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
    assert.deepEqual(await namesOf(server, layer), [
      [2, 'B'],
      [3, 'c'],
    ])
    const [edits, first, ...others] = await versionsOf(server, layer)
    assert.deepEqual(others, [])
    assert.deepEqual(
      [edits?.version, edits?.cause, edits?.mode, edits?.rows, edits?.changes],
      [4, 'edit', 'EDIT', 2, { added: 1, changed: 1, removed: 1, same: 0 }],
    )
    assert.deepEqual([first?.version, first?.restorable], [1, true])
    const back = await restore(server, layer, 1)
    assert.equal(back.status, 200, back.text)
    assert.deepEqual(await namesOf(server, layer), [
      [1, 'a'],
      [2, 'b'],
    ])
    const again = await restore(server, layer, 4)
    assert.equal(again.status, 200, again.text)
    assert.deepEqual(await namesOf(server, layer), [
      [2, 'B'],
      [3, 'c'],
    ])
  })
})
