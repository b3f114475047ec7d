import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGeoPackageStore } from '../../../src/stores/geopackage/geopackage-store.ts'
import { loadRows, never } from '../../contract/store-session.ts'
import { schemaOf, wkb } from '../../support/batches.ts'

const program = join(import.meta.dirname, '../../support/replace-until-killed.ts')
const schema = schemaOf({ name: 'text' }, 'Point')
const rows = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ geometry: wkb('Point', [i, i]), values: [`n${i}`] }))

function assertSound(path: string, count: number): void {
  const db = new DatabaseSync(path)
  const first = (sql: string): unknown => Object.values(db.prepare(sql).get() ?? {})[0]
  assert.equal(first('PRAGMA integrity_check'), 'ok')
  assert.equal(first(`SELECT rtreecheck('rtree_layer_geom')`), 'ok')
  assert.equal(first('SELECT count(*) FROM rtree_layer_geom'), count)
  db.close()
}

it('a GeoPackage holds the old state or the new one when a load is killed at any moment', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-'))
  const path = join(folder, 'x.gpkg')
  const store = createGeoPackageStore({ path }, { findDefinition: () => undefined })
  try {
    await loadRows(store, { schema, rows: rows(1000) })
    for (let round = 0; round < 8; round += 1) {
      const child = fork(program, [path], { stdio: 'ignore' })
      await once(child, 'message')
      await sleep(Math.random() * 120)
      child.kill('SIGKILL')
      await once(child, 'exit')
      const count = await store.count({ table: 'layer' }, never)
      assert.ok([1000, 2000, 3000].includes(count), `${count} rows`)
      assertSound(path, count)
      await store.sweep('killed')
      assert.ok(readdirSync(folder).every((name) => /^x\.gpkg(-wal|-shm)?$/.test(name)))
    }
    await loadRows(store, { mode: 'REPLACE', schema, rows: rows(5) })
    assertSound(path, 5)
    assert.deepEqual(readdirSync(folder), ['x.gpkg'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
