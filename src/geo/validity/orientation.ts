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
