import { escapeXml } from '../../src/core/text/escape.ts'
import { isArithmetic } from '../../src/filters/calculate.ts'
import type { Expression } from '../../src/filters/expression.ts'
import { isFilterFunction } from '../../src/filters/functions.ts'

/** Returns a geometry of a filter in a notation. */
type WriteGeometry = (wkb: Uint8Array) => string

/** Writes a filter in CQL2 text (OGC 21-065r2, Annex B). */
export function cql2TextOf(written: Expression, geometry: WriteGeometry): string {
  const of = (part: Expression): string => cql2TextOf(part, geometry)
  switch (written.kind) {
    case 'call':
      return callText(written.op, written.args.map(of))
    case 'list':
      return `(${written.of.map(of).join(', ')})`
    case 'property':
      return `"${written.name}"`
    case 'number':
      return written.digits
    case 'text':
      return quoted(written.value)
    case 'boolean':
      return String(written.value).toUpperCase()
    case 'date':
    case 'timestamp':
      return `${written.kind.toUpperCase()}('${written.text}')`
    case 'interval':
      return `INTERVAL(${endText(written.from)}, ${endText(written.to)})`
    case 'box':
      return `BBOX(${written.sides.join(', ')})`
    case 'geometry':
      return geometry(written.wkb)
    default:
      throw new Error(`CQL2 has no ${written.kind} here`)
  }
}

function callText(op: string, args: string[]): string {
  const [first = '', second = '', third = ''] = args
  if (op === 'and' || op === 'or') return args.map((one) => `(${one})`).join(` ${op.toUpperCase()} `)
  if (op === 'not') return `NOT (${first})`
  if (op === 'isNull') return `${first} IS NULL`
  if (op === 'like' || op === 'in') return `${first} ${op.toUpperCase()} ${second}`
  if (op === 'between') return `${first} BETWEEN ${second} AND ${third}`
  if (isArithmetic(op)) return `(${first} ${op} ${second})`
  return isFilterFunction(op) || /^[st]_/.test(op) ? `${op}(${args.join(', ')})` : `${first} ${op} ${second}`
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}

function endText(end: Expression): string {
  if (end.kind === 'date' || end.kind === 'timestamp') return `'${end.text}'`
  return "'..'"
}

const fesNames: Record<string, string> = {
  and: 'And',
  or: 'Or',
  not: 'Not',
  '=': 'PropertyIsEqualTo',
  '<>': 'PropertyIsNotEqualTo',
  '<': 'PropertyIsLessThan',
  '>': 'PropertyIsGreaterThan',
  '<=': 'PropertyIsLessThanOrEqualTo',
  '>=': 'PropertyIsGreaterThanOrEqualTo',
  isNull: 'PropertyIsNull',
  '+': 'Add',
  '-': 'Sub',
  '*': 'Mul',
  '/': 'Div',
  s_intersects: 'Intersects',
  s_disjoint: 'Disjoint',
  s_within: 'Within',
  t_after: 'After',
  t_before: 'Before',
  t_during: 'During',
}

/** Writes an operator or a value in Filter Encoding, with `reference` as the element of names. */
export function fesOf(written: Expression, reference: string, geometry: WriteGeometry): string {
  const of = (part: Expression): string => fesOf(part, reference, geometry)
  switch (written.kind) {
    case 'property':
      return `<${reference}>${escapeXml(written.name)}</${reference}>`
    case 'number':
      return `<Literal>${written.digits}</Literal>`
    case 'text':
    case 'boolean':
      return `<Literal>${escapeXml(String(written.value))}</Literal>`
    case 'date':
    case 'timestamp':
      return `<TimeInstant><timePosition>${written.text}</timePosition></TimeInstant>`
    case 'interval':
      return `<TimePeriod>${endXml('begin', written.from)}${endXml('end', written.to)}</TimePeriod>`
    case 'geometry':
      return geometry(written.wkb)
    case 'call':
      return callXml(written.op, written.args.map(of))
    default:
      throw new Error(`Filter Encoding has no ${written.kind}`)
  }
}

function callXml(op: string, args: string[]): string {
  const [first = '', second = '', third = ''] = args
  if (isFilterFunction(op)) return `<Function name="${op}">${first}</Function>`
  if (op === 'like')
    return `<PropertyIsLike wildCard="%" singleChar="_" escapeChar="\\">${first}${second}</PropertyIsLike>`
  if (op === 'between')
    return `<PropertyIsBetween>${first}<LowerBoundary>${second}</LowerBoundary><UpperBoundary>${third}</UpperBoundary></PropertyIsBetween>`
  const name = fesNames[op] ?? op
  return `<${name}>${args.join('')}</${name}>`
}

function endXml(name: string, end: Expression): string {
  if (end.kind === 'date' || end.kind === 'timestamp') return `<${name}Position>${end.text}</${name}Position>`
  return `<${name}Position indeterminatePosition="unknown"/>`
}
