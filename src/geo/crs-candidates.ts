import type { CrsDeclaration } from './crs.ts'
import { shapeOf } from './crs-declaration.ts'
import { rowsOfShape } from './crs-match.ts'
import { plainName } from './crs-methods.ts'
import type { CrsRow } from './crs-table.ts'
import { allRows, findRow } from './crs-table.ts'
import type { Envelope } from './envelope.ts'

/** A CRS that data without a usable declaration may be in. */
export interface CrsCandidate {
  srs: string
  name: string
  /** 0 to 1. */
  confidence: number
  /** Why, in words for people. */
  evidence: string
}

const maxCandidates = 10

/**
 * CRSs that fit an unmatched declaration, or bounds that are plainly degrees, likeliest first. `hint` is an authority code or
 * a name that the user or the surroundings suggest. Where data would lie in which CRS is asked of `crs-finding`.
 */
export function crsCandidates(
  declaration: CrsDeclaration | undefined,
  envelope?: Envelope,
  hint?: string,
): CrsCandidate[] {
  const found = [...fromDeclaration(declaration), ...fromHint(hint), ...fromEnvelope(envelope)]
  const best = new Map<string, CrsCandidate>()
  for (const candidate of found) {
    if ((best.get(candidate.srs)?.confidence ?? -1) < candidate.confidence) best.set(candidate.srs, candidate)
  }
  return [...best.values()].sort((a, b) => b.confidence - a.confidence).slice(0, maxCandidates)
}

function candidate(row: CrsRow, confidence: number, evidence: string): CrsCandidate {
  return { srs: row.srs, name: row.name, confidence, evidence }
}

function fromDeclaration(declaration: CrsDeclaration | undefined): CrsCandidate[] {
  const shape = declaration === undefined ? undefined : shapeOf(declaration)
  if (shape === undefined) return []
  const same = rowsOfShape(shape).filter((row) => !row.isDeprecated)
  const exact = same.map((row) =>
    candidate(row, 0.9 / same.length, 'Same projection and ellipsoid as declared'),
  )
  const { name } = shape
  if (name === undefined) return exact
  const named = allRows().filter((row) => !row.isDeprecated && plainName(row.name) === plainName(name))
  return [
    ...exact,
    ...named.map((row) => candidate(row, 0.6, `Declared under the name "${name.slice(0, 80)}"`)),
  ]
}

function fromHint(hint: string | undefined): CrsCandidate[] {
  const row = hint === undefined ? undefined : findRow(hint)
  return row === undefined ? [] : [candidate(row, 0.7, 'Suggested')]
}

function fromEnvelope(envelope: Envelope | undefined): CrsCandidate[] {
  if (envelope === undefined || !(envelope.minX <= envelope.maxX)) return []
  const { minX, minY, maxX, maxY } = envelope
  if (minX >= -180 && maxX <= 360 && minY >= -90 && maxY <= 90) {
    const isTiny = maxX - minX < 1e-9 && Math.abs(minX) < 1e-9
    return rowCandidates([['EPSG:4326', isTiny ? 0.3 : 0.8, 'Coordinates lie within longitude and latitude']])
  }
  return []
}

function rowCandidates(list: [srs: string, confidence: number, evidence: string][]): CrsCandidate[] {
  return list.flatMap(([srs, confidence, evidence]) => {
    const row = findRow(srs)
    return row === undefined ? [] : [candidate(row, confidence, evidence)]
  })
}
