import { jtsGeometry } from './jts-geometry.ts'
import type { JtsGeometry } from './jts-relations.ts'
import { jtsRelations } from './jts-relations.ts'

/** Distance from a geometry, measured after multiplying coordinates by `scale`. */
export interface DistanceLimit {
  distance: number
  scale: [x: number, y: number]
}

/** Tests whether geometries are within a planar distance of a fixed one; an empty one never is. */
export class DistanceTest {
  readonly #fixed: JtsGeometry
  readonly #reach: DistanceLimit

  /** `fixed` is little-endian ISO WKB. */
  constructor(fixed: Uint8Array, reach: DistanceLimit) {
    this.#fixed = jtsGeometry(fixed, 0, reach.scale)
    this.#reach = reach
  }

  test(bytes: Uint8Array, offset: number): boolean {
    const { distance, scale } = this.#reach
    const row = jtsGeometry(bytes, offset, scale)
    if (row.isEmpty() || this.#fixed.isEmpty()) return false
    return jtsRelations.DistanceOp.isWithinDistance(row, this.#fixed, distance)
  }
}
