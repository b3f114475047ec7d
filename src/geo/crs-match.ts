import type { CrsDeclaration, CrsShape } from './crs.ts'
import { declarationShape } from './crs-declaration.ts'
import { plainName } from './crs-methods.ts'
import { shapeOfProj } from './crs-proj.ts'
import { parseSrs } from './crs-srs.ts'
import type { CrsRow } from './crs-table.ts'
import { allDatums, allRows, findRow } from './crs-table.ts'

const angleTolerance = 1e-7
const lengthTolerance = 0.005
/** It moves positions in the plane by at most a centimetre. */
const scaleTolerance = 1e-9

function toleranceOf(parameter: string): number {
  if (parameter === 'k_0') return scaleTolerance
  return parameter === 'x_0' || parameter === 'y_0' ? lengthTolerance : angleTolerance
}

/**
 * Returns a datum name for comparison: without case, punctuation, codes in brackets, ESRI's `D_` and EPSG's
 * suffix of ensembles.
 */
export function plainDatum(name: string): string {
  const bare = name.replace(/^D_/, '').replace(/[ _]*[([]EPSG ID \d+[)\]]/i, '')
  return plainName(bare.replace(/ ensemble$/, ''))
}

const datumNames: Set<string>[] = []

function namesOfDatum(number: number): Set<string> {
  const known = datumNames[number]
  if (known !== undefined) return known
  const own = allDatums()[number]?.names ?? []
  const names = new Set([...own, ...namesAtGreenwich(own[0])].map(plainDatum))
  datumNames[number] = names
  return names
}

/** Returns the names that a datum with another meridian may have: ESRI names `NTF (Paris)` after `NTF`. */
function namesAtGreenwich(name: string | undefined): string[] {
  const plain = name?.replace(/ \([^)]*\)$/, '')
  if (plain === undefined || plain === name) return []
  return allDatums().find((datum) => datum?.names[0] === plain)?.names ?? []
}

const rowShapes = new Map<string, CrsShape | undefined>()

/** Returns the shape of a table row; undefined for a projection without a PROJ string. */
export function shapeOfRow(row: CrsRow): CrsShape | undefined {
  if (rowShapes.has(row.srs)) return rowShapes.get(row.srs)
  const shape = row.proj === '' ? undefined : shapeOfProj(row.proj)
  const datum = allDatums()[row.datum]
  if (shape !== undefined && datum !== undefined) {
    shape.semiMajor = datum.semiMajor
    shape.inverseFlattening = datum.inverseFlattening
    if (datum.names[0] !== undefined) shape.datumName = datum.names[0]
    if (shape.kind === 'geographic') shape.unit = degreesOf(row.unit)
  }
  rowShapes.set(row.srs, shape)
  return shape
}

function degreesOf(unit: string): number {
  return unit === 'grad' ? 0.9 : unit === 'radian' ? 180 / Math.PI : 1
}

type Spheroid = Pick<CrsShape, 'semiMajor' | 'inverseFlattening'>

/** True if a shape has the ellipsoid; axes may differ by a centimetre. */
export function hasEllipsoid(shape: CrsShape, of: Spheroid, inverseTolerance: number): boolean {
  return (
    Math.abs(shape.semiMajor - of.semiMajor) < 0.01 &&
    Math.abs(shape.inverseFlattening - of.inverseFlattening) < inverseTolerance
  )
}

/** True if a datum can be that of a declaration: by name if it has one, otherwise by ellipsoid. */
export function hasDatum(shape: CrsShape, datum: number): boolean {
  const row = allDatums()[datum]
  if (row === undefined) return false
  if (shape.datumName === undefined) return hasEllipsoid(shape, row, 1e-6)
  return hasEllipsoid(shape, row, 1e-3) && namesOfDatum(datum).has(plainDatum(shape.datumName))
}

/**
 * True if both have the same projection with the same parameters, unit and prime meridian. Datums are not
 * compared.
 */
export function hasProjection(shape: CrsShape, of: CrsShape): boolean {
  if (shape.kind !== of.kind || shape.method !== of.method || shape.method === undefined) return false
  if (Math.abs(shape.unit / of.unit - 1) > 1e-7) return false
  if (Math.abs(shape.primeMeridian - of.primeMeridian) > angleTolerance * 10) return false
  const keys = new Set([...Object.keys(shape.parameters), ...Object.keys(of.parameters)])
  for (const key of keys) {
    const missing = key === 'k_0' ? 1 : 0
    const difference = Math.abs((shape.parameters[key] ?? missing) - (of.parameters[key] ?? missing))
    if (difference > toleranceOf(key)) return false
  }
  return true
}

/** Ranks equal rows: not deprecated, EPSG, x first if projected, the shortest code, the lowest code. */
function preference(row: CrsRow): number {
  const authority = row.srs.startsWith('EPSG:') ? 0 : row.srs.startsWith('ESRI:') ? 1 : 2
  const order = row.type === 'projected' && row.axisOrder === 'yx' ? 1 : 0
  const kind = row.type === 'geographic 3D' ? 1 : 0
  const code = Number(row.srs.slice(row.srs.indexOf(':') + 1)) || 0
  return (row.isDeprecated ? 1e12 : 0) + authority * 1e10 + kind * 1e9 + order * 1e8 + code
}

function best(rows: CrsRow[]): CrsRow | undefined {
  let found: CrsRow | undefined
  for (const row of rows) if (found === undefined || preference(row) < preference(found)) found = row
  return found
}

function hasName(row: CrsRow, plain: string): boolean {
  return plainName(row.name) === plain || row.aliases.some((alias) => plainName(alias) === plain)
}

/** Returns the rows of the table that match a shape; names are not compared. */
export function rowsOfShape(shape: CrsShape): CrsRow[] {
  const datums = new Set([...allDatums().keys()].filter((datum) => hasDatum(shape, datum)))
  const kind = shape.kind === 'projected' ? 'projected' : 'geographic'
  return allRows().filter((row) => {
    if (!datums.has(row.datum) || !row.type.startsWith(kind)) return false
    const rowShape = shapeOfRow(row)
    return rowShape !== undefined && hasProjection(shape, rowShape)
  })
}

/**
 * Returns the authority code of a declared CRS: its own code if its content agrees with the table, otherwise
 * the row with the same datum, projection, parameters and units. Undefined if none matches or, without a
 * declared datum, if several datums match.
 */
export function matchCrs(declaration: CrsDeclaration): string | undefined {
  const key = JSON.stringify(declaration)
  if (matches.has(key)) return matches.get(key)
  const srs = findMatch(declaration)
  if (matches.size >= maxMatches) matches.clear()
  if (key.length <= maxKeyLength) matches.set(key, srs)
  return srs
}

/** Most files of a directory have the same declaration. */
const matches = new Map<string, string | undefined>()
const maxMatches = 200
const maxKeyLength = 10_000

function findMatch(declaration: CrsDeclaration): string | undefined {
  if (declaration.srs !== undefined) {
    const id = parseSrs(declaration.srs)
    if (id !== undefined && findRow(id) !== undefined) return id
  }
  const shape = declarationShape(declaration)
  if (shape === undefined) return undefined
  const declared = shape.id === undefined ? undefined : findRow(parseSrs(shape.id) ?? '')
  if (declared !== undefined && canBe(shape, declared)) return declared.srs
  const rows = rowsOfShape(shape)
  if (shape.name !== undefined) {
    const plain = plainName(shape.name)
    const sameName = best(rows.filter((row) => hasName(row, plain)))
    if (sameName !== undefined && !sameName.isDeprecated) return sameName.srs
  }
  const current = rows.filter((row) => !row.isDeprecated)
  const usable = current.length > 0 ? current : rows
  if (shape.datumName === undefined && new Set(usable.map((row) => row.datum)).size > 1) return undefined
  return best(usable)?.srs
}

/** True if a declaration with a row's code does not contradict the row. */
function canBe(shape: CrsShape, row: CrsRow): boolean {
  const rowShape = shapeOfRow(row)
  if (shape.method === undefined || rowShape?.method === undefined) {
    return shape.name !== undefined && hasName(row, plainName(shape.name))
  }
  if (!hasProjection(shape, rowShape)) return false
  return hasDatum(shape, row.datum) || hasEllipsoid(shape, rowShape, 1e-3)
}
