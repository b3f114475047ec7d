import type { EnvelopeRelation } from './area-test.ts'
import { AreaTest, isRightOf } from './area-test.ts'
import type { Envelope } from './envelope.ts'
import { exactSideOf } from './validity/orientation.ts'

const [toLeft, toRight, below, above] = [1, 2, 4, 8]

/** Tests whether geometries share a point with a box; see `AreaTest`. */
export class BoxTest extends AreaTest {
  readonly #box: Envelope

  constructor(box: Envelope) {
    super()
    this.#box = box
  }

  override relationTo(minX: number, minY: number, maxX: number, maxY: number): EnvelopeRelation {
    const box = this.#box
    if (minX >= box.minX && maxX <= box.maxX && minY >= box.minY && maxY <= box.maxY) return 'within'
    return minX <= box.maxX && maxX >= box.minX && minY <= box.maxY && maxY >= box.minY ? 'across' : 'apart'
  }

  protected override walk(count: number, isRing: boolean): boolean {
    const { minX, minY, maxX, maxY } = this.#box
    const { view, isLittle, stride } = this
    const stop = this.at + count * stride
    const last = isRing && count > 0 ? stop - stride : this.at
    this.isAround = false
    if (count === 0) return false
    let fromX = view.getFloat64(last, isLittle)
    let fromY = view.getFloat64(last + 8, isLittle)
    let fromSides = sidesOf(fromX, fromY, this.#box)
    for (let at = this.at; at < stop; at += stride) {
      const x = view.getFloat64(at, isLittle)
      const y = view.getFloat64(at + 8, isLittle)
      if (x >= minX && x <= maxX && y >= minY && y <= maxY) return true
      const sides = sidesOf(x, y, this.#box)
      if ((sides & fromSides) === 0 && cuts(fromX, fromY, x, y, this.#box)) return true
      if (isRing && y > minY !== fromY > minY && isRightOf(fromX, fromY, x, y, minX, minY)) {
        this.isAround = !this.isAround
      }
      fromX = x
      fromY = y
      fromSides = sides
    }
    this.at = stop
    return false
  }
}

/** True if a segment shares a point with the box. */
export function isInBox(ax: number, ay: number, bx: number, by: number, box: Envelope): boolean {
  const [from, to] = [sidesOf(ax, ay, box), sidesOf(bx, by, box)]
  return from === 0 || to === 0 || ((from & to) === 0 && cuts(ax, ay, bx, by, box))
}

function sidesOf(x: number, y: number, { minX, minY, maxX, maxY }: Envelope): number {
  return (x < minX ? toLeft : x > maxX ? toRight : 0) | (y < minY ? below : y > maxY ? above : 0)
}

/**
 * True if a segment with both ends outside, not on a common side, meets the box: corners of the box are then
 * on both sides of it.
 */
function cuts(ax: number, ay: number, bx: number, by: number, box: Envelope): boolean {
  if (Number.isNaN(ax)) return false
  const { minX, minY, maxX, maxY } = box
  const first = exactSideOf(ax, ay, bx, by, minX, minY)
  return (
    first === 0 ||
    exactSideOf(ax, ay, bx, by, maxX, minY) !== first ||
    exactSideOf(ax, ay, bx, by, maxX, maxY) !== first ||
    exactSideOf(ax, ay, bx, by, minX, maxY) !== first
  )
}
