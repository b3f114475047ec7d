import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Point } from '../../../scripts/basemap/shared-edges.ts'
import { sharedEdges } from '../../../scripts/basemap/shared-edges.ts'
import { simplifyAreas } from '../../../scripts/basemap/simplify-areas.ts'

/** A border that goes to and fro, from south to north. */
const border = Array.from({ length: 40 }, (_, at): Point => [10 + Math.sin(at * 2.4) * 0.3, at / 4])
const west: Point[] = [[0, 0], ...border, [0, 9.75], [0, 0]]
const east: Point[] = [[20, 0], [20, 9.75], ...border.toReversed(), [20, 0]]
const island: Point[] = [
  [40, 0],
  [40.1, 0],
  [40.1, 0.1],
  [40, 0],
]

describe('areas of the background map', () => {
  it('have edges of their own as coast, those of two once as border', () => {
    const { coast, border: shared } = sharedEdges([[west], [east], [island]])
    assert.equal(shared.flat().length, border.length)
    assert.deepEqual(new Set(shared.flat().map(String)), new Set(border.map(String)))
    assert.ok(coast.flat().some(([x]) => x === 0) && coast.flat().some(([x]) => x === 20))
    assert.ok(!coast.flat().some(([x, y]) => x > 9 && x < 11 && y > 0 && y < 9.75))
  })

  it('share them still when they are simplified, and small islands go', () => {
    const simple = simplifyAreas([[west], [east], [island]], 0.08)
    assert.equal(simple.length, 2)
    const [points, others] = simple.map((rings) => new Set(rings.flat().map(String)))
    const inner = border.map(String).filter((one) => points?.has(one))
    assert.ok(inner.length > 2 && inner.length < border.length - 5, `${inner.length} of ${border.length}`)
    assert.deepEqual(
      border.map(String).filter((one) => others?.has(one)),
      inner,
    )
    assert.equal(sharedEdges(simple).border.flat().length, inner.length)
  })
})
