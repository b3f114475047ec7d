import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { ceilFloat32, floorFloat32 } from '../../geo/envelope.ts'
import { RtreePacker } from './rtree-packer.ts'

type Box = [number, number, number, number]

/** Packs boxes with the ids 10, 13, 16, ... or those of `idOf` into an R*Tree of SQLite. */
function pack(boxes: Box[], pageSize = 4096, idOf = (index: number) => 10 + index * 3): DatabaseSync {
  const db = new DatabaseSync(':memory:', { defensive: false })
  db.exec(
    `PRAGMA page_size = ${pageSize}; CREATE VIRTUAL TABLE r USING rtree(id, minx, maxx, miny, maxy); BEGIN`,
  )
  const node = db.prepare('INSERT INTO r_node VALUES (?, ?)')
  const leaf = db.prepare('INSERT INTO r_rowid VALUES (?, CAST(? AS INTEGER))')
  const parent = db.prepare('INSERT INTO r_parent VALUES (?, CAST(? AS INTEGER))')
  const packer = new RtreePacker(
    {
      node: (number, bytes) => node.run(number, bytes),
      leafOf: (id, number) => leaf.run(id, number),
      parentOf: (number, above) => parent.run(number, above),
    },
    pageSize,
  )
  boxes.forEach((box, index) => {
    packer.add(idOf(index), ...box)
  })
  db.prepare('UPDATE r_node SET data = ? WHERE nodeno = 1').run(packer.finish())
  db.exec('COMMIT')
  return db
}

function check(db: DatabaseSync): unknown {
  return db.prepare(`SELECT rtreecheck('r') AS found`).get()?.['found']
}

const grid = (count: number): Box[] =>
  Array.from({ length: count }, (_, i) => [
    i % 100,
    Math.floor(i / 100),
    (i % 100) + 0.5,
    Math.floor(i / 100),
  ])

describe('RtreePacker', () => {
  for (const gap of [1, 5000, 12_000]) {
    it(`packs ids without a gap up to box ${gap}`, () => {
      const db = pack(grid(12_000), 4096, (index) => (index < gap ? 1 + index : 1000 + index))
      assert.equal(check(db), 'ok')
      for (const index of [0, gap - 1, Math.min(gap, 11_999), 11_999]) {
        const found = db
          .prepare('SELECT id FROM r WHERE minx = ? AND miny = ?')
          .all(index % 100, Math.floor(index / 100))
        assert.deepEqual(
          found.map(({ id }) => id),
          [index < gap ? 1 + index : 1000 + index],
        )
      }
      db.close()
    })
  }

  for (const count of [0, 1, 51, 52, 51 * 51, 51 * 51 + 1, 140_000]) {
    it(`packs ${count} boxes into a tree that SQLite finds sound and searches`, () => {
      const db = pack(grid(count))
      assert.equal(check(db), 'ok')
      const found = db
        .prepare('SELECT id FROM r WHERE maxx >= 3 AND minx <= 3.2 AND maxy >= 0 AND miny <= 0')
        .all()
      assert.deepEqual(
        found.map(({ id }) => id),
        count > 3 ? [19] : [],
      )
      assert.equal(db.prepare('SELECT count(*) n FROM r').get()?.['n'], count)
      db.close()
    })
  }

  it('leaves a tree that SQLite goes on writing to', () => {
    const db = pack(grid(5000))
    db.exec('DELETE FROM r WHERE id % 2 = 0; INSERT INTO r SELECT id + 1000000, 1, 2, 1, 2 FROM r')
    assert.equal(check(db), 'ok')
    db.close()
  })

  it('fits its nodes to small pages', () => {
    const db = pack(grid(3000), 512)
    assert.equal(check(db), 'ok')
    db.close()
  })

  it('finds every box by its own place', () => {
    const side = fc.double({ min: -1e9, max: 1e9, noNaN: true })
    const box = fc.tuple(side, side, fc.double({ min: 0, max: 1e5, noNaN: true }))
    fc.assert(
      fc.property(fc.array(box, { minLength: 1, maxLength: 300 }), (places) => {
        const db = pack(places.map(([x, y, size]) => [x, y, x + size, y + size]))
        const search = db.prepare(
          'SELECT id FROM r WHERE maxx >= ? AND minx <= ? AND maxy >= ? AND miny <= ?',
        )
        places.forEach(([x, y], index) => {
          const ids = search.all(floorFloat32(x), ceilFloat32(x), floorFloat32(y), ceilFloat32(y))
          assert.ok(ids.some(({ id }) => id === 10 + index * 3))
        })
        db.close()
      }),
      { numRuns: 30 },
    )
  })
})

describe('rounding to 32-bit floats', () => {
  it('goes outwards, by less than one step', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -3e38, max: 3e38 }), (value) => {
        const low = floorFloat32(value)
        const high = ceilFloat32(value)
        assert.ok(low <= value && value <= high)
        assert.equal(Math.fround(low), low)
        if (Math.fround(value) === value) assert.equal(low, high)
        else assert.equal(ceilFloat32(low + (high - low) / 2), high)
      }),
    )
  })
})
