import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { LoadArguments } from '../../../../tests/contract/store-session.ts'
import { loadRows, readColumn, readRows } from '../../../../tests/contract/store-session.ts'
import type { Row } from '../../../../tests/support/batches.ts'
import { schemaOf, wkb } from '../../../../tests/support/batches.ts'
import { commitLoad } from '../../commit-load.ts'
import type { LoadResult, TableSnapshot, VectorStore } from '../../store.ts'
import { geoPackage } from '../description.ts'

const schema = schemaOf({ key: 'int32', name: 'text' }, 'Point')
const row = (key: number, name: string): Row => ({ geometry: wkb('Point', [key, key]), values: [key, name] })
const many = (count: number, name: string): Row[] =>
  Array.from({ length: count }, (_, i) => row(i, `${name}${i}`))

function open(t: TestContext): { path: string; store: VectorStore } {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-states-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'layer.gpkg')
  return { path, store: geoPackage.open({ type: geoPackage.type, parameters: { path } }, {}) }
}

function keptOf({ kept }: LoadResult): TableSnapshot {
  assert.ok(kept !== undefined && 'id' in kept, `kept: ${JSON.stringify(kept)}`)
  return kept
}

async function restore(store: VectorStore, path: TableSnapshot[], keepAs?: string): Promise<LoadResult> {
  const { states } = store
  assert.ok(states !== undefined)
  const request = { loadId: 'r', table: 'layer', path, ...(keepAs === undefined ? {} : { keepAs }) }
  const hooks = { signal: new AbortController().signal, onMessage: () => {}, onReject: () => {} }
  return commitLoad(await states.stageRestore(request, hooks), async () => {})
}

/** Changes the file like another program. */
function sql(path: string, text: string): void {
  const db = new DatabaseSync(path)
  db.exec(text)
  db.close()
}

function ask(path: string, text: string): Record<string, unknown>[] {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    return db.prepare(text).all()
  } finally {
    db.close()
  }
}

function checkFile(path: string): void {
  assert.deepEqual(
    ask(path, 'PRAGMA integrity_check').map((found) => ({ ...found })),
    [{ integrity_check: 'ok' }],
  )
  for (const { name } of ask(path, `SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%rtree%'`)) {
    const [found] = ask(path, `SELECT rtreecheck('main', '${String(name)}') AS result`)
    assert.equal(found?.['result'], 'ok', String(name))
  }
}

function gdalLayers(path: string): string[] {
  const text = execFileSync('ogrinfo', ['-ro', '-q', path], { encoding: 'utf8' })
  return [...text.matchAll(/^\d+: (\S+)/gm)].map(([, name]) => name ?? '')
}

describe('kept states of a GeoPackage', () => {
  it('are listed by no other program, and leave a sound file', async (t) => {
    const { path, store } = open(t)
    await loadRows(store, { schema, rows: many(500, 'a'), indexes: ['name'] })
    const kept = keptOf(
      (await loadRows(store, { mode: 'REPLACE', schema, rows: many(300, 'b'), keepAs: 'one' })).result,
    )
    checkFile(path)
    assert.deepEqual(gdalLayers(path), ['layer'])
    const indexes = (): unknown[] =>
      ask(path, `SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'layer'`).map(
        ({ name }) => name,
      )
    assert.deepEqual(indexes(), ['idx_layer_name'])
    await restore(store, [kept], 'two')
    checkFile(path)
    assert.deepEqual(indexes(), ['idx_layer_name'])
    assert.deepEqual(gdalLayers(path), ['layer'])
    const plan = ask(path, `EXPLAIN QUERY PLAN SELECT * FROM layer WHERE name = 'a7'`)
    assert.match(String(plan[0]?.['detail']), /idx_layer_name/)
    const near = { minX: 1.5, minY: 1.5, maxX: 4.5, maxY: 4.5 }
    assert.equal(await store.count({ table: 'layer', bboxes: [near] }, new AbortController().signal), 3)
  })

  it('leave views, triggers, foreign keys and the numbers of rows as they are', async (t) => {
    const { path, store } = open(t)
    await loadRows(store, { schema, rows: many(5, 'a') })
    await loadRows(store, { mode: 'APPEND', schema, rows: [row(9, 'z')] })
    sql(
      path,
      `CREATE VIEW names AS SELECT name FROM layer;
       CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES layer(fid));
       INSERT INTO child VALUES (1, 2);
       CREATE TABLE seen (name TEXT);
       CREATE TRIGGER note AFTER INSERT ON layer BEGIN INSERT INTO seen VALUES (NEW.name); END;
       CREATE TRIGGER other AFTER DELETE ON child BEGIN DELETE FROM layer WHERE fid = OLD.parent; END`,
    )
    const schemaOfFile = (): unknown =>
      ask(
        path,
        `SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE '%gpkg_terrane_%'
        AND tbl_name NOT LIKE '%gpkg_terrane_%' ORDER BY type, name`,
      ).map((found) => ({ ...found }))
    const before = schemaOfFile()
    const kept = keptOf(
      (await loadRows(store, { mode: 'REPLACE', schema, rows: many(3, 'b'), keepAs: 'one' })).result,
    )
    assert.deepEqual(schemaOfFile(), before)
    assert.deepEqual(
      ask(path, 'SELECT name FROM names').map(({ name }) => name),
      ['b0', 'b1', 'b2'],
    )
    assert.equal(ask(path, `SELECT seq FROM sqlite_sequence WHERE name = 'layer'`)[0]?.['seq'], 6)
    await restore(store, [kept])
    assert.deepEqual(schemaOfFile(), before)
    assert.deepEqual(
      ask(path, 'SELECT name FROM names').map(({ name }) => name),
      ['a0', 'a1', 'a2', 'a3', 'a4', 'z'],
    )
    assert.equal(ask(path, `SELECT seq FROM sqlite_sequence WHERE name = 'layer'`)[0]?.['seq'], 6)
    assert.deepEqual(ask(path, 'PRAGMA foreign_key_check'), [])
    await assert.rejects(loadRows(store, { mode: 'REPLACE', schema, rows: many(1, 'c'), keepAs: 'three' }), {
      code: 'constraint-violated',
    })
    assert.equal((await readColumn(store, 'name')).length, 6)
    checkFile(path)
  })

  it('give their pages back to the file', async (t) => {
    const { path, store } = open(t)
    await loadRows(store, { schema, rows: many(3000, 'a') })
    const pages = (): number => Number(ask(path, 'PRAGMA page_count')[0]?.['page_count'])
    for (let round = 0; round < 2; round += 1) {
      const { result } = await loadRows(store, {
        mode: 'REPLACE',
        schema,
        rows: many(3000, 'b'),
        keepAs: `k${round}`,
      })
      await store.states?.drop(keptOf(result))
    }
    const most = pages()
    for (let round = 2; round < 6; round += 1) {
      const { result } = await loadRows(store, {
        mode: 'REPLACE',
        schema,
        rows: many(3000, 'c'),
        keepAs: `k${round}`,
      })
      await store.states?.drop(keptOf(result))
    }
    assert.ok(pages() <= most + 8, `${pages()} pages after ${most}`)
    checkFile(path)
  })

  it('bring a table back with everything that the catalogue told of it', async (t) => {
    const { path, store } = open(t)
    await loadRows(store, { schema, rows: many(5, 'a') })
    await loadRows(store, { table: 'other', schema, rows: [] })
    sql(
      path,
      `UPDATE gpkg_contents SET identifier = 'My layer', description = 'of mine' WHERE table_name = 'layer'`,
    )
    const reported = (): unknown =>
      ['gpkg_contents', 'gpkg_geometry_columns', 'gpkg_extensions'].map((name) =>
        ask(path, `SELECT * FROM ${name} ORDER BY table_name`).map(({ last_change: _, ...found }) => found),
      )
    const before = reported()
    const kept = await store.states?.putAside('layer', 'gone')
    assert.ok(kept !== undefined && 'id' in kept)
    assert.deepEqual(gdalLayers(path), ['other'])
    checkFile(path)
    await restore(store, [kept])
    assert.deepEqual(reported(), before)
    assert.deepEqual(gdalLayers(path).sort(), ['layer', 'other'])
    checkFile(path)
    const triggers = ask(path, `SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'layer'`)
    assert.equal(triggers.length, 6)
  })

  it('are differences where rows stay in their table, and chains of these lead back', async (t) => {
    const { path, store } = open(t)
    const read = async (): Promise<unknown> => [
      await readRows(store),
      (await store.findTable('layer'))?.envelope,
      gdalLayers(path),
    ]
    await loadRows(store, { schema, rows: many(50, 'a') })
    const looks = [await read()]
    const kept: TableSnapshot[] = []
    const load = async (more: Partial<LoadArguments>): Promise<void> => {
      const { result } = await loadRows(store, { schema, ...more, keepAs: `k${kept.length}` })
      kept.push(keptOf(result))
      looks.push(await read())
      checkFile(path)
    }
    const upsert = { keys: ['key'], deletesMissing: true }
    await load({ mode: 'UPSERT', upsert, rows: [...many(20, 'a'), row(30, 'changed'), row(70, 'new')] })
    await load({ mode: 'APPEND', rows: [row(80, 'more')] })
    await load({ mode: 'REPLACE', rows: many(3, 'c') })
    assert.deepEqual(
      kept.map(({ form }) => form),
      ['difference', 'difference', 'whole'],
    )
    for (const [step, look] of [
      [0, 0],
      [2, 2],
      [1, 1],
    ] as const) {
      const way = kept.slice(step).reverse()
      const back = keptOf(await restore(store, way, `back${step}`))
      assert.deepEqual(await read(), looks[look], `k${step}`)
      checkFile(path)
      await restore(store, [back], `again${step}`)
      assert.deepEqual(await read(), looks[3], `from k${step}`)
      checkFile(path)
    }
    await restore(store, kept.slice(0, 2).reverse())
    assert.deepEqual(await read(), looks[0])
  })

  it('that are differences are refused once others have written to the table', async (t) => {
    const { path, store } = open(t)
    await loadRows(store, { schema: schemaOf({ n: 'int32' }), rows: [{ values: [1] }] })
    const more = { schema: schemaOf({ n: 'int32' }), rows: [{ values: [2] }] }
    const kept = keptOf((await loadRows(store, { mode: 'APPEND', ...more, keepAs: 'one' })).result)
    sql(path, 'INSERT INTO layer (n) VALUES (3)')
    await assert.rejects(restore(store, [kept]), { code: 'not-restorable' })
    assert.deepEqual(await readColumn(store, 'n'), [1, 2, 3])
    assert.deepEqual(await store.states?.list(), ['one'])
  })
})
