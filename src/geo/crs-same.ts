import type { CrsDeclaration, CrsShape } from './crs.ts'
import { declarationShape } from './crs-declaration.ts'
import { hasDatum, hasEllipsoid, hasProjection, matchCrs, plainDatum, shapeOfRow } from './crs-match.ts'
import type { CrsRow } from './crs-table.ts'
import { findRow } from './crs-table.ts'
import type { WktNode } from './crs-wkt.ts'
import { parseCrsWkt } from './crs-wkt.ts'

type Crs = CrsDeclaration | string | undefined

/**
 * True if two CRSs are the same system: the same datum, projection, parameters, unit and axes, whatever the
 * codes, names or dialects (ESRI and OGC WKT, PROJJSON, PROJ strings) are. Every comparison of CRSs uses this
 * function.
 *
 * - The authority's axis order is ignored: coordinates in memory are x, y.
 * - Vertical parts are ignored: Terrane never changes heights.
 * - Two absent CRSs are the same; an absent one and a declared one are not.
 *
 * Equal codes and equal texts are compared without the CRS table.
 */
export function isSameCrs(a: Crs, b: Crs): boolean {
  const [first, second] = [toDeclaration(a), toDeclaration(b)]
  if (first === undefined || second === undefined) return first === second
  if (isWrittenAlike(first, second)) return true
  const known = pairs.get(pairOf(first, second))
  if (known !== undefined) return known
  const [one, other] = [sideOf(first), sideOf(second)]
  if (one.row !== undefined && other.row !== undefined) {
    const isSame = isSameRow(one.row, other.row)
    if (first.srs === undefined || second.srs === undefined) return isSame
    if (pairs.size >= maxPairs) pairs.clear()
    pairs.set(pairOf(first, second), isSame)
    return isSame
  }
  if (one.row !== undefined) return isRow(other, one.row)
  return other.row === undefined ? isSameShape(one, other) : isRow(one, other.row)
}

/** Results for pairs of codes in the table; their texts do not matter. */
const pairs = new Map<string, boolean>()
const maxPairs = 1000

function pairOf(a: CrsDeclaration, b: CrsDeclaration): string {
  return `${a.srs ?? ''} ${b.srs ?? ''}`
}

function toDeclaration(crs: Crs): CrsDeclaration | undefined {
  const declaration = typeof crs === 'string' ? { srs: crs } : crs
  if (declaration === undefined) return undefined
  const { srs, wkt, projjson, proj4 } = declaration
  return (srs ?? wkt ?? projjson ?? proj4) ? declaration : undefined
}

const published = /^(?:EPSG|ESRI|IAU_2015|OGC):/i

/**
 * Codes of authorities are sufficient; other codes may mean anything, and are compared together with their
 * texts.
 */
function isWrittenAlike(a: CrsDeclaration, b: CrsDeclaration): boolean {
  const isSameCode = a.srs !== undefined && a.srs === b.srs
  if (isSameCode && published.test(a.srs ?? '')) return true
  return a.srs === b.srs && a.wkt === b.wkt && a.projjson === b.projjson && a.proj4 === b.proj4
}

interface Side {
  declaration: CrsDeclaration
  row: CrsRow | undefined
  shape: CrsShape | undefined
}

function sideOf(declaration: CrsDeclaration): Side {
  const srs = matchCrs(declaration)
  const row = srs === undefined ? undefined : findRow(srs)
  return { declaration, row, shape: row === undefined ? declarationShape(declaration) : shapeOfRow(row) }
}

function isSameRow(a: CrsRow, b: CrsRow): boolean {
  if (a.srs === b.srs) return true
  const [one, other] = [shapeOfRow(a), shapeOfRow(b)]
  if (a.datum !== b.datum || one === undefined || other === undefined) return false
  return hasProjection(one, other) && one.axis === other.axis
}

/** True if a CRS without a code can only be the row: its datum must be named. */
function isRow({ shape }: Side, row: CrsRow): boolean {
  const rowShape = shapeOfRow(row)
  if (shape?.datumName === undefined || rowShape === undefined) return false
  return hasProjection(shape, rowShape) && shape.axis === rowShape.axis && hasDatum(shape, row.datum)
}

function isSameShape(a: Side, b: Side): boolean {
  const [one, other] = [a.shape, b.shape]
  if (one?.method === undefined || other?.method === undefined)
    return hasSameTree(a.declaration, b.declaration)
  const isSameProjection = hasProjection(one, other) && one.axis === other.axis
  return isSameProjection && hasEllipsoid(one, other, 1e-3) && hasSameDatum(a, b)
}

function hasSameDatum(a: Side, b: Side): boolean {
  const [one, other] = [a.shape?.datumName, b.shape?.datumName]
  if (one !== undefined && other !== undefined) return plainDatum(one) === plainDatum(other)
  if (one !== other) return false
  return shiftOf(a.declaration) === shiftOf(b.declaration)
}

/** Returns the declared shift to WGS 84, the only distinction of unnamed datums. */
function shiftOf({ wkt = '', projjson = '', proj4 = '' }: CrsDeclaration): string {
  const text = `${wkt} ${projjson} ${proj4}`
  const [, numbers = ''] = /TOWGS84\[([^\]]*)\]|\+towgs84=([\d.,eE+-]+)/i.exec(text)?.filter(Boolean) ?? []
  const [, grids = ''] = /\+nadgrids=([^\s"]+)/.exec(text) ?? []
  const shift = numbers.split(',').map(Number)
  const last = shift.findLastIndex((number) => number !== 0)
  return JSON.stringify([shift.slice(0, last + 1), grids])
}

/** For unknown projections: true if the trees are equal except for names and codes. */
function hasSameTree(
  { wkt: a, projjson: one }: CrsDeclaration,
  { wkt: b, projjson: other }: CrsDeclaration,
): boolean {
  if (one !== undefined && one === other) return true
  const [first, second] = [parseCrsWkt(a ?? ''), parseCrsWkt(b ?? '')]
  if (first === undefined || second === undefined) return false
  return JSON.stringify(withoutNames(first)) === JSON.stringify(withoutNames(second))
}

const notCompared = new Set([
  'AUTHORITY',
  'ID',
  'TOWGS84',
  'EXTENSION',
  'AXIS',
  'USAGE',
  'SCOPE',
  'AREA',
  'BBOX',
  'REMARK',
])
const namedKeywords = new Set(['PROJECTION', 'METHOD', 'PARAMETER', 'DATUM', 'ENSEMBLE'])

function withoutNames({ keyword, values }: WktNode): unknown[] {
  const parts = values.flatMap((value, at): unknown[] => {
    if (typeof value === 'object') return notCompared.has(value.keyword) ? [] : [withoutNames(value)]
    if (typeof value === 'number') return [value]
    return at > 0 || namedKeywords.has(keyword) ? [plainDatum(value)] : []
  })
  return [keyword, ...parts]
}
