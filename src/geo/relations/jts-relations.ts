import RealCoordinate from 'jsts/org/locationtech/jts/geom/Coordinate.js'
import RealFactory from 'jsts/org/locationtech/jts/geom/GeometryFactory.js'
import RealDistance from 'jsts/org/locationtech/jts/operation/distance/DistanceOp.js'
import RealOverlay from 'jsts/org/locationtech/jts/operation/overlay/OverlayOp.js'
import RealRelate from 'jsts/org/locationtech/jts/operation/relate/RelateOp.js'

// The part of JSTS that is used here; its own declarations leave most of these out.

/** A geometry of JTS, of any type. */
export interface JtsGeometry {
  isEmpty(): boolean
  getGeometryType(): string
  getNumGeometries(): number
  getGeometryN(index: number): JtsGeometry
  getDimension(): number
  getEnvelopeInternal(): { getMinX(): number; getMaxX(): number; getMinY(): number; getMaxY(): number }
}

/** A position of JTS. */
export interface Coordinate {
  x: number
  y: number
}

interface Factory {
  createPoint(coordinate?: Coordinate): JtsGeometry
  createLineString(coordinates: Coordinate[]): JtsGeometry
  createLinearRing(coordinates: Coordinate[]): JtsGeometry
  createPolygon(shell?: JtsGeometry, holes?: JtsGeometry[]): JtsGeometry
  createMultiPoint(points: JtsGeometry[]): JtsGeometry
  createMultiLineString(lines: JtsGeometry[]): JtsGeometry
  createMultiPolygon(polygons: JtsGeometry[]): JtsGeometry
  createGeometryCollection(parts: JtsGeometry[]): JtsGeometry
}

type Overlay = (a: JtsGeometry, b: JtsGeometry) => JtsGeometry
type Relate = (a: JtsGeometry, b: JtsGeometry) => boolean

interface Library {
  Coordinate: new (x: number, y: number) => Coordinate
  GeometryFactory: new () => Factory
  DistanceOp: { isWithinDistance(a: JtsGeometry, b: JtsGeometry, distance: number): boolean }
  OverlayOp: { intersection: Overlay; union: Overlay }
  RelateOp: {
    intersects: Relate
    equalsTopo: Relate
    overlaps: Relate
    touches: Relate
    crosses: Relate
    contains: Relate
  }
}

const library: unknown = {
  Coordinate: RealCoordinate,
  GeometryFactory: RealFactory,
  DistanceOp: RealDistance,
  OverlayOp: RealOverlay,
  RelateOp: RealRelate,
}

/** JTS, the library of planar geometry, by way of JSTS. Takes a tenth of a second to load: import it when needed. */
export const jtsRelations = library as Library
