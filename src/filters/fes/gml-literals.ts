import type { XmlElement } from '../../core/text/xml-tree.ts'
import { ownValue } from '../../core/values/record-keys.ts'
import { geometryFromJson } from '../../formats/geojson/index.ts'
import { GeometryError } from '../../geo/wkb.ts'
import { invalidFilter, unsupportedFilter } from '../filter-size.ts'
import { wkbOf } from '../geometry-operand.ts'

/** A geometry that a filter has, with x or easting first. */
export interface GmlLiteral {
  wkb: Uint8Array
  srs: string
}

type Position = number[]

/** True if the element is a geometry of GML 3.2, 3.1 or 2. */
export function isGml({ name }: XmlElement): boolean {
  return Object.hasOwn(readers, name)
}

/** CRS of a geometry, and whether its coordinates are y or northing first. */
interface GmlCrs {
  srs: string
  isYx: boolean
}

/** Reads a geometry; `crsOf` returns the CRS of its `srsName`, undefined if it has none. */
export function readGml(element: XmlElement, crsOf: (srsName: string | undefined) => GmlCrs): GmlLiteral {
  const named = element.attributes['srsName']
  const crs = crsOf(named)
  const at = (position: Position): Position => {
    const [a = Number.NaN, b = Number.NaN] = position
    return crs.isYx ? [b, a] : [a, b]
  }
  const read = ownValue(readers, element.name)
  if (read === undefined) throw unsupportedFilter(`Geometries of a filter are none of "${element.name}"`)
  requirePlain(element, named)
  const dimension = Number(element.attributes['srsDimension'] ?? 2)
  try {
    return { wkb: wkbOf(geometryFromJson(JSON.stringify(read(element, { at, dimension })))), srs: crs.srs }
  } catch (error) {
    if (!(error instanceof GeometryError)) throw error
    throw invalidFilter(`A geometry of the filter cannot be read: ${error.message}`)
  }
}

interface Axes {
  at(position: Position): Position
  dimension: number
}

interface Geometry {
  type: string
  coordinates: unknown
}

const readers: Record<string, (element: XmlElement, axes: Axes) => Geometry> = {
  Point: (one, axes) => ({ type: 'Point', coordinates: positions(one, axes)[0] ?? [] }),
  LineString: (one, axes) => ({ type: 'LineString', coordinates: positions(one, axes) }),
  Curve: (one, axes) => ({ type: 'LineString', coordinates: positions(one, axes) }),
  Polygon: (one, axes) => ({ type: 'Polygon', coordinates: rings(one, axes) }),
  Surface: (one, axes) => ({ type: 'Polygon', coordinates: rings(onlyPatch(one), axes) }),
  MultiPoint: (one, axes) => many('MultiPoint', one, axes, ['Point']),
  MultiLineString: (one, axes) => many('MultiLineString', one, axes, ['LineString']),
  MultiCurve: (one, axes) => many('MultiLineString', one, axes, ['LineString', 'Curve']),
  MultiPolygon: (one, axes) => many('MultiPolygon', one, axes, ['Polygon']),
  MultiSurface: (one, axes) => many('MultiPolygon', one, axes, ['Polygon', 'Surface']),
  Envelope: boxOf,
  Box: boxOf,
}

function descendants(element: XmlElement, names: readonly string[]): XmlElement[] {
  return element.children.flatMap((one) => (names.includes(one.name) ? [one] : descendants(one, names)))
}

function many(type: string, element: XmlElement, axes: Axes, names: readonly string[]): Geometry {
  const parts = descendants(element, names).map((one) => ownValue(readers, one.name)?.(one, axes).coordinates)
  return { type, coordinates: parts }
}

function rings(element: XmlElement, axes: Axes): Position[][] {
  return descendants(element, ['LinearRing', 'Ring']).map((ring) => positions(ring, axes))
}

/** Rings of a second patch are no holes of the first. */
function onlyPatch(surface: XmlElement): XmlElement {
  const [patch, ...others] = descendants(surface, ['PolygonPatch', 'Rectangle', 'Triangle'])
  if (patch !== undefined && others.length === 0) return patch
  throw unsupportedFilter('A Surface of a filter has one patch: send a MultiSurface')
}

/**
 * Throws for content that would be misread: curves as straight lines, and parts in another CRS than their
 * parent.
 */
function requirePlain(element: XmlElement, srsName: string | undefined): void {
  for (const part of element.children) {
    if (
      /^(?:Arc|Circle|BSpline|Bezier|CubicSpline|Clothoid|Geodesic|OffsetCurve|OrientableCurve)/.test(
        part.name,
      )
    )
      throw unsupportedFilter(
        `Geometries of a filter have straight lines, and no "${part.name.slice(0, 60)}"`,
      )
    const own = part.attributes['srsName']
    if (own !== undefined && own !== srsName)
      throw unsupportedFilter('The parts of a geometry of a filter have the srsName of the whole')
    requirePlain(part, srsName)
  }
}

function numbersOf(text: string): number[] {
  return text
    .trim()
    .split(/[\s,]+/)
    .map((one) => (one === '' ? Number.NaN : Number(one)))
}

/** Other signs than those that GML 2 takes where none are named (OGC 02-069, section 4.3.2) would give other numbers. */
function requireUsualSigns({ attributes }: XmlElement): void {
  const { decimal = '.', cs = ',', ts = ' ' } = attributes
  if (decimal !== '.' || cs !== ',' || ts.trim() !== '')
    throw unsupportedFilter(
      'Coordinates of a filter have a point, a comma between numbers and blanks between tuples',
    )
}

/** Reads a GML 2 position with coordinates in separate elements. */
function coordOf({ children }: XmlElement): number[] {
  const one = (name: string): number => {
    const text = children.find((part) => part.name === name)?.text.trim() ?? ''
    return text === '' ? Number.NaN : Number(text)
  }
  return [one('X'), one('Y')]
}

/** Positions of `pos`, `posList`, and of `coordinates` and `coord`, as GML 2 has them. */
function positions(element: XmlElement, { at, dimension }: Axes): Position[] {
  const found: Position[] = []
  const names = ['pos', 'posList', 'coordinates', 'coord', 'lowerCorner', 'upperCorner']
  for (const one of descendants(element, names)) {
    if (one.name === 'coord') {
      found.push(at(coordOf(one)))
      continue
    }
    if (one.name === 'coordinates') requireUsualSigns(one)
    const numbers = numbersOf(one.text)
    if (one.name === 'pos' || one.name.endsWith('Corner')) found.push(at(numbers))
    else {
      const size =
        one.name === 'posList' ? Number(one.attributes['srsDimension'] ?? dimension) : tupleSize(one.text)
      if (size !== 2 && size !== 3) throw invalidFilter('Positions of a filter have two or three numbers')
      for (let place = 0; place < numbers.length; place += size)
        found.push(at(numbers.slice(place, place + 2)))
    }
  }
  if (found.flat().every((one) => Number.isFinite(one) && Math.abs(one) < 1e12)) return found
  throw invalidFilter('A geometry of the filter has a position that is none')
}

function tupleSize(text: string): number {
  return text.trim().split(/\s+/, 1).join().split(',').length
}

/** Reads the lower and the upper corner of an `Envelope` or `Box`, in the order that the document has. */
export function readGmlCorners(
  element: XmlElement,
  axes: Axes = { at: (position) => position, dimension: 2 },
): [number, number, number, number] {
  const [lower, upper] = positions(element, axes)
  const [west, south, east, north] = [lower?.[0], lower?.[1], upper?.[0], upper?.[1]]
  if (west === undefined || south === undefined || east === undefined || north === undefined)
    throw invalidFilter('A box of the filter has no two corners')
  return [west, south, east, north]
}

function boxOf(element: XmlElement, axes: Axes): Geometry {
  const [west, south, east, north] = readGmlCorners(element, axes)
  if (west > east || south > north)
    throw invalidFilter('A box of the filter has its lower corner beyond its upper one')
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ]
  return { type: 'Polygon', coordinates: [ring] }
}
