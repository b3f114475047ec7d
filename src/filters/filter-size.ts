import { walkCoordinates } from '../geo/wkb.ts'
import type { Expression } from './expression.ts'
import { invalidFilter } from './refusals.ts'

/** Limits on the size of one filter. */
export interface FilterLimits {
  /** Maximum number of operators, values and names. */
  filterNodes: number
  /** Maximum number of positions of all geometries together. */
  coordinates: number
}

/** Limits used without settings. */
export const defaultFilterLimits: FilterLimits = { filterNodes: 5000, coordinates: 200_000 }

/** Throws `invalid-filter` for a filter that exceeds a limit. */
export function requireFilterSize(written: Expression, limits: FilterLimits): void {
  const size = { filterNodes: 0, coordinates: 0 }
  add(written, size)
  if (size.filterNodes > limits.filterNodes) throw tooManyNodes(limits)
  if (size.coordinates > limits.coordinates) throw tooManyCoordinates(limits)
}

/** The error for a filter with too many operators, values and names. */
export function tooManyNodes({ filterNodes }: FilterLimits): Error {
  return invalidFilter(`The filter has more than ${filterNodes} operators, values and names`)
}

function tooManyCoordinates({ coordinates }: FilterLimits): Error {
  return invalidFilter(`The geometries of the filter have more than ${coordinates} positions`)
}

function add(written: Expression, size: FilterLimits): void {
  size.filterNodes += 1
  if (written.kind === 'call') for (const one of written.args) add(one, size)
  else if (written.kind === 'list') for (const one of written.of) add(one, size)
  else if (written.kind === 'interval') for (const one of [written.from, written.to]) add(one, size)
  else if (written.kind === 'geometry') size.coordinates += positionsOf(written.wkb)
}

function positionsOf(wkb: Uint8Array): number {
  let count = 0
  walkCoordinates(new DataView(wkb.buffer, wkb.byteOffset, wkb.byteLength), 0, (_offset, positions) => {
    count += positions
  })
  return count
}
