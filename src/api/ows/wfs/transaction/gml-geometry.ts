import { invalid } from '../../../../core/errors/errors.ts'
import type { XmlElement } from '../../../../core/text/xml-tree.ts'
import { ownValue } from '../../../../core/values/record-keys.ts'

/** A GeoJSON geometry whose positions have the axis order of the document. */
export type WrittenGeometry =
  | { type: string; coordinates: unknown }
  | { type: 'GeometryCollection'; geometries: WrittenGeometry[] }

type Position = number[]
type Reader = (element: XmlElement, dimension: number) => WrittenGeometry

/**
 * Reads a geometry of GML 3.2, 3.1 or 2 with straight lines (OGC 10-100r3, level 0; 02-069). Throws `Failure`
 * (`invalid-geometry`).
 */
export function readGmlGeometry(element: XmlElement): WrittenGeometry {
  return readPart(element, 2)
}

/** Returns the `srsName` of a geometry or of one of its parts, which must agree. */
export function srsNameOf(element: XmlElement): string | undefined {
  const names = new Set(srsNames(element))
  if (names.size > 1) throw refused('The parts of a geometry have several values of srsName')
  return [...names][0]
}

function* srsNames({ attributes, children }: XmlElement): Generator<string> {
  const own = attributes['srsName']
  if (own !== undefined) yield own
  for (const child of children) yield* srsNames(child)
}

/** True if the element is a geometry. */
export function isGmlGeometry({ name }: XmlElement): boolean {
  return Object.hasOwn(readers, name)
}

const readers: Record<string, Reader> = {
  Point: (one, dimension) => ({ type: 'Point', coordinates: pointOf(one, dimension) }),
  LineString: (one, dimension) => ({ type: 'LineString', coordinates: line(one, dimension) }),
  LinearRing: (one, dimension) => ({ type: 'LineString', coordinates: line(one, dimension) }),
  Curve: (one, dimension) => ({ type: 'LineString', coordinates: line(one, dimension) }),
  CompositeCurve: (one, dimension) => ({ type: 'LineString', coordinates: line(one, dimension) }),
  Polygon: (one, dimension) => ({ type: 'Polygon', coordinates: rings(one, dimension) }),
  Surface: surface,
  PolyhedralSurface: surface,
  MultiPoint: (one, dimension) => multiple('MultiPoint', one, dimension),
  MultiLineString: (one, dimension) => multiple('MultiLineString', one, dimension),
  MultiCurve: (one, dimension) => multiple('MultiLineString', one, dimension),
  MultiPolygon: (one, dimension) => multiple('MultiPolygon', one, dimension),
  MultiSurface: (one, dimension) => multiple('MultiPolygon', one, dimension),
  CompositeSurface: (one, dimension) => multiple('MultiPolygon', one, dimension),
  MultiGeometry: (one, dimension) => ({
    type: 'GeometryCollection',
    geometries: members(one).map((part) => readPart(part, sizeOf(one, dimension))),
  }),
}

function readPart(element: XmlElement, dimension: number): WrittenGeometry {
  const read = ownValue(readers, element.name)
  if (read === undefined)
    throw refused(`"${element.name.slice(0, 60)}" is none of ${Object.keys(readers).join(', ')}`)
  return read(element, sizeOf(element, dimension))
}

function refused(text: string): Error {
  return invalid('invalid-geometry', text)
}

/** Numbers of a position in lists, which a part inherits. */
function sizeOf({ attributes }: XmlElement, inherited: number): number {
  const named = attributes['srsDimension'] ?? attributes['dimension']
  if (named === undefined) return inherited
  const size = Number(named)
  if (size === 2 || size === 3) return size
  throw refused(`srsDimension "${named.slice(0, 20)}" is neither 2 nor 3`)
}

/** Elements that hold geometries of a multiple geometry. */
const memberElements = /^(?:point|curve|lineString|surface|polygon|geometry)Members?$/

function members(element: XmlElement): XmlElement[] {
  const others = element.children.find(({ name }) => !memberElements.test(name))
  if (others !== undefined) throw refused(`"${others.name.slice(0, 60)}" is not expected in ${element.name}`)
  return element.children.flatMap(({ children }) => children)
}

function multiple(type: string, element: XmlElement, dimension: number): WrittenGeometry {
  const single = type.slice('Multi'.length)
  const coordinates: unknown[] = []
  for (const part of members(element)) {
    const read = readPart(part, sizeOf(element, dimension))
    if (!('coordinates' in read) || (read.type !== single && read.type !== type))
      throw refused(`"${part.name.slice(0, 60)}" is not expected in ${element.name}`)
    if (read.type === type && Array.isArray(read.coordinates)) coordinates.push(...read.coordinates)
    else coordinates.push(read.coordinates)
  }
  return { type, coordinates }
}

/** A surface of one patch is a polygon. */
function surface(element: XmlElement, dimension: number): WrittenGeometry {
  const patches = element.children.flatMap(({ name, children }) =>
    /^(?:patches|polygonPatches|trianglePatches)$/.test(name) ? children : [],
  )
  const polygons = patches.map((patch) => {
    if (!/^(?:PolygonPatch|Rectangle|Triangle)$/.test(patch.name))
      throw refused(`A surface has polygons, and no "${patch.name.slice(0, 60)}"`)
    return rings(patch, sizeOf(patch, dimension))
  })
  const [only, ...others] = polygons
  if (only === undefined) throw refused('A surface has no patch')
  return others.length === 0
    ? { type: 'Polygon', coordinates: only }
    : { type: 'MultiPolygon', coordinates: polygons }
}

const outer = /^(?:exterior|outerBoundaryIs)$/
const boundary = /^(?:exterior|outerBoundaryIs|interior|innerBoundaryIs)$/

function rings({ name, children }: XmlElement, dimension: number): Position[][] {
  const strange = children.find((one) => !boundary.test(one.name))
  if (strange !== undefined) throw refused(`"${strange.name.slice(0, 60)}" is not expected in ${name}`)
  const [first] = children
  if (first !== undefined && !outer.test(first.name)) throw refused('A polygon begins with its exterior')
  if (children.filter((one) => outer.test(one.name)).length > 1) throw refused('A polygon has one exterior')
  return children.flatMap((one) => one.children.map((ring) => line(ring, sizeOf(ring, dimension))))
}

/** Curves of other curves, by the elements between. */
const composed: Record<string, RegExp> = {
  Curve: /^segments$/,
  CompositeCurve: /^curveMembers?$/,
  Ring: /^curveMembers?$/,
}

/** Positions of a line, of a ring, or of curves that follow one another. */
function line(element: XmlElement, dimension: number): Position[] {
  const between = ownValue(composed, element.name)
  if (between === undefined) {
    if (!/^(?:LineString|LineStringSegment|LinearRing)$/.test(element.name))
      throw refused(`A geometry has straight lines, and no "${element.name.slice(0, 60)}"`)
    return positions(element, sizeOf(element, dimension))
  }
  const parts = element.children.flatMap((one) => (between.test(one.name) ? one.children : [one]))
  const whole: Position[] = []
  for (const part of parts) {
    const next = line(part, sizeOf(part, dimension))
    whole.push(...(isSame(whole.at(-1), next[0]) ? next.slice(1) : next))
  }
  return whole
}

function isSame(one: Position | undefined, other: Position | undefined): boolean {
  return one !== undefined && other !== undefined && one.join() === other.join()
}

function pointOf(element: XmlElement, dimension: number): Position {
  const [only, ...others] = positions(element, dimension)
  if (only !== undefined && others.length === 0) return only
  throw refused('A Point has one position')
}

function positions(element: XmlElement, dimension: number): Position[] {
  const found: Position[] = []
  for (const one of element.children) {
    if (one.name === 'pos') found.push(numbersOf(one.text))
    else if (one.name === 'posList') found.push(...listed(one, sizeOf(one, dimension)))
    else if (one.name === 'coordinates') found.push(...tuples(one))
    else if (one.name === 'coord') found.push(one.children.map(({ text }) => numberOf(text.trim())))
    else if (/^point(?:Property|Rep)$/.test(one.name))
      found.push(...one.children.map((point) => pointOf(point, dimension)))
    else throw refused(`"${one.name.slice(0, 60)}" is not expected in ${element.name}`)
  }
  const wrong = found.find(({ length }) => length !== 2 && length !== 3)
  if (wrong !== undefined) throw refused(`A position of ${element.name} has two or three numbers`)
  return found
}

function listed(list: XmlElement, size: number): Position[] {
  const numbers = numbersOf(list.text)
  if (numbers.length % size !== 0)
    throw refused(`A posList has ${numbers.length} numbers, which are no positions of ${size} numbers`)
  return Array.from({ length: numbers.length / size }, (_, at) => numbers.slice(at * size, (at + 1) * size))
}

/** Positions of GML 2, whose separators may be named. */
function tuples({ attributes, text }: XmlElement): Position[] {
  const { decimal = '.', cs = ',', ts = ' ' } = attributes
  const parts = ts.trim() === '' ? text.trim().split(/\s+/) : text.trim().split(ts)
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => part.split(cs).map((one) => numberOf(one.trim().replace(decimal, '.'))))
}

function numbersOf(text: string): number[] {
  const plain = text.trim()
  return plain === '' ? [] : plain.split(/\s+/).map(numberOf)
}

function numberOf(text: string): number {
  const number = text === '' ? Number.NaN : Number(text)
  if (Number.isFinite(number)) return number
  throw refused(`"${text.slice(0, 60)}" is not a coordinate`)
}
