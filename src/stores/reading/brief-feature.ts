const maxLetters = 2000
/** Maximum number of positions of a feature. */
const maxPositions = 300

/**
 * Shortens a GeoJSON feature for display: long texts are truncated, numbers that a double cannot represent
 * become texts, and geometries have as many positions as a small picture shows.
 */
export function briefFeature(feature: string): string {
  const { geometry, ...rest } = JSON.parse(feature, exactly) as { geometry: Geometry | null }
  return JSON.stringify({ ...rest, geometry: geometry === null ? null : thinned(geometry) })
}

/** Returns a JSON value as text if a number would lose precision; truncates long ones. */
function exactly(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value === 'string' && value.length > maxLetters) return `${value.slice(0, maxLetters)}…`
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
    ? context?.source
    : value
}

interface Geometry {
  type: string
  coordinates?: unknown
  geometries?: Geometry[]
}

function thinned(geometry: Geometry): Geometry {
  const step = Math.ceil(positionsOf(geometry) / maxPositions)
  return step <= 1 ? geometry : everySo(geometry, step)
}

function positionsOf({ coordinates, geometries = [] }: Geometry): number {
  return geometries.reduce((sum, one) => sum + positionsOf(one), countPositions(coordinates))
}

function countPositions(coordinates: unknown): number {
  if (!Array.isArray(coordinates) || coordinates.length === 0) return 0
  if (!Array.isArray(coordinates[0])) return 1
  return coordinates.reduce<number>((sum, one) => sum + countPositions(one), 0)
}

function everySo(geometry: Geometry, step: number): Geometry {
  const { coordinates, geometries } = geometry
  return {
    ...geometry,
    coordinates: coordinates === undefined ? geometry.coordinates : sparse(coordinates, step),
    geometries: geometries?.map((one) => everySo(one, step)) ?? geometry.geometries,
  }
}

/** Retains the ends of lines; omits some of many small parts. */
function sparse(coordinates: unknown, step: number): unknown {
  if (!Array.isArray(coordinates) || !Array.isArray(coordinates[0])) return coordinates
  const isLine = !Array.isArray(coordinates[0][0])
  if (isLine) return every(coordinates, step)
  const parts = coordinates.map((one) => sparse(one, step))
  return parts.length > maxPositions ? every(parts, Math.ceil(parts.length / maxPositions)) : parts
}

function every(values: readonly unknown[], step: number): unknown[] {
  const last = values.length - 1
  return values.filter((_, index) => index % step === 0 || index === last)
}
