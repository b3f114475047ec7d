import type { GeometryType } from '../geo/schema.ts'
import { geometryTypes } from '../geo/schema.ts'
import { geometryTypeCode } from '../geo/wkb.ts'

/** Geometries that a column accepts. */
export interface GeometryRules {
  type: GeometryType
  hasZ: boolean
  hasM: boolean
  /** True for a column without a declared type, which accepts any type and dimension. */
  isOpen: boolean
}

/**
 * Form in which a geometry is stored in a column: unchanged, as the only part of a multi geometry, or not at all
 * because its type or dimension does not match.
 */
export type Fit = 'asIs' | 'promote' | 'typeMismatch' | 'dimensionMismatch'

/** Returns how every WKB type number below 4000 is stored; computed once per load. */
export function fitTable(rules: GeometryRules): Fit[] {
  const requested = geometryTypeCode(rules.type)
  const requestedThousands = (rules.hasZ ? 1 : 0) + (rules.hasM ? 2 : 0)
  return Array.from({ length: 4000 }, (_, number): Fit => {
    const code = number % 1000
    if (rules.isOpen) return 'asIs'
    if (Math.floor(number / 1000) !== requestedThousands) return 'dimensionMismatch'
    if (requested === 0 || code === requested) return 'asIs'
    return code >= 1 && code <= 3 && code + 3 === requested ? 'promote' : 'typeMismatch'
  })
}

/** Returns why a geometry of WKB type `number` is rejected. */
export function misfitReason(rules: GeometryRules, number: number, fit: Fit): string {
  const describe = (type: string, hasZ: boolean, hasM: boolean): string =>
    type + (hasZ ? 'Z' : '') + (hasM ? 'M' : '')
  const thousands = Math.floor(number / 1000)
  const found = describe(
    geometryTypes[number % 1000] ?? 'geometry',
    thousands === 1 || thousands === 3,
    thousands >= 2,
  )
  const requested = describe(rules.type, rules.hasZ, rules.hasM)
  const what = fit === 'dimensionMismatch' ? 'has other dimensions than' : 'does not go into'
  return `A ${found} ${what} a column of type ${requested}`
}

/**
 * Returns the error that PostGIS would report for the WKB at `offset` (a line of one point, a ring with fewer
 * than four points or not closed), or '' if PostGIS accepts it. The WKB must be well-formed, little-endian
 * and ISO.
 */
export function structuralProblem(view: DataView, offset: number): string {
  check.view = view
  check.at = offset
  check.problem = ''
  walk()
  return check.problem
}

const check: { view: DataView; at: number; problem: string } = {
  view: new DataView(new ArrayBuffer(0)),
  at: 0,
  problem: '',
}

function walk(): void {
  const { view } = check
  const number = view.getUint32(check.at + 1, true)
  const code = number % 1000
  const thousands = (number - code) / 1000
  const stride = (thousands === 0 ? 2 : thousands === 3 ? 4 : 3) * 8
  check.at += 5
  if (code === 1) {
    check.at += stride
    return
  }
  const count = view.getUint32(check.at, true)
  check.at += 4
  if (code === 2) {
    if (count === 1) check.problem ||= 'A line has only one point'
    check.at += count * stride
    return
  }
  for (let part = 0; part < count; part += 1) {
    if (code === 3) ring(stride)
    else walk()
  }
}

function ring(stride: number): void {
  const { view } = check
  const count = view.getUint32(check.at, true)
  const first = check.at + 4
  const last = first + (count - 1) * stride
  check.at = first + count * stride
  if (count < 4) check.problem ||= `A ring has only ${count} points`
  else if (
    view.getFloat64(first, true) !== view.getFloat64(last, true) ||
    view.getFloat64(first + 8, true) !== view.getFloat64(last + 8, true)
  ) {
    check.problem ||= 'A ring is not closed'
  }
}
