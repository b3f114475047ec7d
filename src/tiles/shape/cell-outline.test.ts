import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seededRandom } from '../../../bench/random.ts'
import type { CellEdges } from './cell-outline.ts'
import { CellOutline } from './cell-outline.ts'
import { Paths } from './paths.ts'
import { snapEdges } from './snap-edges.ts'
import { traceRings } from './trace-rings.ts'
import { WholeRings } from './whole-rings.ts'

const size = 8
const evenEdges: CellEdges = { xOf: (column) => column * 4, yOf: (row) => row * 4 }
/** Every third row has no height. */
const flatEdges: CellEdges = { xOf: (column) => column * 4, yOf: (row) => Math.floor((row * 2) / 3) * 4 }

/** Rings of each part wherever they begin, with their direction. */
function ringsOf(rings: WholeRings): string[] {
  const parts = new Map<number, string[]>()
  for (let ring = 0; ring < rings.count; ring += 1) {
    const places: string[] = []
    for (let at = rings.start(ring); at < (rings.ends[ring] as number); at += 1)
      places.push(`${rings.xs[at]} ${rings.ys[at]}`)
    const first = places.indexOf(places.toSorted()[0] ?? '')
    const turned = [...places.slice(first), ...places.slice(0, first)].join()
    const part = rings.parts[ring] as number
    parts.set(part, [...(parts.get(part) ?? []), `${rings.areas[ring]}: ${turned}`])
  }
  return [...parts.values()].map(([outer, ...holes]) => [outer, ...holes.sort()].join(' ')).sort()
}

/** The same by the way that unites shapes of any kind. */
function unite(cells: [number, number][], { xOf, yOf }: CellEdges): WholeRings {
  const paths = new Paths()
  for (const [part, [column, row]] of cells.entries()) {
    const [left, right] = [xOf(column), xOf(column + 1)]
    const [top, bottom] = [yOf(row), yOf(row + 1)]
    if (top >= bottom) continue
    for (const [x, y] of [
      [left, top],
      [right, top],
      [right, bottom],
      [left, bottom],
    ] as const)
      paths.add(x, y)
    paths.endPath(part)
  }
  const rings = new WholeRings()
  const edges = snapEdges(paths)
  assert.ok(edges !== undefined)
  traceRings(edges, rings)
  return rings
}

describe('the outline of cells', () => {
  for (const [name, edges] of Object.entries({ even: evenEdges, flat: flatEdges })) {
    it(`is that of their union, with holes and corners that touch (${name} rows)`, () => {
      const random = seededRandom(7)
      const outline = new CellOutline()
      let holes = 0
      for (let round = 0; round < 600; round += 1) {
        const share = random()
        const cells: [number, number][] = []
        for (let row = 0; row < size; row += 1)
          for (let column = 0; column < size; column += 1)
            if (random() < share) cells.push([column + 3, row + 2])
        outline.begin(3, 2, size + 2, size + 1)
        for (const [column, row] of cells) outline.add(column, row)
        const traced = cells.length === 0 ? new WholeRings() : outline.trace(edges)
        assert.deepEqual(ringsOf(traced), ringsOf(unite(cells, edges)), JSON.stringify(cells))
        for (let ring = 0; ring < traced.count; ring += 1) if ((traced.areas[ring] as number) < 0) holes += 1
      }
      assert.ok(holes > 300, `${holes} holes`)
    })
  }
})
