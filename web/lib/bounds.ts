/** West, south, east and north of all numbers of GeoJSON coordinates; undefined where there are none. */
export function boundsOf(geometry: unknown): [number, number, number, number] | undefined {
  const edges: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity]
  widen(edges, geometry)
  return edges[0] <= edges[2] ? edges : undefined
}

function widen(edges: [number, number, number, number], part: unknown): void {
  if (Array.isArray(part)) {
    const [x, y] = part as unknown[]
    if (typeof x === 'number' && typeof y === 'number') {
      edges[0] = Math.min(edges[0], x)
      edges[1] = Math.min(edges[1], y)
      edges[2] = Math.max(edges[2], x)
      edges[3] = Math.max(edges[3], y)
    } else for (const inner of part) widen(edges, inner)
  } else if (typeof part === 'object' && part !== null) {
    if ('coordinates' in part) widen(edges, part.coordinates)
    if ('geometries' in part) widen(edges, part.geometries)
  }
}
