/** Longitude and latitude. */
export type Point = readonly [number, number]

/** Lines around areas: `coast` has an area on one side only, `border` on both. */
export interface Edges {
  coast: Point[][]
  border: Point[][]
}

type Rings = readonly (readonly Point[])[]

/** Splits the rings of areas that share their edges point by point. Edges along the antimeridian and the pole are none. */
export function sharedEdges(areas: readonly Rings[]): Edges {
  const uses = new Map<string, number>()
  for (const rings of areas)
    for (const ring of rings)
      forEachEdge(ring, (a, b) => {
        const key = keyOf(a, b)
        uses.set(key, (uses.get(key) ?? 0) + 1)
      })
  const edges: Edges = { coast: [], border: [] }
  const done = new Set<string>()
  for (const rings of areas) for (const ring of rings) addLines(ring, { uses, done, edges })
  return edges
}

interface Sorting {
  uses: ReadonlyMap<string, number>
  done: Set<string>
  edges: Edges
}

/** Adds the lines of a ring, each as long as its kind is the same and it is not there yet. */
function addLines(ring: readonly Point[], { uses, done, edges }: Sorting): void {
  let line: Point[] = []
  let kind: keyof Edges | undefined
  const end = (): void => {
    if (kind !== undefined && line.length > 1) edges[kind].push(line)
    line = []
  }
  forEachEdge(ring, (a, b) => {
    const key = keyOf(a, b)
    const isThere = done.has(key) || isFrame(a, b)
    done.add(key)
    const next = isThere ? undefined : uses.get(key) === 1 ? 'coast' : 'border'
    if (next !== kind) end()
    kind = next
    if (kind === undefined) return
    if (line.length === 0) line.push(a)
    line.push(b)
  })
  end()
}

/** Returns true if both points are on the edge of the map, where areas are cut but have no boundary. */
function isFrame(a: Point, b: Point): boolean {
  const isSide = Math.abs(a[0]) > 179.99 && Math.abs(b[0]) > 179.99
  return isSide || (a[1] < -89.9 && b[1] < -89.9)
}

function forEachEdge(ring: readonly Point[], visit: (a: Point, b: Point) => void): void {
  ring.slice(1).forEach((b, at) => {
    const a = ring[at]
    if (a !== undefined) visit(a, b)
  })
}

/** The same in both directions. */
function keyOf(a: Point, b: Point): string {
  const [one, two] = [`${a[0]},${a[1]}`, `${b[0]},${b[1]}`]
  return one < two ? `${one} ${two}` : `${two} ${one}`
}
