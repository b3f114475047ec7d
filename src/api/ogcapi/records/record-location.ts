/** West, south, east and north in degrees; east is beyond 180 across the antimeridian. */
export type Range = readonly number[]

type Ring = [number, number][]

/** The box as GeoJSON has it (RFC 7946, section 5.2): across the antimeridian the first number is the larger. */
export function toBbox([west = 0, south = 0, east = 0, north = 0]: Range): number[] {
  return [west, south, east > 180 ? east - 360 : east, north]
}

/** The box as a geometry; across the antimeridian two polygons (RFC 7946, section 3.1.9). */
export function toGeometry([west = 0, south = 0, east = 0, north = 0]: Range): object {
  if (east <= 180) return { type: 'Polygon', coordinates: [ring(west, south, east, north)] }
  const parts = [ring(west, south, 180, north), ring(-180, south, east - 360, north)]
  return { type: 'MultiPolygon', coordinates: parts.map((one) => [one]) }
}

/** The same as well-known text. */
export function toWkt(range: Range): string {
  const [west = 0, south = 0, east = 0, north = 0] = range
  const text = (one: Ring): string => `((${one.map(([x, y]) => `${x} ${y}`).join(', ')}))`
  if (east <= 180) return `POLYGON ${text(ring(west, south, east, north))}`
  return `MULTIPOLYGON (${text(ring(west, south, 180, north))}, ${text(ring(-180, south, east - 360, north))})`
}

function ring(west: number, south: number, east: number, north: number): Ring {
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ]
}

/** True if a range and a box in degrees intersect, edges included. */
export function meets(
  [west = 0, south = 0, east = 0, north = 0]: Range,
  { minX, minY, maxX, maxY }: { minX: number; minY: number; maxX: number; maxY: number },
): boolean {
  const isBeside = (turn: number): boolean => west <= maxX + turn && east >= minX + turn
  return south <= maxY && north >= minY && (isBeside(0) || isBeside(360) || isBeside(-360))
}
