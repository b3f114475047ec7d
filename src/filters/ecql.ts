import { isDuration, movedBy } from '../core/values/durations.ts'
import { Cql2Parser } from './cql2-text.ts'
import type { Expression } from './expression.ts'
import { spatialRelations, withinDistance } from './expression.ts'
import type { FilterLimits } from './filter-size.ts'
import { defaultFilterLimits, requireFilterSize, unsupportedFilter } from './filter-size.ts'
import { intervalEnd } from './geometry-operand.ts'
import { ecql, tokensOf } from './tokens.ts'

/** A filter in ECQL: features by id, or a condition. */
export type WrittenEcql =
  | { ids: string[] }
  | {
      written: Expression
      /** CRS named by all boxes; undefined if none names one. */
      crs?: string
      /** True if other geometries name no CRS. */
      isMixed: boolean
    }

const relations = new Map<string, string>(
  spatialRelations.map((op) => [op.slice('s_'.length).toUpperCase(), op]),
)

/**
 * Parses a filter in the dialect of GeoServer's `cql_filter` (GeoTools' ECQL); additional syntax of CQL2 text
 * is accepted too. Throws `invalid-filter` and `unsupported-filter`.
 */
export function parseEcql(filter: string, limits: FilterLimits = defaultFilterLimits): WrittenEcql {
  const parser = new EcqlParser(filter, tokensOf(filter, { notation: ecql, limits }))
  const found = parser.result()
  if ('written' in found) requireFilterSize(found.written, limits)
  return found
}

class EcqlParser extends Cql2Parser {
  /** Represents the ids in the tree, where it must be alone. */
  #marker: Expression | undefined
  #ids: string[] = []
  readonly #named = new Set<string>()
  #isMixed = false

  result(): WrittenEcql {
    const written = this.parse()
    if (this.#marker !== undefined) {
      if (written === this.#marker) return { ids: this.#ids }
      throw unsupportedFilter('IN of ids stands alone in a filter: it is not joined with other conditions')
    }
    const [crs, other] = this.#named
    if (other !== undefined) throw unsupportedFilter('Boxes of a filter name one CRS')
    return { written, isMixed: this.#isMixed, crs }
  }

  protected override relation(): Expression | undefined {
    for (const [word, value] of [
      ['INCLUDE', true],
      ['EXCLUDE', false],
    ] as const)
      if (this.takeWord(word)) return { kind: 'boolean', value }
    if (!this.isCall) return undefined
    const word = this.next.text.toUpperCase()
    if (word === 'IN') return this.#idList()
    if (word === 'BBOX' && this.#namesGeometry) return this.#boxed()
    if (word === 'DWITHIN') return this.#within()
    if (word === 'BEYOND') return { kind: 'call', op: 'not', args: [this.#within()] }
    if (word === 'RELATE')
      throw unsupportedFilter('RELATE is not offered: patterns of relations are not compared')
    const op = relations.get(word)
    if (op === undefined) return super.relation()
    this.take()
    return { kind: 'call', op, args: this.arguments(() => this.value()) }
  }

  /** `DWITHIN(the_geom, POINT(1 2), 10, statute miles)`. */
  #within(): Expression {
    this.take()
    let count = 0
    const args = this.arguments((): Expression => {
      count += 1
      return count === 4 ? { kind: 'text', value: this.#unit() } : this.value()
    })
    return { kind: 'call', op: withinDistance, args }
  }

  #unit(): string {
    const words: string[] = []
    while (this.next.kind === 'word' || this.next.kind === 'text') words.push(this.take().text)
    return words.join(' ')
  }

  /** `IN ('states.1', 'states.2')` without a property before it. */
  #idList(): Expression {
    this.take()
    this.#ids = this.arguments(() => {
      const { kind } = this.next
      if (kind !== 'text' && kind !== 'number') this.fail('an id was expected')
      return this.take().text
    })
    this.#marker = { kind: 'boolean', value: true }
    return this.#marker
  }

  /** True if a name, not a number, follows the bracket. */
  get #namesGeometry(): boolean {
    const { kind } = this.behind(2)
    return kind === 'word' || kind === 'quoted'
  }

  /** `BBOX(the_geom, 1, 2, 3, 4, 'EPSG:4326')`, x or longitude first. */
  #boxed(): Expression {
    this.take()
    const [property, ...more] = this.arguments(() => this.value())
    const named = more.at(-1)
    const numbers = named?.kind === 'text' ? more.slice(0, -1) : more
    const sides = numbers.map((side) => (side.kind === 'number' ? Number(side.digits) : Number.NaN))
    if (property === undefined || sides.length !== 4 || !sides.every(Number.isFinite))
      this.fail('BBOX takes a geometry, four numbers, and the name of a CRS or nothing')
    if (named?.kind === 'text') this.#named.add(named.value)
    else this.#isMixed = true
    return { kind: 'call', op: 's_intersects', args: [property, { kind: 'box', sides }] }
  }

  protected override value(): Expression {
    const found = super.value()
    if (found.kind === 'geometry' || found.kind === 'box') this.#isMixed = true
    return found
  }

  /** A box in ECQL has both x before both y. */
  protected override call(word: string): Expression {
    if (word !== 'ENVELOPE') return super.call(word)
    const [x1 = 0, x2 = 0, y1 = 0, y2 = 0, ...more] = this.sides(word)
    if (more.length > 0) this.fail('ENVELOPE takes four numbers')
    return { kind: 'box', sides: [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)] }
  }

  protected override predicate(value: Expression): Expression | undefined {
    if (this.takeWord('ILIKE')) {
      const folded = (of: Expression): Expression => ({ kind: 'call', op: 'casei', args: [of] })
      return { kind: 'call', op: 'like', args: [folded(value), folded(this.value())] }
    }
    return this.#timed(value) ?? super.predicate(value)
  }

  /** `BEFORE OR DURING` ends before the end of its period, `DURING OR AFTER` starts after its start. */
  #timed(value: Expression): Expression | undefined {
    const related = (op: string, to: Expression): Expression => ({ kind: 'call', op, args: [value, to] })
    if (this.takeWord('TEQUALS')) return related('t_equals', this.#time())
    if (this.takeWord('AFTER')) return related('t_after', this.#time())
    if (this.takeWord('BEFORE')) {
      if (!this.takeWord('OR')) return related('t_before', this.#time())
      if (!this.takeWord('DURING')) this.fail('DURING was expected')
      return related('t_before', this.#period().to)
    }
    if (!this.takeWord('DURING')) return undefined
    if (!this.takeWord('OR')) return related('t_during', this.#period())
    if (!this.takeWord('AFTER')) this.fail('AFTER was expected')
    return related('t_after', this.#period().from)
  }

  #time(): Expression {
    const { kind, text } = this.next
    const begins = kind === 'time' || (kind === 'word' && isDuration(text))
    if (!begins || !(this.isSign('/', this.behind(1)) || kind === 'word')) return this.#moment()
    return this.#period()
  }

  #period(): Extract<Expression, { kind: 'interval' }> {
    const [from, to] = [this.#end(), this.takeSign('/') ? this.#end() : this.fail('"/" was expected')]
    if (typeof from !== 'string')
      return { kind: 'interval', from, to: typeof to === 'string' ? moved(from, to, 1) : to }
    if (typeof to === 'string') this.fail('a period has a date beside its duration')
    return { kind: 'interval', from: moved(to, from, -1), to }
  }

  /** A moment, or a duration as text. */
  #end(): Expression | string {
    const { kind, text } = this.next
    return kind === 'word' && isDuration(text) ? this.take().text : this.#moment()
  }

  #moment(): Expression {
    const value = this.operand()
    if (value.kind === 'text') return intervalEnd(value.value)
    if (value.kind === 'date' || value.kind === 'timestamp' || value.kind === 'property') return value
    return this.fail('a date or time was expected before this')
  }
}

/** Returns the moment that is a duration (ISO 8601) after or before another one. */
function moved(from: Expression, text: string, sign: 1 | -1): Expression {
  const start = from.kind === 'date' || from.kind === 'timestamp' ? Date.parse(from.text) : Number.NaN
  if (Number.isNaN(start)) throw unsupportedFilter('A duration is added to a date or time that is written')
  const end = movedBy(start, text, sign)
  if (end === undefined) throw unsupportedFilter('A period ends outside of the years 1 to 9999')
  return { kind: 'timestamp', text: new Date(end).toISOString() }
}
