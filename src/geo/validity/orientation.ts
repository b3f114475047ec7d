import { GeometryError } from '../wkb.ts'

/** Relative error of the determinant below, after Shewchuk's "Adaptive Precision Floating-Point Arithmetic" (1997). */
const errorBound = 3.3306690738754716e-16

/**
 * Returns the side of the line a to b on which c lies: 1 left, -1 right, 0 if rounding leaves it undecided.
 */
export function sideOf(ax: number, ay: number, bx: number, by: number, cx: number, cy: number): number {
  const left = (ax - cx) * (by - cy)
  const right = (ay - cy) * (bx - cx)
  const determinant = left - right
  const bound = errorBound * (Math.abs(left) + Math.abs(right))
  if (determinant > bound) return 1
  return determinant < -bound ? -1 : 0
}

/**
 * Returns the side of the line a to b on which c lies: 1 left, -1 right, 0 on it, without rounding. Throws
 * `GeometryError` if an ordinate is not finite.
 */
export function exactSideOf(ax: number, ay: number, bx: number, by: number, cx: number, cy: number): number {
  const quick = sideOf(ax, ay, bx, by, cx, cy)
  if (quick !== 0) return quick
  const [dax, day, dbx, dby] = differences([ax, ay, bx, by], [cx, cy, cx, cy])
  const determinant = dax * dby - day * dbx
  return determinant > 0n ? 1 : determinant < 0n ? -1 : 0
}

type Four<T> = [T, T, T, T]

/** `a - b` of each pair, all in the same unit, a power of two. */
function differences(a: Four<number>, b: Four<number>): Four<bigint> {
  const parts = [...a, ...b].map(partsOf)
  const unit = Math.min(...parts.map(({ exponent }) => exponent))
  const whole = parts.map(({ mantissa, exponent }) => mantissa << BigInt(exponent - unit))
  return [0, 1, 2, 3].map((at) => (whole[at] as bigint) - (whole[at + 4] as bigint)) as Four<bigint>
}

const view = new DataView(new ArrayBuffer(8))

/** A number as mantissa times two to the exponent (IEEE 754, binary64); 0 in the unit of what is nearest. */
function partsOf(value: number): { mantissa: bigint; exponent: number } {
  if (!Number.isFinite(value)) throw new GeometryError(`Coordinate is not finite: ${value}`)
  if (value === 0) return { mantissa: 0n, exponent: 1023 }
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const biased = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & 0xfffffffffffffn
  const mantissa = biased === 0 ? fraction : fraction | 0x10000000000000n
  return { mantissa: value < 0 ? -mantissa : mantissa, exponent: Math.max(biased, 1) - 1075 }
}
