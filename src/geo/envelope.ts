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

/** Whether it holds no point: that of nothing, or one with a coordinate that is no number. */
export function isEmptyEnvelope(envelope: Envelope): boolean {
  return !(envelope.minX <= envelope.maxX && envelope.minY <= envelope.maxY)
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
