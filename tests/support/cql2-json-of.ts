import type { Expression } from '../../src/filters/expression.ts'
import { writeGeometryJson } from '../../src/geo/wkb-to-geojson.ts'

/** A filter in CQL2 JSON, with operators as the schema of the standard spells them. */
export function cql2JsonOf(written: Expression, spelling: ReadonlyMap<string, string>): unknown {
  const of = (part: Expression): unknown => cql2JsonOf(part, spelling)
  const end = (part: Expression): unknown => {
    if (part.kind === 'open') return '..'
    return part.kind === 'date' || part.kind === 'timestamp' ? part.text : of(part)
  }
  switch (written.kind) {
    case 'call':
      return { op: spelling.get(written.op.toLowerCase()) ?? written.op, args: written.args.map(of) }
    case 'list':
      return written.of.map(of)
    case 'property':
      return { property: written.name }
    case 'number':
      return Number(written.digits)
    case 'date':
      return { date: written.text }
    case 'timestamp':
      return { timestamp: written.text }
    case 'interval':
      return { interval: [end(written.from), end(written.to)] }
    case 'box':
      return { bbox: written.sides }
    case 'geometry':
      return JSON.parse(writeGeometryJson(written.wkb))
    case 'open':
      return '..'
    case 'ids':
      throw new Error('CQL2 has no condition of feature ids')
    default:
      return written.value
  }
}
