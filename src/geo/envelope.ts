const float = new Float32Array(1)
const bits = new Int32Array(float.buffer)

/** Returns the largest 32-bit float that is not above `value`. */
export function floorFloat32(value: number): number {
  float[0] = value
  if ((float[0] as number) > value) step(-1)
  return float[0] as number
}

/** Returns the smallest 32-bit float that is not below `value`. */
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

/** A min/max rectangle in the units of its data's CRS; x is longitude or easting. */
export interface Envelope {
  minX: number
  minY: number
  maxX: number
  maxY: number
}

/** Returns an empty envelope, whose union with another envelope is the other one. */
export function emptyEnvelope(): Envelope {
  return {
    minX: Number.POSITIVE_INFINITY,
    minY: Number.POSITIVE_INFINITY,
    maxX: Number.NEGATIVE_INFINITY,
    maxY: Number.NEGATIVE_INFINITY,
  }
}

/** True if it contains no point: empty, or with a NaN coordinate. */
export function isEmptyEnvelope(envelope: Envelope): boolean {
  return !(envelope.minX <= envelope.maxX && envelope.minY <= envelope.maxY)
}

/** Returns the envelope of positions, given as x and y in sequence. */
export function envelopeOfPlaces(ordinates: ArrayLike<number>): Envelope {
  const envelope = emptyEnvelope()
  for (let at = 0; at < ordinates.length; at += 2) {
    envelope.minX = Math.min(envelope.minX, ordinates[at] as number)
    envelope.minY = Math.min(envelope.minY, ordinates[at + 1] as number)
    envelope.maxX = Math.max(envelope.maxX, ordinates[at] as number)
    envelope.maxY = Math.max(envelope.maxY, ordinates[at + 1] as number)
  }
  return envelope
}

/** Returns the smallest envelope that contains both. */
export function unionEnvelope(a: Envelope, b: Envelope): Envelope {
  return {
    minX: Math.min(a.minX, b.minX),
    minY: Math.min(a.minY, b.minY),
    maxX: Math.max(a.maxX, b.maxX),
    maxY: Math.max(a.maxY, b.maxY),
  }
}
