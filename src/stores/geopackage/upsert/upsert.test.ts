import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import {
  type LoadArguments,
  type LoadOutcome,
  loadRows,
  readRows,
} from '../../../../tests/contract/store-session.ts'
import type { Row } from '../../../../tests/support/batches.ts'
import { schemaOf, wkb } from '../../../../tests/support/batches.ts'
import type { VectorStore } from '../../store.ts'
import { geoPackage } from '../description.ts'

const schema = schemaOf({ code: 'int64', name: 'text', at: 'timestamp' }, 'LineString')
const line = (x: number): Uint8Array =>
  wkb('LineString', [
    [x, x],
    [x + 1, x],
  ])
const row = (code: number | bigint, name: string, x = Number(code)): Row => ({
  geometry: line(x),
  values: [BigInt(code), name, 1_700_000_000_000_000n],
})

function open(t: TestContext): { path: string; store: VectorStore } {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-upsert-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'layer.gpkg')
  return { path, store: geoPackage.open({ type: geoPackage.type, parameters: { path } }, {}) }
}

function upsert(store: VectorStore, rows: Row[], more: Partial<LoadArguments> = {}): Promise<LoadOutcome> {
  return loadRows(store, {
    mode: 'UPSERT',
    schema,
    rows,
    upsert: { keys: ['code'], deletesMissing: false },
    ...more,
  })
}

/** Changes the file like another program. */
function sql(path: string, text: string): void {
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: true })
  db.exec(text)
  db.close()
}

function ask(path: string, text: string): Record<string, unknown>[] {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    return db
      .prepare(text)
      .all()
      .map((found) => ({ ...found }))
  } finally {
    db.close()
  }
}

function checkFile(path: string): void {
  assert.deepEqual(ask(path, 'PRAGMA integrity_check'), [{ integrity_check: 'ok' }])
  assert.deepEqual(ask(path, `SELECT rtreecheck('main', 'rtree_layer_geom') AS result`), [{ result: 'ok' }])
  const counts = ask(
    path,
    'SELECT (SELECT count(*) FROM layer) AS a, (SELECT count(*) FROM rtree_layer_geom) AS b',
  )
  assert.equal(counts[0]?.['a'], counts[0]?.['b'])
}

describe('UPSERT into a GeoPackage', () => {
  it('leaves an index that finds every row, and a file that GDAL reads', async (t) => {
    const { path, store } = open(t)
    const rows = Array.from({ length: 2000 }, (_, i) => row(i, `n${i}`))
    await loadRows(store, { schema, rows })
    const coming = rows
      .slice(500)
      .map((_, i) => (i % 7 === 0 ? row(i + 500, 'moved', i + 10_000) : row(i + 500, `n${i + 500}`)))
    coming.push(row(5000, 'new', -50))
    const { result } = await upsert(store, coming, { upsert: { keys: ['code'], deletesMissing: true } })
    assert.deepEqual(result.changes, { added: 1, changed: 215, removed: 500, same: 1285 })
    checkFile(path)
    assert.deepEqual((await store.findTable('layer'))?.envelope, {
      minX: -50,
      minY: -50,
      maxX: 11_499,
      maxY: 11_498,
    })
    const text = execFileSync('ogrinfo', ['-ro', '-so', path, 'layer'], { encoding: 'utf8' })
    assert.match(text, /Feature Count: 1501/)
    const near = execFileSync('ogrinfo', ['-ro', '-q', '-spat', '-51', '-51', '-48', '-48', path, 'layer'], {
      encoding: 'utf8',
    })
    assert.match(near, /code \(Integer64\) = 5000/)
  })

  it('takes what GDAL has written for the same where only its form differs', async (t) => {
    const { path, store } = open(t)
    await loadRows(store, { schema, rows: [row(1, 'a'), row(2, 'b')] })
    // Uses another envelope, byte order, and notation of the time.
    const db = new DatabaseSync(path)
    const blob = Buffer.from(
      db.prepare('SELECT geom FROM layer WHERE code = 1').get()?.['geom'] as Uint8Array,
    )
    const bare = Buffer.concat([Buffer.from([0x47, 0x50, 0, 1, 0, 0, 0, 0]), blob.subarray(40)])
    const big = Buffer.alloc(9 + 32)
    big.writeUInt32BE(2, 1)
    big.writeUInt32BE(2, 5)
    for (let at = 0; at < 4; at += 1) big.writeDoubleBE(blob.readDoubleLE(49 + at * 8), 9 + at * 8)
    db.exec('DROP TRIGGER rtree_layer_geom_update1; DROP TRIGGER rtree_layer_geom_update2')
    db.exec('DROP TRIGGER rtree_layer_geom_update3; DROP TRIGGER rtree_layer_geom_update4')
    db.prepare('UPDATE layer SET geom = ? WHERE code = 1').run(bare)
    const two = Buffer.from(db.prepare('SELECT geom FROM layer WHERE code = 2').get()?.['geom'] as Uint8Array)
    for (let at = 0; at < 4; at += 1) big.writeDoubleBE(two.readDoubleLE(49 + at * 8), 9 + at * 8)
    db.prepare('UPDATE layer SET geom = ? WHERE code = 2').run(Buffer.concat([bare.subarray(0, 8), big]))
    db.exec(`UPDATE layer SET at = '2023-11-14T22:13:20Z'`)
    db.close()
    const { result } = await upsert(store, [row(1, 'a'), row(2, 'b')])
    assert.deepEqual(result.changes, { added: 0, changed: 0, removed: 0, same: 2 })
  })

  it('moves values that stand once from row to row, round in a circle too', async (t) => {
    const { path, store } = open(t)
    await loadRows(store, { schema, rows: [row(1, 'a'), row(2, 'b'), row(3, 'c'), row(4, 'd')] })
    sql(path, 'CREATE UNIQUE INDEX names ON layer (name)')
    const { result, rejects } = await upsert(store, [
      row(1, 'b'),
      row(2, 'a'),
      row(3, 'x'),
      row(4, 'c'),
      row(5, 'b'),
    ])
    assert.deepEqual(result.changes, { added: 0, changed: 4, removed: 0, same: 0 })
    assert.deepEqual(
      rejects.map((reject) => [reject.row, /UNIQUE/.test(reject.reason)]),
      [[5, true]],
    )
    assert.deepEqual(
      (await readRows(store)).map(({ id, values }) => [id, values[1]]),
      [
        ['1', 'b'],
        ['2', 'a'],
        ['3', 'x'],
        ['4', 'c'],
      ],
    )
    checkFile(path)
  })

  it('runs no trigger, and respects foreign keys, checks and computed columns', async (t) => {
    const { path, store } = open(t)
    await loadRows(store, { schema, rows: [row(1, 'a'), row(2, 'b'), row(3, 'c')] })
    sql(
      path,
      `CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES layer(fid));
       INSERT INTO child VALUES (1, 3);
       ALTER TABLE layer ADD COLUMN size INTEGER GENERATED ALWAYS AS (length(name)) VIRTUAL;
       ALTER TABLE layer ADD COLUMN kind TEXT NOT NULL DEFAULT 'k' CHECK (length(name) < 5);
       CREATE TRIGGER note AFTER UPDATE ON layer BEGIN DELETE FROM child; END`,
    )
    const first = await upsert(store, [row(1, 'A'), row(2, 'far too long'), row(9, 'new')])
    assert.deepEqual(first.result.changes, { added: 1, changed: 1, removed: 0, same: 0 })
    assert.deepEqual(
      first.rejects.map((reject) => reject.row),
      [2],
    )
    assert.ok(first.messages.some(({ code }) => code === 'triggers-not-run'))
    assert.deepEqual(ask(path, 'SELECT name, size, kind FROM layer'), [
      { name: 'A', size: 1, kind: 'k' },
      { name: 'b', size: 1, kind: 'k' },
      { name: 'c', size: 1, kind: 'k' },
      { name: 'new', size: 3, kind: 'k' },
    ])
    assert.equal(ask(path, 'SELECT * FROM child').length, 1)
    const deletes = { upsert: { keys: ['code'], deletesMissing: true } }
    await assert.rejects(upsert(store, [row(1, 'A')], deletes), { code: 'constraint-violated' })
    assert.equal((await readRows(store)).length, 4)
    checkFile(path)
  })

  it('matches rows by the feature id, and by integers that no double holds', async (t) => {
    const { path, store } = open(t)
    const large = 9_007_199_254_740_993n
    await loadRows(store, { schema, rows: [row(large, 'a', 1), row(large - 1n, 'b', 2)] })
    const byCode = await upsert(store, [row(large, 'A', 1)])
    assert.deepEqual(byCode.result.changes, { added: 0, changed: 1, removed: 0, same: 0 })
    const byId = schemaOf({ fid: 'int32', name: 'text' })
    const rows = [{ values: [2, 'B'] }, { values: [70, 'new'] }]
    const rules = { keys: ['fid'], deletesMissing: false }
    const { result } = await upsert(store, rows, { schema: byId, upsert: rules })
    assert.deepEqual(result.changes, { added: 1, changed: 1, removed: 0, same: 0 })
    assert.deepEqual(ask(path, 'SELECT fid, name FROM layer'), [
      { fid: 1, name: 'A' },
      { fid: 2, name: 'B' },
      { fid: 70, name: 'new' },
    ])
  })
})
