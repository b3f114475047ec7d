import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestApp } from '../../support/app.ts'
import { basicAuth, createTestApp } from '../../support/app.ts'
import { shownFeatures } from '../../support/edited-layers.ts'
import { askFeature, pointFeature } from '../../support/feature-client.ts'
import { ask, versionsOf } from '../../support/version-client.ts'
import { importPoints } from '../../support/versioned-layers.ts'

let server: TestApp
before(async () => {
  server = await createTestApp()
})
after(() => server.close())

const body = pointFeature({ name: 'x' }, [50, 60])

async function fileOf(): Promise<string> {
  const { json } = await ask(server, 'GET', '/rest/workspaces/default/datastores/default')
  const { dataStore } = json as unknown as { dataStore: { connectionParameters: { path?: string } } }
  return dataStore.connectionParameters.path ?? join(server.dataDir, 'stores', 'default', 'default.gpkg')
}

it('is for staff, whoever else asks and whether the layer exists or not', async () => {
  await importPoints(server, { name: 'guarded' })
  const user = { name: 'reader', password: 'reader-password', email: 'r@example.org', role: 'user' }
  assert.equal((await ask(server, 'POST', '/rest/security/users', { user })).status, 201)
  for (const layer of ['default:guarded', 'default:nowhere'])
    for (const [method, id] of [
      ['POST', undefined],
      ['PUT', 1],
      ['PATCH', 1],
      ['DELETE', 1],
    ] as const) {
      const request = { method, layer, body, ...(id === undefined ? {} : { id }) }
      const anonymous = await askFeature(server, { ...request, headers: { authorization: '' } })
      assert.equal(anonymous.status, 401, `${method} ${layer}`)
      const reader = await askFeature(server, { ...request, headers: basicAuth('reader', 'reader-password') })
      assert.equal(reader.status, 403, `${method} ${layer}`)
      const foreign = { origin: 'https://elsewhere.example.org' }
      assert.equal((await askFeature(server, { ...request, headers: foreign })).status, 403)
    }
  assert.equal((await shownFeatures(server, 'default:guarded')).length, 2)
})

it('adds a feature once for one Idempotency-Key', async () => {
  await importPoints(server, { name: 'once' })
  const request = { method: 'POST', layer: 'default:once', body } as const
  const headers = { 'idempotency-key': 'k1' }
  const first = await askFeature(server, { ...request, headers })
  const again = await askFeature(server, { ...request, headers })
  assert.deepEqual([again.status, again.text], [first.status, first.text])
  assert.equal(again.headers['location'], first.headers['location'])
  const other = await askFeature(server, { ...request, headers, body: pointFeature({ name: 'y' }) })
  assert.equal(other.status, 409)
  assert.equal((await shownFeatures(server, 'default:once')).length, 3)
})

it('loses none of a hundred edits that come at once, and each is counted', async () => {
  await importPoints(server, { name: 'crowd' })
  const layer = 'default:crowd'
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, at) =>
      askFeature(server, { method: 'POST', layer, body: pointFeature({ name: `n${at}` }, [at, at / 2]) }),
    ),
  )
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201])
  const names = (await shownFeatures(server, layer)).map(({ properties }) => String(properties['name']))
  assert.equal(new Set(names).size, 102)
  const [latest, ...others] = await versionsOf(server, layer)
  assert.deepEqual([latest?.version, latest?.rows, others.length], [101, 102, 1])
})

it('keeps the index, bounds and counts of a GeoPackage right, and waits for other programs that write', async () => {
  await importPoints(server, { name: 'sound' })
  const layer = 'default:sound'
  const path = await fileOf()
  const db = new DatabaseSync(path)
  try {
    db.exec('BEGIN IMMEDIATE')
    const waiting = askFeature(server, { method: 'POST', layer, body })
    await sleep(300)
    db.exec('COMMIT')
    assert.equal((await waiting).status, 201)
    const bounds = () =>
      Object.values(
        db.prepare(`SELECT min_x, min_y, max_x, max_y FROM gpkg_contents WHERE table_name = 'sound'`).get() ??
          {},
      )
    assert.deepEqual(bounds(), [1, 2, 50, 60])
    assert.equal((await askFeature(server, { method: 'DELETE', layer, id: 3 })).status, 204)
    assert.deepEqual(bounds(), [1, 2, 3, 4])
    await askFeature(server, { method: 'PATCH', layer, id: 1, body: { geometry: { coordinates: [-5, -6] } } })
    await askFeature(server, { method: 'PATCH', layer, id: 2, body: { geometry: null } })
    assert.deepEqual(bounds(), [-5, -6, -5, -6])
    const named = db.prepare(`SELECT column_name AS c FROM gpkg_geometry_columns WHERE table_name = 'sound'`)
    const rtree = `rtree_sound_${named.get()?.['c']}`
    const checked = db.prepare(`SELECT rtreecheck('main', ?) AS result`).get(rtree)
    const indexed = db.prepare(`SELECT count(*) AS n FROM "${rtree}"`).get()
    assert.deepEqual([checked?.['result'], indexed?.['n']], ['ok', 1])
    assert.equal(db.prepare('PRAGMA integrity_check').get()?.['integrity_check'], 'ok')
  } finally {
    db.close()
  }
  const near = await shownFeatures(server, layer, '&bbox=-6,-7,-4,-5')
  assert.deepEqual(near.map(({ id }) => id).sort(), [1, 2])
})
