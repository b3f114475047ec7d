import { jtsGeometry } from './jts-geometry.ts'
import type { JtsGeometry } from './jts-relations.ts'
import { jts } from './jts-relations.ts'

/** How far from a geometry others may lie, measured where coordinates are multiplied by `scale`. */
export interface Reach {
  distance: number
  scale: [x: number, y: number]
}

/** Whether geometries lie within a distance of a fixed one, on the plane; an empty one lies nowhere. */
export class DistanceTest {
  readonly #fixed: JtsGeometry
  readonly #reach: Reach

  /** `fixed` is little-endian ISO WKB. */
  constructor(fixed: Uint8Array, reach: Reach) {
    this.#fixed = jtsGeometry(fixed, 0, reach.scale)
    this.#reach = reach
  }

  test(bytes: Uint8Array, offset: number): boolean {
    const { distance, scale } = this.#reach
    const row = jtsGeometry(bytes, offset, scale)
    if (row.isEmpty() || this.#fixed.isEmpty()) return false
    return jts.DistanceOp.isWithinDistance(row, this.#fixed, distance)
  }
}
