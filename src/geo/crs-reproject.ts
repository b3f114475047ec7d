import type { CrsDeclaration } from './crs.ts'
import { shapeOf } from './crs-declaration.ts'
import { CrsError } from './crs-error.ts'
import { matchCrs, rowsOfShape, shapeOfRow } from './crs-match.ts'
import type { Bounds, DatumLeg } from './crs-operations.ts'
import { datumLegs, expectedArea, isInBounds, usableCandidates } from './crs-operations.ts'
import { missingGrids, openProgramReprojector } from './crs-program.ts'
import type { Place, Projector } from './crs-projector.ts'
import { findProjector, wrapped } from './crs-projector.ts'
import type { CrsShape } from './crs-shape.ts'
import type { Ellipsoid, Shift } from './crs-shift.ts'
import { ellipsoidOf, helmertShift } from './crs-shift.ts'
import { parseSrs } from './crs-srs.ts'
import type { CrsOperation } from './crs-table.ts'
import { findRow } from './crs-table.ts'
import type { ReprojectMessage, Reprojector } from './reprojector.ts'

export type { ReprojectMessage, Reprojector } from './reprojector.ts'

export interface ReprojectOptions {
  signal?: AbortSignal
  /** False keeps GDAL's and PROJ's programs out of it; default true. */
  canUsePrograms?: boolean
}

interface Side {
  /** Authority code where it is known. */
  srs: string | undefined
  /** What PROJ's programs understand. */
  text: string
  shape: CrsShape | undefined
  /** The geographic CRS below. */
  base: string | undefined
  label: string
}

function resolve(crs: CrsDeclaration | string): Side {
  const declaration = typeof crs === 'string' ? { srs: crs } : crs
  const srs = matchCrs(declaration)
  if (srs !== undefined) {
    const row = findRow(srs)
    const shape = row === undefined ? undefined : shapeOfRow(row)
    return { srs, text: srs, shape, base: row?.base === '' ? undefined : row?.base, label: srs }
  }
  if (declaration.srs !== undefined && declaration.wkt === undefined && declaration.proj4 === undefined) {
    throw new CrsError('unknown-crs', `Unknown CRS "${parseSrs(declaration.srs) ?? declaration.srs}"`)
  }
  const shape = shapeOf(declaration)
  const text = declaration.wkt ?? declaration.projjson ?? declaration.proj4
  if (text === undefined) throw new CrsError('unknown-crs', 'The CRS has no definition')
  const base = shape === undefined ? undefined : baseOf(shape)
  return { srs: undefined, text, shape, base, label: shape?.name ?? 'the declared CRS' }
}

/** The geographic CRS that a projected shape without a code stands on. */
function baseOf(shape: CrsShape): string | undefined {
  if (shape.datumName === undefined) return undefined
  const { semiMajor, inverseFlattening, primeMeridian, datumName } = shape
  const geographic: CrsShape = {
    kind: 'geographic',
    method: 'longlat',
    parameters: {},
    unit: 1,
    semiMajor,
    inverseFlattening,
    primeMeridian,
    datumName,
  }
  const rows = rowsOfShape(geographic).filter((row) => row.type === 'geographic 2D')
  return (rows.find((row) => !row.isDeprecated) ?? rows[0])?.srs
}

/** Prepares the way from one CRS to another. Throws `CrsError` where a CRS is unknown or no way is known. */
export async function createReprojector(
  from: CrsDeclaration | string,
  to: CrsDeclaration | string,
  options: ReprojectOptions = {},
): Promise<Reprojector> {
  const source = resolve(from)
  const target = resolve(to)
  if (source.text === target.text) return identity
  const area = expectedArea(source.srs, target.srs)
  const legs =
    source.base === undefined || target.base === undefined ? undefined : datumLegs(source.base, target.base)
  const own = legs === undefined ? undefined : ownReprojector(source, target, legs, area)
  const grids = legs === undefined ? [] : betterGrids(legs, area)
  if (own !== undefined && grids.length === 0) return own
  const program =
    options.canUsePrograms === false ? undefined : await findWay(source, target, grids, own, options)
  if (program !== undefined) return program
  if (own !== undefined) return { ...own, messages: [...own.messages, ...gridMessages(grids)] }
  throw new CrsError(
    'no-transformation',
    `The way from ${source.label} to ${target.label} needs GDAL's programs, which are not installed (Debian package gdal-bin)`,
  )
}

/** GDAL's program where it does better than this one: its grids are there, or the projection is not known here. */
async function findWay(
  source: Side,
  target: Side,
  grids: string[][],
  own: Reprojector | undefined,
  options: ReprojectOptions,
): Promise<Reprojector | undefined> {
  if (own !== undefined && source.base !== undefined && target.base !== undefined) {
    const missing = await missingGrids(source.base, target.base)
    if (missing !== undefined && grids.every((names) => names.some((name) => missing.has(name))))
      return undefined
  }
  return openProgramReprojector(source.text, target.text, options.signal)
}

const identity: Reprojector = {
  isIdentity: true,
  transformPlace: () => undefined,
  transform: () => undefined,
  messages: [],
  close: async () => undefined,
}

/** Grids of operations that are more accurate than any without one. */
function betterGrids(legs: DatumLeg[], area: Bounds | undefined): string[][] {
  return legs.flatMap((leg) => {
    const usable = usableCandidates(leg, area)
    const plain = usable.filter(isArithmetic).map(accuracyOf)
    const best = Math.min(...plain, Number.POSITIVE_INFINITY)
    return usable
      .filter((operation) => operation.kind === 'grid' && accuracyOf(operation) < best)
      .map(({ grids }) => grids ?? [])
  })
}

function gridMessages(grids: string[][]): ReprojectMessage[] {
  if (grids.length === 0) return []
  const names = [...new Set(grids.flat())]
  const shown = names.slice(0, 3).join(', ') + (names.length > 3 ? ` and ${names.length - 3} more` : '')
  const message = `A more accurate transformation needs the grid ${shown}, which is not installed; the next best is used`
  return [{ code: 'grid-missing', message }]
}

function isArithmetic({ kind }: CrsOperation): boolean {
  return kind === 'null' || kind === 'helmert' || kind === 'ballpark'
}

function accuracyOf({ accuracy }: CrsOperation): number {
  return accuracy ?? Number.POSITIVE_INFINITY
}

interface Choice {
  area: Bounds | undefined
  accuracy: number
  shift: Shift | undefined
}

/** The shift of a leg: for each point the most accurate operation whose area holds it, else PROJ's first. */
function legShift(
  leg: DatumLeg,
  area: Bounds | undefined,
): { shift: Shift | undefined; isBallpark: boolean } | undefined {
  const usable = usableCandidates(leg, area).filter(isArithmetic)
  const from = baseEllipsoid(leg.from)
  const to = baseEllipsoid(leg.to)
  if (usable.length === 0 || from === undefined || to === undefined) return undefined
  const choices = usable.map(
    (operation): Choice => ({
      area: operation.area,
      accuracy: accuracyOf(operation),
      shift:
        operation.shift === undefined ? undefined : helmertShift(operation.shift, from, to, leg.isInverse),
    }),
  )
  const isBallpark = usable.every(({ kind }) => kind === 'ballpark')
  const [first] = choices
  if (choices.every(({ shift }) => shift === undefined)) return { shift: undefined, isBallpark }
  return { shift: choices.length === 1 ? first?.shift : choosing(choices), isBallpark }
}

function choosing(choices: Choice[]): Shift {
  const byAccuracy = choices.toSorted((a, b) => a.accuracy - b.accuracy)
  const [first] = choices
  return (place, height) => {
    const longitude = (wrapped(place.x) * 180) / Math.PI
    const latitude = (place.y * 180) / Math.PI
    for (const choice of byAccuracy) {
      if (choice.area === undefined || isInBounds(choice.area, longitude, latitude)) {
        choice.shift?.(place, height)
        return
      }
    }
    first?.shift?.(place, height)
  }
}

function baseEllipsoid(srs: string): Ellipsoid | undefined {
  const row = findRow(srs)
  const shape = row === undefined ? undefined : shapeOfRow(row)
  return shape === undefined ? undefined : ellipsoidOf(shape.semiMajor, shape.inverseFlattening)
}

function ownReprojector(
  source: Side,
  target: Side,
  legs: DatumLeg[],
  area: Bounds | undefined,
): Reprojector | undefined {
  const start = source.shape === undefined ? undefined : findProjector(source.shape)
  const end = target.shape === undefined ? undefined : findProjector(target.shape)
  const shifts = legs.map((leg) => legShift(leg, area))
  if (start === undefined || end === undefined || shifts.includes(undefined)) return undefined
  const acting = shifts.flatMap((leg) => (leg?.shift === undefined ? [] : [leg.shift]))
  const east = meridian(source.shape)
  const west = meridian(target.shape)
  const transformPlace = placeTransform(start, end, acting, east, west)
  const messages: ReprojectMessage[] = shifts.some((leg) => leg?.isBallpark)
    ? [
        {
          code: 'no-datum-shift',
          message: `No datum transformation from ${source.label} to ${target.label} is known; none is made`,
        },
      ]
    : []
  return {
    isIdentity: false,
    transformPlace,
    transform: (coordinates) => transformAll(coordinates, transformPlace),
    messages,
    close: async () => undefined,
  }
}

function meridian(shape: CrsShape | undefined): number {
  return ((shape?.primeMeridian ?? 0) * Math.PI) / 180
}

function placeTransform(
  start: Projector,
  end: Projector,
  shifts: Shift[],
  east: number,
  west: number,
): (place: Place, height: number) => void {
  const hasWork = shifts.length > 0 || east !== 0 || west !== 0
  if (!hasWork) {
    return (place) => {
      start.toRadians(place)
      end.fromRadians(place)
    }
  }
  return (place, height) => {
    start.toRadians(place)
    place.x += east
    for (const shift of shifts) shift(place, height)
    place.x -= west
    end.fromRadians(place)
  }
}

function transformAll(coordinates: Float64Array, transform: (place: Place, height: number) => void): void {
  const place: Place = { x: 0, y: 0 }
  for (let at = 0; at < coordinates.length; at += 3) {
    place.x = coordinates[at] as number
    place.y = coordinates[at + 1] as number
    transform(place, coordinates[at + 2] as number)
    coordinates[at] = place.x
    coordinates[at + 1] = place.y
  }
}
