import RealInteriorPoint from 'jsts/org/locationtech/jts/algorithm/InteriorPointArea.js'
import RealCoordinate from 'jsts/org/locationtech/jts/geom/Coordinate.js'
import RealFactory from 'jsts/org/locationtech/jts/geom/GeometryFactory.js'
import RealBuffer from 'jsts/org/locationtech/jts/operation/buffer/BufferOp.js'
import RealOverlay from 'jsts/org/locationtech/jts/operation/overlay/OverlayOp.js'
import RealPolygonizer from 'jsts/org/locationtech/jts/operation/polygonize/Polygonizer.js'
import RealUnion from 'jsts/org/locationtech/jts/operation/union/UnaryUnionOp.js'
import RealValid from 'jsts/org/locationtech/jts/operation/valid/IsValidOp.js'

// The part of JSTS that is used here; its own declarations leave most of these out.

/** A position of JTS. */
export interface Coordinate {
  x: number
  y: number
}

/** A geometry of JTS, of any type. */
export interface JtsGeometry {
  getGeometryType(): string
  isEmpty(): boolean
  getNumGeometries(): number
  getGeometryN(index: number): JtsGeometry
}

/** A closed line of JTS. */
export interface JtsRing extends JtsGeometry {
  getCoordinates(): Coordinate[]
}

/** A polygon of JTS: an outer ring, and rings of holes. */
export interface JtsPolygon extends JtsGeometry {
  getExteriorRing(): JtsRing
  getNumInteriorRing(): number
  getInteriorRingN(index: number): JtsRing
}

interface Factory {
  createLineString(coordinates: Coordinate[]): JtsGeometry
  createLinearRing(coordinates: Coordinate[]): JtsRing
  createPolygon(shell?: JtsRing, holes?: JtsRing[]): JtsPolygon
  createMultiPolygon(polygons: JtsPolygon[]): JtsGeometry
}

interface ValidityError {
  getMessage(): string
  getCoordinate(): Coordinate | null
}

interface Library {
  Coordinate: new (x: number, y: number) => Coordinate
  GeometryFactory: new () => Factory
  IsValidOp: new (geometry: JtsGeometry) => { isValid(): boolean; getValidationError(): ValidityError | null }
  Polygonizer: new () => { add(lines: JtsGeometry): void; getPolygons(): { toArray(): JtsPolygon[] } }
  UnaryUnionOp: { union(geometry: JtsGeometry): JtsGeometry }
  OverlayOp: { difference(a: JtsGeometry, b: JtsGeometry): JtsGeometry }
  BufferOp: { bufferOp(geometry: JtsGeometry, distance: number): JtsGeometry }
  InteriorPointArea: { getInteriorPoint(geometry: JtsGeometry): Coordinate }
}

const library: unknown = {
  Coordinate: RealCoordinate,
  GeometryFactory: RealFactory,
  IsValidOp: RealValid,
  Polygonizer: RealPolygonizer,
  UnaryUnionOp: RealUnion,
  OverlayOp: RealOverlay,
  BufferOp: RealBuffer,
  InteriorPointArea: RealInteriorPoint,
}

/** JTS, the library of planar geometry, by way of JSTS. Takes a tenth of a second to load: import it when needed. */
export const jts = library as Library
/** Makes geometries of JTS. */
export const jtsFactory = new jts.GeometryFactory()
