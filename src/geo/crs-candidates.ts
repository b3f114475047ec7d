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
 * CRSs that fit an unmatched declaration or the data's bounds, likeliest first. `hint` is an authority code or a
 * name that the user or the surroundings suggest.
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
  return projectedCandidates(envelope)
}

function rowCandidates(list: [srs: string, confidence: number, evidence: string][]): CrsCandidate[] {
  return list.flatMap(([srs, confidence, evidence]) => {
    const row = findRow(srs)
    return row === undefined ? [] : [candidate(row, confidence, evidence)]
  })
}

/** National and continental systems in wide use, each with how telling its range is: west, south, east, north. */
const widelyUsed: [string, number, [number, number, number, number]][] = [
  ['EPSG:27700', 0.25, [0, 0, 700_000, 1_300_000]],
  ['EPSG:2154', 0.45, [0, 6_000_000, 1_300_000, 7_200_000]],
  ['EPSG:28992', 0.3, [0, 300_000, 290_000, 630_000]],
  ['EPSG:2056', 0.6, [2_480_000, 1_070_000, 2_840_000, 1_300_000]],
  ['EPSG:21781', 0.35, [480_000, 70_000, 840_000, 300_000]],
  ['EPSG:3035', 0.3, [2_400_000, 1_300_000, 7_400_000, 5_500_000]],
  ['EPSG:2180', 0.25, [140_000, 100_000, 880_000, 800_000]],
  ['EPSG:5514', 0.6, [-910_000, -1_450_000, -150_000, -930_000]],
  ['EPSG:31467', 0.5, [3_250_000, 5_200_000, 3_950_000, 6_150_000]],
  ['EPSG:31468', 0.5, [4_250_000, 5_200_000, 4_950_000, 6_150_000]],
  ['EPSG:25832', 0.3, [200_000, 5_200_000, 1_000_000, 6_200_000]],
  ['EPSG:25833', 0.25, [100_000, 5_200_000, 900_000, 6_200_000]],
  ['EPSG:3067', 0.3, [50_000, 6_600_000, 760_000, 7_800_000]],
  ['EPSG:3006', 0.3, [200_000, 6_100_000, 950_000, 7_700_000]],
  ['EPSG:2193', 0.6, [1_000_000, 4_700_000, 2_100_000, 6_300_000]],
  ['EPSG:5070', 0.15, [-2_400_000, 250_000, 2_300_000, 3_200_000]],
  ['EPSG:3005', 0.15, [200_000, 350_000, 1_900_000, 1_800_000]],
]

const webMercatorEdge = 20_037_508.35

function projectedCandidates({ minX, minY, maxX, maxY }: Envelope): CrsCandidate[] {
  const found: [string, number, string][] = []
  const within = (west: number, south: number, east: number, north: number): boolean =>
    minX >= west && minY >= south && maxX <= east && maxY <= north
  for (const [srs, confidence, [west, south, east, north]] of widelyUsed) {
    if (within(west, south, east, north))
      found.push([srs, confidence, 'Coordinates lie where this CRS is used'])
  }
  if (within(-webMercatorEdge, -webMercatorEdge, webMercatorEdge, webMercatorEdge)) {
    found.push(['EPSG:3857', 0.4, 'Coordinates lie within web maps’ projection'])
  }
  return rowCandidates(found)
}
