const float = new Float32Array(1)
const bits = new Int32Array(float.buffer)

/** The largest 32-bit float that is not above `value`. */
export function floorFloat32(value: number): number {
  float[0] = value
  if ((float[0] as number) > value) step(-1)
  return float[0] as number
}

/** The smallest 32-bit float that is not below `value`. */
export function ceilFloat32(value: number): number {
  float[0] = value
  if ((float[0] as number) < value) step(1)
  return float[0] as number
}

/** Moves to the next float in a direction; the bits of negative floats count the other way. */
function step(direction: 1 | -1): void {
  const raw = bits[0] as number
  if ((raw & 0x7fffffff) === 0) bits[0] = direction === 1 ? 1 : -0x7fffffff
  else bits[0] = raw < 0 ? raw - direction : raw + direction
}
