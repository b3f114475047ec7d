import type { Point } from './shared-edges.ts'

type Ring = readonly Point[]

const toMercator = ([x, y]: Point): Point => [
  x,
  (Math.log(Math.tan(Math.PI / 4 + (Math.max(-85, Math.min(85, y)) * Math.PI) / 360)) * 180) / Math.PI,
]

/**
 * Leaves out points whose triangle with their neighbours is smaller than `leastArea`, in square degrees of web mercator, smallest
 * first, and rings that are smaller. Which points go depends on their neighbours alone, so that areas that share edges do so
 * afterwards; where edges of more than two areas meet, points stay.
 */
export function simplifyAreas(polygons: readonly (readonly Ring[])[], leastArea: number): Point[][][] {
  const junctions = junctionsOf(polygons.flat())
  return polygons
    .map((rings) => rings.map((ring) => simplifyRing(ring, leastArea, junctions)))
    .map((rings) => rings.filter((ring) => ring.length >= 4 && Math.abs(areaOf(ring)) >= leastArea))
    .filter((rings) => rings.length > 0)
}

/** Points with more than two neighbours over all rings. */
function junctionsOf(rings: readonly Ring[]): ReadonlySet<string> {
  const neighbours = new Map<string, Set<string>>()
  for (const ring of rings)
    ring.slice(1).forEach((b, at) => {
      const a = ring[at] ?? b
      for (const [one, other] of [
        [a, b],
        [b, a],
      ] as const) {
        const known = neighbours.get(String(one)) ?? new Set()
        neighbours.set(String(one), known.add(String(other)))
      }
    })
  return new Set([...neighbours].filter(([, others]) => others.size > 2).map(([point]) => point))
}

interface Corner {
  point: Point
  at: Point
  isFixed: boolean
}

function simplifyRing(ring: Ring, leastArea: number, junctions: ReadonlySet<string>): Point[] {
  let corners: Corner[] = ring
    .slice(1)
    .map((point) => ({ point, at: toMercator(point), isFixed: junctions.has(String(point)) }))
  for (;;) {
    const areas = corners.map((_, place) => cornerArea(corners, place))
    const kept = corners.filter((_, place) => {
      const area = areas[place] ?? 0
      const others = [areas.at(place - 1) ?? 0, areas[(place + 1) % areas.length] ?? 0]
      return area >= leastArea || others.some((one) => one < area)
    })
    if (kept.length === corners.length || kept.length < 3) break
    corners = kept
  }
  const points = corners.map(({ point }) => point)
  const [last] = points.slice(-1)
  return last === undefined ? [] : [last, ...points]
}

/** Infinite where the point stays. */
function cornerArea(corners: readonly Corner[], place: number): number {
  const [before, corner, after] = [
    corners.at(place - 1),
    corners[place],
    corners[(place + 1) % corners.length],
  ]
  if (before === undefined || corner === undefined || after === undefined || corner.isFixed)
    return Number.POSITIVE_INFINITY
  const [[ax, ay], [bx, by], [cx, cy]] = [before.at, corner.at, after.at]
  return Math.abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) / 2
}

function areaOf(ring: Ring): number {
  const points = ring.map(toMercator)
  return points.slice(1).reduce((sum, [x, y], at) => {
    const [px, py] = points[at] ?? [x, y]
    return sum + (px * y - x * py) / 2
  }, 0)
}
