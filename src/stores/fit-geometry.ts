import { invalid } from '../core/errors/errors.ts'
import type { GeometryRules } from './geometry-rules.ts'
import { fitTable, misfitReason, structuralProblem } from './geometry-rules.ts'

const promotionBytes = 9

/**
 * Converts a geometry to the form of a column, as little-endian ISO WKB: if required, a single geometry
 * becomes the only part of a multi geometry. Throws `Failure` if the column does not accept the geometry.
 */
export function fitGeometry(rules: GeometryRules, wkb: Uint8Array): Uint8Array {
  const view = new DataView(wkb.buffer, wkb.byteOffset, wkb.byteLength)
  const number = view.getUint32(1, true)
  const fit = fitTable(rules)[number] ?? 'typeMismatch'
  if (fit === 'typeMismatch' || fit === 'dimensionMismatch')
    throw invalid('invalid-geometry', misfitReason(rules, number, fit))
  const problem = structuralProblem(view, 0)
  if (problem !== '') throw invalid('invalid-geometry', problem)
  if (fit === 'asIs') return wkb
  const multi = new Uint8Array(wkb.length + promotionBytes)
  const head = new DataView(multi.buffer)
  multi[0] = 1
  head.setUint32(1, number + 3, true)
  head.setUint32(5, 1, true)
  multi.set(wkb, promotionBytes)
  return multi
}
