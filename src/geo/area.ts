import type { AreaTest } from './area-test.ts'
import type { Envelope } from './envelope.ts'
import { PolygonTest } from './polygon-test.ts'
import { BoxTest } from './wkb-touches.ts'

/** A box, or the part of it that lies within an outline. */
export interface Area extends Envelope {
  /** x and y of each vertex in turn, the first and the last one the same; it reaches to each side of the box. */
  outline?: readonly number[]
}

/** Tells what has a point in the area. */
export function areaTest(area: Area): AreaTest {
  return area.outline === undefined ? new BoxTest(area) : new PolygonTest([Float64Array.from(area.outline)])
}
