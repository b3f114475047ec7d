import type { GeometryBuilder } from '../geo/geometry-builder.ts'
import type { Expression } from './expression.ts'

/** What a text at an end of an interval means: `..` or nothing for no end, else a date or a moment. */
export function intervalEnd(text: string): Expression {
  if (text === '..' || text === '') return { kind: 'open' }
  return { kind: /^\d{4,6}-\d\d-\d\d$/.test(text) ? 'date' : 'timestamp', text }
}

/** The one geometry that was built. */
export function wkbOf(builder: GeometryBuilder): Uint8Array {
  const { bytes, offsets } = builder.finish()
  return bytes.slice(offsets[0], offsets[1])
}
