import type { AreaTest } from './area-test.ts'
import type { Envelope } from './envelope.ts'
import { PolygonTest } from './polygon-test.ts'
import { BoxTest } from './wkb-touches.ts'

/** A box, or the part of it inside an outline. */
export interface Area extends Envelope {
  /** x and y of each vertex in sequence, the first and the last one equal; touches each side of the box. */
  outline?: readonly number[]
}

/** Returns a test for geometries that share a point with the area. */
export function areaTest(area: Area): AreaTest {
  return area.outline === undefined ? new BoxTest(area) : new PolygonTest([Float64Array.from(area.outline)])
}
