import { walkCoordinates } from '../geo/wkb.ts'
import type { Expression } from './expression.ts'
import { invalidFilter } from './filter-size.ts'

/** Refuses boxes across the 180th meridian where the CRS of the filter has none (`invalid-filter`). */
export function requireBoxes(written: Expression): void {
  for (const part of partsOf(written)) {
    if (part.kind !== 'box') continue
    const { sides } = part
    const [west, east] = [sides[0] as number, sides[sides.length / 2] as number]
    if (west > east)
      throw invalidFilter(
        `A box of the filter has its left side, ${west}, right of its right one, ${east}: only in a CRS of degrees may it cross the 180th meridian`,
      )
  }
}

/**
 * Throws for longitude/latitude geometries with latitudes beyond the poles, and for boxes that are completely
 * beyond them (`invalid-filter`). Boxes of a map larger than the world are valid.
 */
export function requireLatitudes(written: Expression): void {
  for (const part of partsOf(written)) {
    if (part.kind === 'box') requireOnEarth(part.sides)
    if (part.kind !== 'geometry') continue
    const { wkb } = part
    const view = new DataView(wkb.buffer, wkb.byteOffset, wkb.byteLength)
    walkCoordinates(view, 0, (start, count, dimensions) => {
      for (let point = 0, at = start + 8; point < count; point += 1, at += dimensions * 8) {
        const latitude = view.getFloat64(at, true)
        if (Math.abs(latitude) > 90) throw beyondPoles('A geometry', latitude)
      }
    })
  }
}

function requireOnEarth(sides: readonly number[]): void {
  const [south, north] = [sides[1] as number, sides[sides.length / 2 + 1] as number]
  if (south > 90 || north < -90) throw beyondPoles('A box', south > 90 ? south : north)
}

function beyondPoles(what: string, latitude: number): Error {
  return invalidFilter(
    `${what} of the filter has the latitude ${latitude}: latitudes are -90 to 90. Which ordinate comes first tells the CRS of filter-crs; in CRS84 it is the longitude`,
  )
}

function* partsOf(written: Expression): Generator<Expression> {
  yield written
  if (written.kind === 'call') for (const part of written.args) yield* partsOf(part)
}
