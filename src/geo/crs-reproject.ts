import type { CrsDeclaration, CrsShape } from './crs.ts'
import { CrsError } from './crs.ts'
import { declarationShape } from './crs-declaration.ts'
import type { EmbeddedShift } from './crs-embedded-shift.ts'
import { findEmbeddedShift } from './crs-embedded-shift.ts'
import { matchCrs, rowsOfShape, shapeOfRow } from './crs-match.ts'
import type { OperationBounds, Route } from './crs-operations.ts'
import {
  betterGrids,
  expectedArea,
  flatBase,
  isArithmeticRoute,
  isBallpark,
  isGridInstalled,
  isInBounds,
  listRoutes,
  routesWithin,
} from './crs-operations.ts'
import { openProgramReprojector } from './crs-program.ts'
import { programText } from './crs-program-text.ts'
import type { ProjectedPoint, Projector, ReprojectMessage, Reprojector } from './crs-projector.ts'
import { findProjector, wrapped } from './crs-projector.ts'
import { isSameCrs } from './crs-same.ts'
import type { Ellipsoid, Shift } from './crs-shift.ts'
import { ellipsoidOf, helmertShift } from './crs-shift.ts'
import { parseSrs } from './crs-srs.ts'
import { findRow } from './crs-table.ts'
import { labelOfCrs } from './crs-uncoded.ts'

export type { Reprojector } from './crs-projector.ts'

/** Abort signal and restrictions of the search for a transformation. */
export interface ReprojectOptions {
  signal?: AbortSignal
  /** False disables GDAL's and PROJ's programs; default true. */
  canUsePrograms?: boolean
  /** True leaves a CRS without a code to PROJ where GDAL's programs are installed; default false. */
  prefersPrograms?: boolean
}

interface Side {
  /** Authority code, if known. */
  srs: string | undefined
  /** Text for PROJ's programs; undefined if a definition is not safe to pass to them. */
  text: string | undefined
  shape: CrsShape | undefined
  /** The geographic base CRS. */
  base: string | undefined
  /**
   * Shift between the datum of the shape and WGS 84, which is its base then, if the definition contains one.
   */
  embedded?: EmbeddedShift
  label: string
}

function resolve(crs: CrsDeclaration | string): Side {
  const declaration = typeof crs === 'string' ? { srs: crs } : crs
  const srs = matchCrs(declaration)
  if (srs !== undefined) {
    const row = findRow(srs)
    const shape = row === undefined ? undefined : shapeOfRow(row)
    const base = row === undefined || row.base === '' ? undefined : flatBase(row.base)
    return { srs, text: srs, shape, base, label: srs }
  }
  if (declaration.srs !== undefined && declaration.wkt === undefined && declaration.proj4 === undefined) {
    throw new CrsError('unknown-crs', `Unknown CRS "${parseSrs(declaration.srs) ?? declaration.srs}"`)
  }
  const { wkt, projjson, proj4 } = declaration
  if ((wkt ?? projjson ?? proj4) === undefined) throw new CrsError('unknown-crs', 'The CRS has no definition')
  const side = { srs: undefined, text: programText(declaration), label: labelOfCrs(declaration) }
  const shape = declarationShape(declaration)
  const embedded = shape === undefined ? undefined : findEmbeddedShift(declaration, shape)
  if (shape === undefined || embedded === 'unreadable') return { ...side, shape, base: undefined }
  return embedded === undefined
    ? { ...side, shape, base: baseOf(shape) }
    : { ...side, shape, base: 'EPSG:4326', embedded }
}

/** Returns the geographic CRS of a projected shape without a code. */
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

/**
 * Prepares the transformation between two CRSs. Throws `CrsError` if a CRS is unknown or no transformation
 * exists.
 */
export async function createReprojector(
  from: CrsDeclaration | string,
  to: CrsDeclaration | string,
  options: ReprojectOptions = {},
): Promise<Reprojector> {
  const source = resolve(from)
  const target = resolve(to)
  if (isSameCrs(from, to)) return identity
  if (options.prefersPrograms === true && (source.srs === undefined || target.srs === undefined)) {
    const program = await programBetween(source, target, options)
    if (program !== undefined) return program
  }
  const area = expectedArea(source.srs, target.srs)
  const routes = routesBetween(source, target)
  const near = routes === undefined ? [] : routesWithin(routes, area)
  const own = routes === undefined ? undefined : ownReprojector(source, target, routes, near)
  const grids = betterGrids(near)
  const hasGrids = grids.some((names) => names.every(isGridInstalled))
  if (own !== undefined && !hasGrids) return { ...own, messages: [...own.messages, ...gridMessages(grids)] }
  const program = await programBetween(source, target, options)
  if (program !== undefined) return program
  if (own !== undefined) return { ...own, messages: [...own.messages, ...gridMessages(grids)] }
  throw new CrsError(
    'no-transformation',
    `The transformation from ${source.label} to ${target.label} needs GDAL (Debian package gdal-bin)`,
  )
}

async function programBetween(
  { text: from }: Side,
  { text: to }: Side,
  { canUsePrograms, signal }: ReprojectOptions,
): Promise<Reprojector | undefined> {
  if (canUsePrograms === false || from === undefined || to === undefined) return undefined
  return openProgramReprojector(from, to, signal)
}

/** Lists the routes between two datums; undefined if one is unknown, empty if both are the same. */
function routesBetween(source: Side, target: Side): Route[] | undefined {
  if (source.base === undefined || target.base === undefined) return undefined
  const routes = listRoutes(source.base, target.base)
  const isPoor = routes.length > 0 && routes.every((route) => isBallpark(route) || !isArithmeticRoute(route))
  return isPoor ? listRoutes(source.base, target.base, true) : routes
}

const identity: Reprojector = {
  isIdentity: true,
  transformPlace: () => undefined,
  transform: () => undefined,
  messages: [],
  close: async () => undefined,
}

function gridMessages(grids: string[][]): ReprojectMessage[] {
  const names = [...new Set(grids.flat())].filter((name) => !isGridInstalled(name))
  const needed = names.length > 0 ? names : [...new Set(grids.flat())]
  if (needed.length === 0) return []
  const shown = needed.slice(0, 3).join(', ') + (needed.length > 3 ? ` and ${needed.length - 3} more` : '')
  const lack = names.length > 0 ? 'which is not installed' : 'and GDAL to use it'
  return [
    {
      code: 'grid-missing',
      message: `A more accurate transformation needs the grid ${shown}, ${lack}; the next best is used`,
    },
  ]
}

/** A route with its prepared calculation. */
interface Choice {
  isOffshore: boolean
  areas: OperationBounds[]
  accuracy: number
  shifts: Shift[]
}

function toChoice({ steps, accuracy }: Route): Choice {
  const shifts = steps.flatMap(({ operation, isInverse, from, to }) => {
    const start = baseEllipsoid(from)
    const end = baseEllipsoid(to)
    const { shift } = operation
    return shift === undefined || !start || !end ? [] : [helmertShift(shift, start, end, isInverse)]
  })
  return {
    areas: steps.flatMap(({ operation }) => (operation.area === undefined ? [] : [operation.area])),
    accuracy,
    shifts,
    isOffshore: steps.some(({ operation }) => operation.isOffshore === true),
  }
}

function compareChoices(a: Choice, b: Choice): number {
  if (a.isOffshore !== b.isOffshore) return a.isOffshore ? 1 : -1
  return a.accuracy < b.accuracy ? -1 : a.accuracy > b.accuracy ? 1 : 0
}

/**
 * Returns a shift that uses for each point the most accurate route whose areas contain it, otherwise PROJ's
 * first. Undefined if no route changes anything.
 */
function routeShift(routes: Route[]): Shift | undefined {
  const choices = routes.map(toChoice)
  if (choices.every(({ shifts }) => shifts.length === 0)) return undefined
  const [first] = choices
  const go = (choice: Choice | undefined, place: ProjectedPoint, height: number): void => {
    for (const shift of choice?.shifts ?? []) shift(place, height)
  }
  if (choices.length === 1) return (place, height) => go(first, place, height)
  const byAccuracy = choices.toSorted(compareChoices)
  return (place, height) => {
    const longitude = (wrapped(place.x) * 180) / Math.PI
    const latitude = (place.y * 180) / Math.PI
    for (const choice of byAccuracy) {
      if (choice.areas.every((area) => isInBounds(area, longitude, latitude))) {
        go(choice, place, height)
        return
      }
    }
    go(first, place, height)
  }
}

function baseEllipsoid(srs: string): Ellipsoid | undefined {
  const row = findRow(srs)
  const shape = row === undefined ? undefined : shapeOfRow(row)
  return shape === undefined ? undefined : ellipsoidOf(shape.semiMajor, shape.inverseFlattening)
}

function ownReprojector(source: Side, target: Side, routes: Route[], near: Route[]): Reprojector | undefined {
  const start = source.shape === undefined ? undefined : findProjector(source.shape)
  const end = target.shape === undefined ? undefined : findProjector(target.shape)
  if (start === undefined || end === undefined) return undefined
  const usable = routes.filter(isArithmeticRoute)
  const isUnknown = routes.length > 0 && near.filter(isArithmeticRoute).every(isBallpark)
  const between = routeShift(usable.length === 1 ? usable : usable.filter((route) => near.includes(route)))
  const shift = composeShifts([source.embedded?.toWgs84, between, target.embedded?.fromWgs84])
  const transformPlace = placeTransform(start, end, shift, meridian(source.shape), meridian(target.shape))
  const messages: ReprojectMessage[] = isUnknown
    ? [
        {
          code: 'no-datum-shift',
          message: `No datum transformation from ${source.label} to ${target.label} is known; coordinates are not shifted`,
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

function composeShifts(steps: (Shift | undefined)[]): Shift | undefined {
  const shifts = steps.filter((step) => step !== undefined)
  if (shifts.length < 2) return shifts[0]
  return (place, height) => {
    for (const shift of shifts) shift(place, height)
  }
}

function meridian(shape: CrsShape | undefined): number {
  return ((shape?.primeMeridian ?? 0) * Math.PI) / 180
}

function placeTransform(
  start: Projector,
  end: Projector,
  shift: Shift | undefined,
  east: number,
  west: number,
): (place: ProjectedPoint, height: number) => void {
  if (shift === undefined && east === 0 && west === 0) {
    return (place) => {
      start.toRadians(place)
      end.fromRadians(place)
    }
  }
  return (place, height) => {
    start.toRadians(place)
    place.x += east
    shift?.(place, height)
    place.x -= west
    end.fromRadians(place)
  }
}

function transformAll(
  coordinates: Float64Array,
  transform: (place: ProjectedPoint, height: number) => void,
): void {
  const place: ProjectedPoint = { x: 0, y: 0 }
  for (let at = 0; at < coordinates.length; at += 3) {
    place.x = coordinates[at] as number
    place.y = coordinates[at + 1] as number
    transform(place, coordinates[at + 2] as number)
    coordinates[at] = place.x
    coordinates[at + 1] = place.y
  }
}
