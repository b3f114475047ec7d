import type { CrsDeclaration } from './crs.ts'
import { declarationShape } from './crs-declaration.ts'
import { rowsOfShape } from './crs-match.ts'
import { plainName } from './crs-methods.ts'
import type { CrsRow } from './crs-table.ts'
import { allRows, findRow } from './crs-table.ts'
import { findUncodedCrs } from './crs-uncoded.ts'
import type { Envelope } from './envelope.ts'

/** A CRS that data without a usable declaration may be in. */
export interface CrsCandidate {
  /** Null for the definition in the file itself, if it has no code. */
  srs: string | null
  /** The definition in the file: WKT, PROJJSON or a PROJ string. */
  wkt?: string
  name: string
  /** 0 to 1. */
  confidence: number
  /** Reason, in words for users. */
  evidence: string
}

const maxCandidates = 10

/** Degrees by which data may overshoot the 180th meridian and the poles: 1e-6 is a tenth of a metre. */
export const overshootDegrees = 1e-6

/**
 * Returns the CRSs that the declaration and the bounds of data allow, most likely first: a declared
 * definition without a code with compatible CRSs, otherwise degrees. `crs-finding` finds CRSs by the location
 * of the data.
 */
export function crsCandidates(declaration: CrsDeclaration | undefined, envelope?: Envelope): CrsCandidate[] {
  const declared = declaredCandidates(declaration)
  return (declared.length > 0 ? declared : fromEnvelope(envelope)).slice(0, maxCandidates)
}

/**
 * Returns the declared definition without a code, followed by equivalent codes if the definition does not
 * specify datum or projection. Empty without a declaration.
 */
export function declaredCandidates(declaration: CrsDeclaration | undefined): CrsCandidate[] {
  const uncoded = findUncodedCrs(declaration)
  if (uncoded === undefined || declaration === undefined) return []
  const { name, definition: wkt } = uncoded
  const evidence = 'declared by the file'
  return [{ srs: null, wkt, name, confidence: 1, evidence }, ...fittingCodes(declaration)]
}

function candidate(row: CrsRow, confidence: number, evidence: string): CrsCandidate {
  return { srs: row.srs, name: row.name, confidence, evidence }
}

function fittingCodes(declaration: CrsDeclaration): CrsCandidate[] {
  const shape = declarationShape(declaration)
  if (shape === undefined) return []
  if (shape.method !== undefined) {
    const same = rowsOfShape(shape).filter((row) => !row.isDeprecated)
    return same.map((row) => candidate(row, 0.9 / same.length, 'Same projection and ellipsoid as declared'))
  }
  // An unknown projection can only be compared by name.
  const plain = plainName(shape.name ?? '')
  const named = plain === '' ? [] : allRows().filter(({ name }) => plainName(name) === plain)
  return named
    .filter(({ isDeprecated }) => !isDeprecated)
    .map((row) => candidate(row, 0.6, `Declared under the name "${row.name}"`))
}

function fromEnvelope(envelope: Envelope | undefined): CrsCandidate[] {
  if (envelope === undefined || !(envelope.minX <= envelope.maxX)) return []
  const { minX, minY, maxX, maxY } = envelope
  const isWithin =
    minX >= -180 - overshootDegrees &&
    maxX <= 360 + overshootDegrees &&
    minY >= -90 - overshootDegrees &&
    maxY <= 90 + overshootDegrees
  if (!isWithin) return []
  const isTiny = maxX - minX < 1e-9 && Math.abs(minX) < 1e-9
  const row = findRow('EPSG:4326')
  return row === undefined
    ? []
    : [candidate(row, isTiny ? 0.3 : 0.8, 'Coordinates lie within longitude and latitude')]
}
