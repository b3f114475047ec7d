/** A min/max rectangle in the units of its data's CRS; x is longitude or easting. */
export interface Envelope {
  minX: number
  minY: number
  maxX: number
  maxY: number
}

/** The envelope of nothing: `expand` on it gives the other. */
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

/** The smallest envelope around both. */
export function unionEnvelope(a: Envelope, b: Envelope): Envelope {
  return {
    minX: Math.min(a.minX, b.minX),
    minY: Math.min(a.minY, b.minY),
    maxX: Math.max(a.maxX, b.maxX),
    maxY: Math.max(a.maxY, b.maxY),
  }
}
