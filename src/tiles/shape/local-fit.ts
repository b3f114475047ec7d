import type { Envelope } from '../../geo/envelope.ts'

/** Number of coefficients in each direction: of a cubic polynomial. */
const order = 4
/** Maximum error of a fit in tile units; positions are rounded to integers afterwards. */
const maxOff = 1e-5

/**
 * Zeros of the Chebyshev polynomial of this order, from -1 to 1: fitted there, the error of a polynomial is
 * nearly equal everywhere.
 */
const nodes = Array.from({ length: order }, (_, k) => Math.cos(((2 * k + 1) * Math.PI) / (2 * order)))
/** For each node: coefficients of the polynomial that is 1 there and 0 at the others. */
const bases = nodes.map((node) =>
  nodes
    .filter((other) => other !== node)
    .reduce<number[]>((product, other) => timesRoot(product, other, node - other), [1]),
)

/** Returns `product * (x - root) / scale`. */
function timesRoot(product: readonly number[], root: number, scale: number): number[] {
  const next = Array<number>(product.length + 1).fill(0)
  for (const [power, coefficient] of product.entries()) {
    next[power] = (next[power] as number) - (coefficient * root) / scale
    next[power + 1] = (next[power + 1] as number) + coefficient / scale
  }
  return next
}

/** Points at which the error of the polynomial is checked: at the ends, and between the nodes. */
const checks = [-1, -0.7, 0, 0.7, 1]

/**
 * Two functions of a location within a box, as cubic polynomials in each direction: 16 coefficients, grouped
 * by powers of y.
 */
export interface PlaceFit {
  x: Float64Array
  y: Float64Array
}

/**
 * Returns undefined if the error of a polynomial would be visible in a tile. `of` transforms the given
 * location in place.
 */
export function fitPlace(
  box: Envelope,
  of: (position: { x: number; y: number }) => void,
): PlaceFit | undefined {
  const { minX, minY, maxX, maxY } = box
  if (!(maxX > minX && maxY > minY)) return undefined
  const at = (u: number, v: number): { x: number; y: number } => {
    const position = { x: minX + ((u + 1) * (maxX - minX)) / 2, y: minY + ((v + 1) * (maxY - minY)) / 2 }
    of(position)
    return position
  }
  const fit: PlaceFit = { x: new Float64Array(order * order), y: new Float64Array(order * order) }
  for (const [k, u] of nodes.entries()) {
    for (const [l, v] of nodes.entries()) {
      const { x, y } = at(u, v)
      for (let i = 0; i < order; i += 1) {
        for (let j = 0; j < order; j += 1) {
          const weight = (bases[k]?.[i] as number) * (bases[l]?.[j] as number)
          const to = i * order + j
          fit.x[to] = (fit.x[to] as number) + x * weight
          fit.y[to] = (fit.y[to] as number) + y * weight
        }
      }
    }
  }
  const isNear = (u: number, v: number): boolean => {
    const { x, y } = at(u, v)
    return Math.abs(bicubic(fit.x, u, v) - x) < maxOff && Math.abs(bicubic(fit.y, u, v) - y) < maxOff
  }
  return checks.every((u) => [-1, 0.1, 1].every((v) => isNear(u, v))) ? fit : undefined
}

/** `u` and `v` are those of `fitPlace`: from -1 to 1 within its box. */
export function bicubic(c: Float64Array, u: number, v: number): number {
  const c0 = (c[0] as number) + v * ((c[1] as number) + v * ((c[2] as number) + v * (c[3] as number)))
  const c1 = (c[4] as number) + v * ((c[5] as number) + v * ((c[6] as number) + v * (c[7] as number)))
  const c2 = (c[8] as number) + v * ((c[9] as number) + v * ((c[10] as number) + v * (c[11] as number)))
  const c3 = (c[12] as number) + v * ((c[13] as number) + v * ((c[14] as number) + v * (c[15] as number)))
  return c0 + u * (c1 + u * (c2 + u * c3))
}
