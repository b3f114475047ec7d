import { GeometryError } from '../../geo/wkb.ts'
import type { ShapeLayout } from './shape-layout.ts'

/** Maximum number of steps for one polygon: about a fifth of a second. */
const maxWork = 2e8

/**
 * Assigns the rings of a polygon record to outer rings and holes. Outer rings are clockwise (Technical
 * Description, page 8), and a hole belongs to the smallest outer ring around it. If a hole is in no outer
 * ring, the orientation is wrong, and rings are assigned by nesting. Reused for successive records.
 */
export class RingGroups {
  /** Number of non-empty rings. */
  ringCount = 0
  outerCount = 0
  /** For each ring the outer ring it is a hole of; its own index for an outer ring, -1 for an empty one. */
  owner = new Int32Array(16)
  /** Number of steps so far, for callers that must stay responsive. */
  work = 0
  #areas = new Float64Array(16)
  #boxes = new Float64Array(64)
  #view: DataView = new DataView(new ArrayBuffer(0))
  #layout: ShapeLayout | undefined
  #limit = 0

  group(view: DataView, layout: ShapeLayout): void {
    const parts = layout.partCount
    if (parts === 1) {
      this.owner[0] = 0
      this.ringCount = this.outerCount = 1
      return
    }
    if (parts > this.owner.length) {
      this.owner = new Int32Array(parts * 2)
      this.#areas = new Float64Array(parts * 2)
      this.#boxes = new Float64Array(parts * 8)
    }
    this.#view = view
    this.#layout = layout
    this.#limit = this.work + maxWork
    this.ringCount = 0
    this.outerCount = 0
    for (let ring = 0; ring < parts; ring += 1) this.#measure(layout, ring)
    if (this.outerCount === this.ringCount) return
    if (!this.#assignHoles(parts)) this.#sortByNesting(parts)
  }

  /** Computes signed area and bounding box of a ring; a clockwise one is provisionally an outer ring. */
  #measure(layout: ShapeLayout, ring: number): void {
    const from = layout.pointsAt + layout.partStart(this.#view, ring) * 16
    const to = layout.pointsAt + layout.partEnd(this.#view, ring) * 16
    this.owner[ring] = -1
    if (from >= to) return
    const x0 = this.#view.getFloat64(from, true)
    const y0 = this.#view.getFloat64(from + 8, true)
    let area = 0
    let [minX, minY, maxX, maxY] = [x0, y0, x0, y0]
    let [lastX, lastY] = [0, 0]
    for (let at = from + 16; at < to; at += 16) {
      const x = this.#view.getFloat64(at, true)
      const y = this.#view.getFloat64(at + 8, true)
      area += lastX * (y - y0) - (x - x0) * lastY
      lastX = x - x0
      lastY = y - y0
      if (x < minX) minX = x
      else if (x > maxX) maxX = x
      if (y < minY) minY = y
      else if (y > maxY) maxY = y
    }
    this.#areas[ring] = area
    this.#boxes[ring * 4] = minX
    this.#boxes[ring * 4 + 1] = minY
    this.#boxes[ring * 4 + 2] = maxX
    this.#boxes[ring * 4 + 3] = maxY
    this.ringCount += 1
    if (area < 0) {
      this.owner[ring] = ring
      this.outerCount += 1
    }
  }

  /** Assigns an outer ring to each counterclockwise ring; returns false if one has none. */
  #assignHoles(parts: number): boolean {
    const { owner } = this
    for (let ring = 0; ring < parts; ring += 1) {
      if (owner[ring] !== -1 || this.#isEmpty(ring)) continue
      let best = -1
      for (let outer = 0; outer < parts; outer += 1) {
        if (owner[outer] !== outer || !((this.#areas[outer] as number) < 0)) continue
        if (best >= 0 && this.#size(outer) >= this.#size(best)) continue
        if (this.#contains(outer, ring)) best = outer
      }
      if (best >= 0) owner[ring] = best
      else if (this.#areas[ring] !== 0) return false
      else this.#makeOuter(ring)
    }
    return true
  }

  /**
   * Rings inside an even number of others are outer rings, the rest are holes of the smallest ring around
   * them.
   */
  #sortByNesting(parts: number): void {
    const bySize: number[] = []
    for (let ring = 0; ring < parts; ring += 1) if (!this.#isEmpty(ring)) bySize.push(ring)
    bySize.sort((a, b) => this.#size(b) - this.#size(a) || a - b)
    this.outerCount = 0
    for (const [index, ring] of bySize.entries()) {
      let depth = 0
      let parent = -1
      for (let before = 0; before < index; before += 1) {
        const around = bySize[before] as number
        if (!this.#contains(around, ring)) continue
        depth += 1
        parent = around
      }
      if (depth % 2 === 1 && this.owner[parent] === parent) this.owner[ring] = parent
      else this.#makeOuter(ring)
    }
  }

  #makeOuter(ring: number): void {
    this.owner[ring] = ring
    this.outerCount += 1
  }

  #size(ring: number): number {
    return Math.abs(this.#areas[ring] as number)
  }

  #isEmpty(ring: number): boolean {
    const layout = this.#layout as ShapeLayout
    return layout.partStart(this.#view, ring) >= layout.partEnd(this.#view, ring)
  }

  /** True if `inner` is inside `outer`: decided by its first point that is not on the boundary. */
  #contains(outer: number, inner: number): boolean {
    this.#spend(1)
    const boxes = this.#boxes
    const [a, b] = [outer * 4, inner * 4]
    if ((boxes[a] as number) > (boxes[b] as number)) return false
    if ((boxes[a + 1] as number) > (boxes[b + 1] as number)) return false
    if ((boxes[a + 2] as number) < (boxes[b + 2] as number)) return false
    if ((boxes[a + 3] as number) < (boxes[b + 3] as number)) return false
    const layout = this.#layout as ShapeLayout
    const last = layout.partEnd(this.#view, inner)
    for (let point = layout.partStart(this.#view, inner); point < last; point += 1) {
      const at = layout.pointsAt + point * 16
      const side = this.#side(outer, this.#view.getFloat64(at, true), this.#view.getFloat64(at + 8, true))
      if (side !== 0) return side > 0
    }
    return true
  }

  /** Returns 1 inside, -1 outside, 0 on the boundary, by the even-odd rule. */
  #side(ring: number, x: number, y: number): number {
    const layout = this.#layout as ShapeLayout
    const view = this.#view
    const from = layout.pointsAt + layout.partStart(view, ring) * 16
    const to = layout.pointsAt + layout.partEnd(view, ring) * 16
    this.#spend((to - from) / 16)
    let isInside = false
    let xb = view.getFloat64(to - 16, true)
    let yb = view.getFloat64(to - 8, true)
    for (let at = from; at < to; at += 16) {
      const xa = view.getFloat64(at, true)
      const ya = view.getFloat64(at + 8, true)
      const cross = (xb - xa) * (y - ya) - (yb - ya) * (x - xa)
      if (
        cross === 0 &&
        x >= Math.min(xa, xb) &&
        x <= Math.max(xa, xb) &&
        y >= Math.min(ya, yb) &&
        y <= Math.max(ya, yb)
      ) {
        return 0
      }
      if (ya > y !== yb > y && cross > 0 === yb > ya) isInside = !isInside
      xb = xa
      yb = ya
    }
    return isInside ? 1 : -1
  }

  #spend(steps: number): void {
    this.work += steps
    if (this.work > this.#limit) {
      throw new GeometryError(
        `The polygon has ${this.ringCount} rings that lie in one another in too many ways`,
      )
    }
  }
}
