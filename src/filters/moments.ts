import { TimeReader } from '../core/values/time-reader.ts'
import { rfc3339 } from '../core/values/time-rules.ts'
import type { Expression, FilterComparison, TemporalRelation } from './expression.ts'
import type { Filter, Moment } from './filter.ts'
import { allOf, anyOf, notOf } from './filter.ts'
import { invalidFilter } from './filter-size.ts'

/** A period: an instant, a day, an interval; an open end is undefined. */
export interface TimeSpan {
  begin: Moment | undefined
  end: Moment | undefined
}

const microsPerDay = 86_400_000_000n
const reader = new TimeReader(rfc3339)

/** Returns the period of a date, a timestamp or an interval. `spanOf` returns that of an attribute. */
export function spanOfText(text: string): TimeSpan | undefined {
  if (!reader.parseText(text)) return undefined
  const begin = BigInt(reader.sinceEpoch)
  return { begin: { micros: begin }, end: { micros: reader.hasTime ? begin : begin + microsPerDay - 1n } }
}

/** Returns the period of a literal; throws `invalid-filter` for an invalid date or time. */
export function spanOfLiteral(written: Expression & { kind: 'date' | 'timestamp' }): TimeSpan {
  const span = spanOfText(written.text)
  const isDate = span !== undefined && reader.hasTime === false
  if (span !== undefined && isDate === (written.kind === 'date')) return span
  const requested = written.kind === 'date' ? 'a date as 2026-07-01' : 'a time as 2026-07-01T12:00:00Z'
  throw invalidFilter(`"${written.text.slice(0, 60)}" is not ${requested} (RFC 3339, section 5.6)`)
}

/** Compares two periods: as instants if both are, otherwise a day is its whole period. */
export function compareSpans(op: FilterComparison, a: TimeSpan, b: TimeSpan): Filter {
  if (op === '<') return before(a, b)
  if (op === '>') return before(b, a)
  if (op === '<=') return notOf(before(b, a))
  if (op === '>=') return notOf(before(a, b))
  return op === '=' ? meeting(a, b) : notOf(meeting(a, b))
}

/** Returns a temporal relation (OGC 21-065r2, section 8.4, table 8) as comparisons of ends. */
export function relateSpans(relation: TemporalRelation, a: TimeSpan, b: TimeSpan): Filter {
  const [first, second] = inverses.has(relation) ? [b, a] : [a, b]
  const plain = inverses.get(relation) ?? relation
  const relate = relations.get(plain)
  if (relate === undefined) throw new Error(`No temporal relation ${relation}`)
  return relate(first, second)
}

/** Relations that are equivalent to another one with exchanged sides. */
const inverses = new Map<TemporalRelation, TemporalRelation>([
  ['t_after', 't_before'],
  ['t_contains', 't_during'],
  ['t_finishedby', 't_finishes'],
  ['t_metby', 't_meets'],
  ['t_overlappedby', 't_overlaps'],
  ['t_startedby', 't_starts'],
])

const relations = new Map<TemporalRelation, (a: TimeSpan, b: TimeSpan) => Filter>([
  ['t_before', before],
  ['t_during', (a, b) => allOf([ends('>', a, 'begin', b, 'begin'), ends('<', a, 'end', b, 'end')])],
  ['t_disjoint', (a, b) => anyOf([before(a, b), before(b, a)])],
  ['t_equals', (a, b) => allOf([ends('=', a, 'begin', b, 'begin'), ends('=', a, 'end', b, 'end')])],
  ['t_finishes', (a, b) => allOf([ends('>', a, 'begin', b, 'begin'), ends('=', a, 'end', b, 'end')])],
  ['t_intersects', meeting],
  ['t_meets', (a, b) => ends('=', a, 'end', b, 'begin')],
  [
    't_overlaps',
    (a, b) =>
      allOf([
        ends('<', a, 'begin', b, 'begin'),
        ends('>', a, 'end', b, 'begin'),
        ends('<', a, 'end', b, 'end'),
      ]),
  ],
  ['t_starts', (a, b) => allOf([ends('=', a, 'begin', b, 'begin'), ends('<', a, 'end', b, 'end')])],
])

function before(a: TimeSpan, b: TimeSpan): Filter {
  return ends('<', a, 'end', b, 'begin')
}

function meeting(a: TimeSpan, b: TimeSpan): Filter {
  return allOf([ends('<=', a, 'begin', b, 'end'), ends('>=', a, 'end', b, 'begin')])
}

/** An open start precedes, and an open end follows, all others; two of the same kind are equal. */
function ends(
  op: FilterComparison,
  a: TimeSpan,
  ofA: 'begin' | 'end',
  b: TimeSpan,
  ofB: 'begin' | 'end',
): Filter {
  const [left, right] = [a[ofA], b[ofB]]
  if (left !== undefined && right !== undefined) return compareMoments(op, left, right)
  const rank = (moment: Moment | undefined, edge: 'begin' | 'end'): number =>
    moment !== undefined ? 0 : edge === 'begin' ? -1 : 1
  const is = holds(op, Math.sign(rank(left, ofA) - rank(right, ofB)))
  const moment = left ?? right
  // The other side of a comparison with null does not matter: the result is neither true nor false.
  if (moment !== undefined && 'attribute' in moment)
    return { kind: 'moments', op: is ? '=' : '<>', left: moment, right: moment }
  return { kind: 'constant', is }
}

function compareMoments(op: FilterComparison, left: Moment, right: Moment): Filter {
  if ('micros' in left && 'micros' in right) {
    const order = left.micros < right.micros ? -1 : left.micros > right.micros ? 1 : 0
    return { kind: 'constant', is: holds(op, order) }
  }
  return { kind: 'moments', op, left, right }
}

/** True if a comparison holds for two values with this order: negative if the left one is less. */
export function holds(op: FilterComparison, order: number): boolean {
  if (op === '=') return order === 0
  if (op === '<>') return order !== 0
  if (op === '<') return order < 0
  if (op === '<=') return order <= 0
  return op === '>' ? order > 0 : order >= 0
}
