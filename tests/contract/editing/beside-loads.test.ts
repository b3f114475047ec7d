import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { createDatabaseImport, databaseParameters } from '../../support/database-import.ts'
import { addEditedStores, editedStores, shownFeatures } from '../../support/edited-layers.ts'
import { askFeature, pointFeature } from '../../support/feature-client.ts'
import { clientOf } from '../../support/importer-client.ts'
import { fileDatabase } from '../../support/postgis-store.ts'
import { runSql } from '../../support/postgres.ts'
import { patience } from '../../support/until.ts'
import { versionsOf } from '../../support/version-client.ts'
import type { Points } from '../../support/versioned-layers.ts'
import { importPoints } from '../../support/versioned-layers.ts'

let server: TestApp
before(async () => {
  server = await createTestApp()
  await addEditedStores(server)
})
after(() => server.close())

const manyPoints = (name: string, count: number): Points =>
  Array.from({ length: count }, (_, at) => [`${name}${at}`, at % 170, at % 80])

const namesIn = async (layer: string, query = ''): Promise<string[]> =>
  (await shownFeatures(server, layer, query)).map(({ properties }) => String(properties['name'])).sort()

describe('edits beside loads of the same layer', { concurrency: 2 }, () => {
  for (const store of editedStores)
    it(`are before or after a REPLACE, in a ${store}`, async () => {
      const name = `replaced_${store}`
      const layer = `default:${name}`
      const old = manyPoints('old', 50)
      await importPoints(server, { store, name, points: old })
      const fresh = manyPoints('new', 60)
      let isOver = false
      const edits: { status: number; text: string; name: string; version: number }[] = []
      const editing = (async () => {
        for (let at = 0; !isOver; at += 1) {
          const body = pointFeature({ name: `edit${at}` })
          const { status, text } = await askFeature(server, { method: 'POST', layer, body })
          edits.push({
            status,
            text,
            name: `edit${at}`,
            version: Number((await versionsOf(server, layer))[0]?.version),
          })
        }
      })()
      await sleep(50)
      await importPoints(server, { store, name, mode: 'REPLACE', points: fresh })
      await sleep(50)
      isOver = true
      await editing
      for (const { status, text } of edits) assert.equal(status, 201, text)
      const versions = (await versionsOf(server, layer)).reverse()
      const causes = versions.map(({ cause }) => cause)
      assert.ok(!causes.includes('outside'), causes.join())
      const replaced = versions.findIndex(({ cause, mode }) => cause === 'import' && mode === 'REPLACE')
      const at = Number(versions[replaced]?.version)
      const made = edits.map((one) => one.name)
      const names = await namesIn(layer)
      const after = made.filter((one) => names.includes(one))
      assert.deepEqual(names, [...fresh.map(([one]) => one), ...after].sort())
      // Each edit is one version, before the load or after it.
      assert.equal(Number(versions.at(-1)?.version), 2 + edits.length)
      assert.equal(at, 2 + edits.length - after.length)
      const kept = versions[replaced - 1]
      assert.equal(kept?.restorable, true, kept?.reason ?? '')
      const before = made.filter((one) => !after.includes(one))
      assert.deepEqual(
        await namesIn(layer, `&version=${kept?.version}`),
        [...old.map(([one]) => one), ...before].sort(),
      )
    })

  for (const store of editedStores)
    it(`end with the reason while a long load goes on, and are made once it is over, in a ${store}`, async () => {
      const name = `waited_${store}`
      const layer = `default:${name}`
      await importPoints(server, { store, name })
      const url = await fileDatabase()
      await runSql(
        url,
        `create table patience_${store} (seconds float); insert into patience_${store} values (0);
         create view slow_${store} as select 1 as id, 'z' as name, 'srid=4326;point(1 1)'::geometry(Point, 4326) as geom
         from (select pg_sleep((select seconds from patience_${store}))) slow`,
      )
      const client = clientOf(server)
      const created = await createDatabaseImport(client, databaseParameters(url), {
        tables: [`slow_${store}`],
        import: { targetStore: { dataStore: { name: store } } },
      })
      const id = Number(created.json.import?.id)
      const task = { updateMode: 'REPLACE', layer: { name, nativeName: name } }
      const changed = await client.call('PUT', `/${id}/tasks/0`, { task })
      assert.equal(changed.status, 200, changed.text)
      await runSql(url, `update patience_${store} set seconds = 1000`)
      const begun = await client.call('POST', `/${id}?async=true`)
      assert.equal(begun.status, 204, begun.text)
      while (String((await client.call('GET', `/${id}/tasks/0`)).json.task?.state) !== 'RUNNING')
        await sleep(50)
      const edit = () => askFeature(server, { method: 'POST', layer, body: pointFeature({ name: 'c' }) })
      const waited = await edit()
      assert.deepEqual([waited.status, waited.json['code']], [503, 'layer-busy'], waited.text)
      assert.match(waited.text, /such as a load: try again/)
      assert.ok(Number(waited.headers['retry-after']) > 0)
      const next = edit()
      await sleep(500)
      const ended = await client.call('DELETE', `/${id}`)
      assert.ok(ended.status < 300, ended.text)
      // On a busy machine the load may outlast the edit, which then is to be sent again.
      let made = await next
      for (const hasTime = patience(); made.status === 503 && hasTime(); ) made = await edit()
      assert.equal(made.status, 201, made.text)
      assert.deepEqual(await namesIn(layer), ['a', 'b', 'c'])
      assert.deepEqual(
        (await versionsOf(server, layer)).map(({ cause }) => cause),
        ['edit', 'import'],
      )
    })
})
