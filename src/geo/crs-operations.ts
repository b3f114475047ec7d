import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { programEnvironment } from '../core/process/process.ts'
import type { CrsOperation } from './crs-table.ts'
import {
  allRows,
  findArea,
  findOperations,
  findRow,
  gridFileNames,
  operationNeighbours,
} from './crs-table.ts'

/** An operation between two geographic CRSs, and the direction in which it is applied. */
interface RouteStep {
  operation: CrsOperation
  isInverse: boolean
  from: string
  to: string
}

/** A transformation between two datums: one operation, or two through a third datum. */
export interface Route {
  steps: RouteStep[]
  /** Sum of the accuracies in metres; infinite if one is unknown. */
  accuracy: number
}

/** West, south, east, north in degrees; west above east across the antimeridian. */
export type OperationBounds = readonly [number, number, number, number]

const hub = 'EPSG:4326'

function stepsBetween(from: string, to: string): RouteStep[] {
  const forward = findOperations(from, to)
  const isInverse = forward === undefined
  return (forward ?? findOperations(to, from) ?? []).map((operation) => ({ operation, isInverse, from, to }))
}

function toRoute(steps: RouteStep[]): Route {
  const accuracy = steps.reduce(
    (sum, { operation }) => sum + (operation.accuracy ?? Number.POSITIVE_INFINITY),
    0,
  )
  return { steps, accuracy }
}

/** True if a route ignores a datum shift because none is known. */
export function isBallpark({ steps }: Route): boolean {
  return steps.some(({ operation }) => operation.kind === 'ballpark')
}

/** True if a route needs neither grids nor unsupported methods. */
export function isArithmeticRoute({ steps }: Route): boolean {
  return steps.every(
    ({ operation: { kind } }) => kind === 'null' || kind === 'helmert' || kind === 'ballpark',
  )
}

/**
 * Lists PROJ's routes between two geographic CRSs in its order, ballpark last: direct ones, otherwise those
 * through one other datum. `via` includes the latter even if there are direct ones. Empty if both have the
 * same datum.
 */
export function listRoutes(from: string, to: string, via = false): Route[] {
  if (from === to || hasSameDatum(from, to)) return []
  const direct = stepsBetween(from, to).map((step) => toRoute([step]))
  const isKnown = direct.some((route) => !isBallpark(route))
  const routes = isKnown && !via ? direct : [...direct, ...routesVia(from, to)]
  const known = routes.filter((route) => !isBallpark(route))
  const ballpark: RouteStep = {
    operation: { name: 'Ballpark', kind: 'ballpark' },
    isInverse: false,
    from,
    to,
  }
  return [...known, routes.find(isBallpark) ?? toRoute([ballpark])]
}

function hasSameDatum(from: string, to: string): boolean {
  const a = findRow(from)
  const b = findRow(to)
  return a !== undefined && b !== undefined && a.datum === b.datum
}

function routesVia(from: string, to: string): Route[] {
  const after = operationNeighbours(to)
  const middles = [...operationNeighbours(from)].filter((middle) => after.has(middle))
  const ordered = middles.sort((a, b) => Number(b === hub) - Number(a === hub))
  const routes = ordered.flatMap((middle) => {
    const second = stepsBetween(middle, to)
    return stepsBetween(from, middle).flatMap((first) => second.map((next) => toRoute([first, next])))
  })
  return routes.filter((route) => !isBallpark(route)).sort((a, b) => a.accuracy - b.accuracy)
}

/**
 * True if a point in degrees is within bounds; those whose west is greater than their east cross the
 * antimeridian.
 */
export function isInBounds(
  [west, south, east, north]: OperationBounds,
  longitude: number,
  latitude: number,
): boolean {
  if (latitude < south || latitude > north) return false
  return west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east
}

function overlap(a: OperationBounds, b: OperationBounds): boolean {
  if (a[1] > b[3] || b[1] > a[3]) return false
  return spans(a).some(([west, east]) => spans(b).some(([west2, east2]) => west <= east2 && west2 <= east))
}

function spans([west, , east]: OperationBounds): [number, number][] {
  if (west <= east) return [[west, east]]
  return [
    [west, 180],
    [-180, east],
  ]
}

function degrees2([west, south, east, north]: OperationBounds): number {
  return (east < west ? east + 360 - west : east - west) * (north - south)
}

/** Returns the two-dimensional geographic CRS with the same datum: operations are listed between those. */
export function flatBase(base: string): string {
  const row = findRow(base)
  if (row?.type !== 'geographic 3D') return base
  const flat = allRows().filter(({ type, datum }) => type === 'geographic 2D' && datum === row.datum)
  return (flat.find(({ isDeprecated }) => !isDeprecated) ?? flat[0])?.srs ?? base
}

/** Returns the area where coordinates between two CRSs are expected: the smaller area of use. */
export function expectedArea(from: string | undefined, to: string | undefined): OperationBounds | undefined {
  const [first, second] = [areaOf(from), areaOf(to)]
  if (first === undefined || second === undefined) return first ?? second
  if (!overlap(first, second)) return first
  return degrees2(second) < degrees2(first) ? second : first
}

function areaOf(srs: string | undefined): OperationBounds | undefined {
  const row = srs === undefined ? undefined : findRow(srs)
  return row === undefined ? undefined : findArea(row.area)?.bounds
}

/** Returns the routes whose operations apply in an area. */
export function routesWithin(routes: Route[], area: OperationBounds | undefined): Route[] {
  if (area === undefined) return routes
  return routes.filter(({ steps }) =>
    steps.every(({ operation }) => operation.area === undefined || overlap(operation.area, area)),
  )
}

/** Returns a list of grids for each route that is more accurate than every route without grids. */
export function betterGrids(routes: Route[]): string[][] {
  const best = Math.min(...routes.filter(isArithmeticRoute).map(({ accuracy }) => accuracy))
  return routes
    .filter((route) => route.accuracy < best && !isBallpark(route))
    .map(({ steps }) => steps.flatMap(({ operation }) => operation.grids ?? []))
    .filter((grids) => grids.length > 0)
}

/**
 * Returns the folders where PROJ searches for grids (https://proj.org/resource_files.html), including the
 * usual package folders.
 */
function gridFolders(): string[] {
  const { PROJ_DATA, PROJ_LIB } = programEnvironment()
  const listed = [PROJ_DATA, PROJ_LIB].flatMap((path) => path?.split(':') ?? [])
  const own = join(homedir(), '.local', 'share', 'proj')
  return [...listed, own, '/usr/share/proj', '/usr/local/share/proj'].filter((folder) => folder !== '')
}

/** True if PROJ finds the grid on this machine, under one of its names. */
export function isGridInstalled(grid: string): boolean {
  const names = gridFileNames(grid)
  return gridFolders().some((folder) => names.some((name) => existsSync(join(folder, name))))
}
