import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { frameOf, mercatorBox } from './thumbnail-frame.ts'

const size = { width: 300, height: 200, maxZoom: 18 }

describe('the frame of a thumbnail', () => {
  it('shows the earth once', () => {
    const { tiles } = frameOf(mercatorBox({ minX: -180, minY: -90, maxX: 180, maxY: 90 }), size)
    assert.deepEqual(
      tiles.map(({ tile }) => tile),
      [{ z: 0, x: 0, y: 0 }],
    )
  })

  it('shows what lies across the antimeridian in one piece', () => {
    const { tiles, size: side } = frameOf(mercatorBox({ minX: 175, minY: -20, maxX: 185, maxY: -15 }), size)
    const [west, east] = [tiles[0], tiles.find(({ tile }) => tile.x === 0)]
    assert.ok(west !== undefined && east !== undefined)
    assert.equal(west.tile.x, 2 ** west.tile.z - 1)
    assert.equal(east.left, west.left + side)
  })

  it('holds the whole box with room around, by few tiles of whole cells, wherever it lies', () => {
    const degrees = fc.double({ min: -180, max: 180, noNaN: true })
    const latitude = fc.double({ min: -85, max: 85, noNaN: true })
    fc.assert(
      fc.property(degrees, degrees, latitude, latitude, (a, b, c, d) => {
        const box = mercatorBox({
          minX: Math.min(a, b),
          maxX: Math.max(a, b),
          minY: Math.min(c, d),
          maxY: Math.max(c, d),
        })
        const frame = frameOf(box, size)
        assert.ok(
          Number.isInteger(frame.size) && frame.tiles.length >= 1 && frame.tiles.length <= 12,
          `${frame.tiles.length}`,
        )
        const count = 2 ** (frame.tiles[0]?.tile.z ?? 0)
        const [first] = frame.tiles
        assert.ok(first !== undefined)
        // A box at 180 degrees is in the first column of tiles, one turn further.
        const plain = first.left + (box.west * count - first.tile.x) * frame.size
        const turns = plain >= size.width ? count : 0
        const left = first.left + (box.west * count - first.tile.x - turns) * frame.size
        const right = first.left + (box.east * count - first.tile.x - turns) * frame.size
        const top = first.top + (box.north * count - first.tile.y) * frame.size
        const bottom = first.top + (box.south * count - first.tile.y) * frame.size
        assert.ok(
          left > 0 && top > 0 && right < size.width && bottom < size.height,
          `${left} ${top} ${right} ${bottom}`,
        )
      }),
      {
        examples: [
          [179.99999999999997, 179.99999999999997, 0, 0],
          [180, 180, 0, 0],
          [-180, -180, 0, 0],
        ],
      },
    )
  })
})
