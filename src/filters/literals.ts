import type { GeometryBuilder } from '../geo/geometry-builder.ts'
import type { Expression } from './expression.ts'

/** Parses the text of an end of an interval: `..` or empty for no end, else a date or a moment. */
export function intervalEnd(text: string): Expression {
  if (text === '..' || text === '') return { kind: 'open' }
  return { kind: /^\d{4,6}-\d\d-\d\d$/.test(text) ? 'date' : 'timestamp', text }
}

/** Returns the WKB of the only geometry in a builder. */
export function wkbOf(builder: GeometryBuilder): Uint8Array {
  const { bytes, offsets } = builder.finish()
  return bytes.slice(offsets[0], offsets[1])
}
