import type { Geometry, Position } from 'geojson'

/** A drawn feature near a point of the map. */
export interface Hit {
  geometry: Geometry
  /** The layer that it belongs to. */
  layer: string
  /** Its mark or label is drawn under the point, wherever its geometry is. */
  isMarkHit: boolean
}

/** A point of a web mercator map, and how wide the world is there. */
export interface HitPoint {
  lng: number
  lat: number
  worldPixels: number
}

/**
 * Orders features as GetFeatureInfo does, layer by layer in the order in which they come: those that contain the point, then
 * points and lines by distance, then as they come. Polygons that do not contain the point are left out, unless their mark is hit.
 */
export function orderHits<Item extends Hit>(hits: readonly Item[], point: HitPoint): Item[] {
  const layers = [...new Set(hits.map(({ layer }) => layer))]
  return hits
    .map((hit) => ({ hit, layer: layers.indexOf(hit.layer), rank: rankOf(hit, point) }))
    .filter(({ rank }) => rank < farthest)
    .sort((a, b) => a.layer - b.layer || a.rank - b.rank)
    .map(({ hit }) => hit)
}

const [containing, marked, farthest] = [-1, 1e9, 1e10]

function rankOf({ geometry, isMarkHit }: Hit, point: HitPoint): number {
  const measured = new Measured(point)
  measured.add(geometry)
  if (measured.isContained) return containing
  return Math.min(measured.distance, isMarkHit ? marked : farthest)
}

/** Relation of geometries to a point, in map pixels. */
class Measured {
  isContained = false
  distance = Number.POSITIVE_INFINITY
  readonly #worldPixels: number
  /** The point in the copies of the world in which geometries that cross the 180th meridian may lie. */
  readonly #copies: Pixel[]

  constructor({ lng, lat, worldPixels }: HitPoint) {
    this.#worldPixels = worldPixels
    const within = lng - 360 * Math.round(lng / 360)
    this.#copies = [-360, 0, 360].map((turn) => pixelOf([within + turn, lat], worldPixels))
  }

  add(geometry: Geometry): void {
    if (geometry.type === 'GeometryCollection') for (const one of geometry.geometries) this.add(one)
    else if (geometry.type === 'Point') this.#addLine([geometry.coordinates])
    else if (geometry.type === 'MultiPoint') for (const place of geometry.coordinates) this.#addLine([place])
    else if (geometry.type === 'LineString') this.#addLine(geometry.coordinates)
    else if (geometry.type === 'MultiLineString') for (const line of geometry.coordinates) this.#addLine(line)
    else if (geometry.type === 'Polygon') this.#addPolygon(geometry.coordinates)
    else for (const rings of geometry.coordinates) this.#addPolygon(rings)
  }

  /** Positions from the point in pixels. */
  #pixels(places: readonly Position[], [left, top]: Pixel): Pixel[] {
    return places.map((place) => {
      const [x, y] = pixelOf(place, this.#worldPixels)
      return [x - left, y - top]
    })
  }

  #addLine(places: readonly Position[]): void {
    for (const copy of this.#copies) {
      const pixels = this.#pixels(places, copy)
      for (const [at, to] of pixels.entries())
        this.distance = Math.min(this.distance, distanceTo(pixels[Math.max(0, at - 1)] ?? to, to))
    }
  }

  #addPolygon(rings: readonly Position[][]): void {
    this.isContained ||= this.#copies.some((copy) =>
      rings.reduce((inside, ring) => inside !== isAround(this.#pixels(ring, copy)), false),
    )
  }
}

type Pixel = [x: number, y: number]

function pixelOf([lng = 0, lat = 0]: Position, worldPixels: number): Pixel {
  const sine = Math.sin((Math.min(Math.max(lat, -85.0511), 85.0511) * Math.PI) / 180)
  return [
    ((lng + 180) / 360) * worldPixels,
    (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * worldPixels,
  ]
}

/** The distance from the origin to a segment. */
function distanceTo([ax, ay]: Pixel, [bx, by]: Pixel): number {
  const [dx, dy] = [bx - ax, by - ay]
  const length = dx * dx + dy * dy
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, -(ax * dx + ay * dy) / length))
  return Math.hypot(ax + share * dx, ay + share * dy)
}

/** True if a ring contains the origin. */
function isAround(ring: readonly Pixel[]): boolean {
  let isInside = false
  for (const [at, [x, y]] of ring.entries()) {
    const [fromX, fromY] = ring.at(at - 1) ?? [x, y]
    if (y > 0 !== fromY > 0 && x + ((fromX - x) * y) / (y - fromY) > 0) isInside = !isInside
  }
  return isInside
}
