import type { Failure } from '../core/errors/errors.ts'
import { invalid } from '../core/errors/errors.ts'
import { walkCoordinates } from '../geo/wkb.ts'
import { isArithmetic } from './calculate.ts'
import type { Expression } from './expression.ts'
import { deepestFilter } from './expression.ts'
import { isFilterFunction } from './functions.ts'

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
  add(written, size, 0)
  if (size.filterNodes > limits.filterNodes) throw tooManyNodes(limits)
  if (size.coordinates > limits.coordinates) throw tooManyCoordinates(limits)
}

/** The error for a filter with too many operators, values and names. */
export function tooManyNodes({ filterNodes }: FilterLimits): Error {
  return invalidFilter(`The filter has more than ${filterNodes} operators, values and names`)
}

/** The error for a filter whose parts stand within one another too often. */
export function tooDeep(): Error {
  return invalidFilter(`The filter is nested deeper than ${deepestFilter} levels`)
}

function tooManyCoordinates({ coordinates }: FilterLimits): Error {
  return invalidFilter(`The geometries of the filter have more than ${coordinates} positions`)
}

/** `depth` counts functions and arithmetic operators within one another: each is a call of a function, and of a database. */
function add(written: Expression, size: FilterLimits, depth: number): void {
  const before = size.filterNodes
  size.filterNodes += 1
  if (written.kind === 'call') {
    if (depth > deepestFilter) throw tooDeep()
    const isValue = isArithmetic(written.op) || isFilterFunction(written.op)
    for (const one of written.args) {
      // A calculation is compared with each value of a list: it counts as often. A function of a property does not.
      if (written.op === 'in' && one.kind === 'list')
        size.filterNodes += Math.max(0, size.filterNodes - before - 3) * one.of.length
      add(one, size, isValue ? depth + 1 : depth)
    }
  } else if (written.kind === 'list') for (const one of written.of) add(one, size, depth)
  else if (written.kind === 'interval') for (const one of [written.from, written.to]) add(one, size, depth)
  else if (written.kind === 'geometry') size.coordinates += positionsOf(written.wkb)
}

function positionsOf(wkb: Uint8Array): number {
  let count = 0
  walkCoordinates(new DataView(wkb.buffer, wkb.byteOffset, wkb.byteLength), 0, (_offset, positions) => {
    count += positions
  })
  return count
}

/** The error for a filter with a syntax error, or with a comparison of incompatible values. */
export function invalidFilter(message: string): Failure {
  return invalid('invalid-filter', message)
}

/** The error for a valid filter with unsupported parts. */
export function unsupportedFilter(message: string): Failure {
  return invalid('unsupported-filter', message)
}

const arrayFunctions = ['a_contains', 'a_containedby', 'a_equals', 'a_overlaps']

/** Throws `unsupported-filter` for a function of CQL2 that compares arrays: no attribute has such a type. */
export function refuseArrayFunction(name: string): void {
  if (!arrayFunctions.includes(name.toLowerCase())) return
  throw unsupportedFilter(
    `${name} is not supported: attributes hold no arrays, and array columns of PostGIS are read as text. Compare the text with LIKE`,
  )
}
