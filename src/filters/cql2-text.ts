import { GeometryBuilder } from '../geo/geometry-builder.ts'
import { GeometryError } from '../geo/wkb.ts'
import { WktReader } from '../geo/wkt.ts'
import type { Expression } from './expression.ts'
import { filterComparisons, spatialRelations, temporalRelations } from './expression.ts'
import type { FilterLimits } from './filter-size.ts'
import {
  defaultFilterLimits,
  invalidFilter,
  refuseArrayFunction,
  requireFilterSize,
  unsupportedFilter,
} from './filter-size.ts'
import { filterFunctions, isFilterFunction } from './functions.ts'
import { intervalEnd, wkbOf } from './geometry-operand.ts'
import { TokenReader } from './token-reader.ts'
import type { FilterToken } from './tokens.ts'
import { tokensOf } from './tokens.ts'

const geometryWords = new Set([
  'POINT',
  'LINESTRING',
  'POLYGON',
  'MULTIPOINT',
  'MULTILINESTRING',
  'MULTIPOLYGON',
  'GEOMETRYCOLLECTION',
])
const reserved = new Set(['AND', 'OR', 'NOT', 'LIKE', 'BETWEEN', 'IN', 'IS', 'NULL', 'TRUE', 'FALSE'])
const relations = new Map<string, string>(
  [...spatialRelations, ...temporalRelations].map((op) => [op.toUpperCase(), op]),
)
/** Operators that are applied from left to right, in the order of their precedence; `^` comes before all of them. */
const precedence = [
  ['+', '-'],
  ['*', '/', '%', 'div'],
] as const
const valueExpected = 'a property, a value or a function was expected'
const encoder = new TextEncoder()

/** Parses a filter in CQL2 text (OGC 21-065r2, Annex B); throws `invalid-filter` and `unsupported-filter`. */
export function parseCql2Text(filter: string, limits: FilterLimits = defaultFilterLimits): Expression {
  const written = new Cql2Parser(filter, tokensOf(filter, { limits })).parse()
  requireFilterSize(written, limits)
  return written
}

/** Parser of CQL2 text; other dialects override parts of the grammar. */
export class Cql2Parser extends TokenReader {
  parse(): Expression {
    const whole = this.#either()
    if (this.next.kind !== 'end') this.fail('its end, AND or OR was expected')
    return whole
  }

  #either(): Expression {
    return this.#chain('or', () => this.#chain('and', () => this.#negated()))
  }

  #chain(op: 'and' | 'or', part: () => Expression): Expression {
    const args = [part()]
    while (this.takeWord(op.toUpperCase())) args.push(part())
    return args.length === 1 ? (args[0] as Expression) : { kind: 'call', op, args }
  }

  #negated(): Expression {
    return this.deeper(() =>
      this.takeWord('NOT') ? { kind: 'call', op: 'not', args: [this.#negated()] } : this.#primary(),
    )
  }

  #primary(): Expression {
    if (this.takeSign('(')) {
      const inner = this.#either()
      this.expectSign(')')
      return this.#behindValue(this.#calculation(inner))
    }
    return this.relation() ?? this.#behindValue(this.value())
  }

  /** Parses a call with a boolean result, such as a spatial or temporal relation. */
  protected relation(): Expression | undefined {
    const op = this.isCall ? relations.get(this.next.text.toUpperCase()) : undefined
    if (op === undefined) return undefined
    this.take()
    return { kind: 'call', op, args: this.arguments(() => this.value()) }
  }

  /** Parses a comparison with the value, or returns the value if it is boolean. */
  #behindValue(value: Expression): Expression {
    const { kind, text } = this.next
    if (kind === 'sign' && filterComparisons.some((sign) => sign === text)) {
      this.take()
      return { kind: 'call', op: text, args: [value, this.value()] }
    }
    if (this.takeWord('IS')) return this.#isNull(value)
    const isNot = this.takeWord('NOT')
    const found = this.predicate(value)
    if (found === undefined) {
      if (isNot) this.fail('LIKE, BETWEEN or IN was expected behind NOT')
      return value
    }
    return isNot ? { kind: 'call', op: 'not', args: [found] } : found
  }

  #isNull(value: Expression): Expression {
    const isNot = this.takeWord('NOT')
    if (!this.takeWord('NULL')) this.fail('NULL was expected')
    const found: Expression = { kind: 'call', op: 'isNull', args: [value] }
    return isNot ? { kind: 'call', op: 'not', args: [found] } : found
  }

  /** Parses the predicate after a value. */
  protected predicate(value: Expression): Expression | undefined {
    if (this.takeWord('LIKE')) return { kind: 'call', op: 'like', args: [value, this.value()] }
    if (this.takeWord('BETWEEN')) {
      const least = this.value()
      if (!this.takeWord('AND')) this.fail('AND was expected')
      return { kind: 'call', op: 'between', args: [value, least, this.value()] }
    }
    if (!this.takeWord('IN')) return undefined
    return { kind: 'call', op: 'in', args: [value, { kind: 'list', of: this.arguments(() => this.value()) }] }
  }

  protected value(): Expression {
    return this.#calculation()
  }

  /** `first`: the first operand, where that was read already. */
  #calculation(first?: Expression, level = 0): Expression {
    const operators = precedence[level]
    if (operators === undefined) return this.#power(first)
    let left = this.#calculation(first, level + 1)
    while (true) {
      const { from } = this.next
      const op = operators.find((one) => this.takeOperator(one))
      if (op === undefined) return left
      left = callAt(from, op, [left, this.#calculation(undefined, level + 1)])
    }
  }

  #power(first = this.operand()): Expression {
    const { from } = this.next
    if (!this.takeSign('^')) return first
    const found = callAt(from, '^', [first, this.operand()])
    if (this.isSign('^')) this.fail('brackets were expected around one of the two powers')
    return found
  }

  /** A value without an operator before or behind it. */
  protected operand(): Expression {
    return this.deeper(() => {
      const { next } = this
      if (next.kind === 'word') return this.#word(next)
      const plain = plainValue(next)
      if (plain !== undefined) {
        this.take()
        return plain
      }
      if (this.takeSign('-'))
        return callAt(next.from, '*', [{ kind: 'number', digits: '-1' }, this.operand()])
      if (!this.takeSign('(')) return this.fail(valueExpected)
      const inner = this.value()
      this.expectSign(')')
      return inner
    })
  }

  #word(token: FilterToken): Expression {
    const word = token.text.toUpperCase()
    if (this.#isGeometry(word)) return this.#geometry()
    if (this.isCall) return this.call(word)
    if (word === 'TRUE' || word === 'FALSE') {
      this.take()
      return { kind: 'boolean', value: word === 'TRUE' }
    }
    if (reserved.has(word)) this.fail(valueExpected)
    this.take()
    return { kind: 'property', name: token.text }
  }

  /** Parses a function or a value in brackets after a word. */
  protected call(word: string): Expression {
    if (isFilterFunction(word.toLowerCase())) {
      const { from } = this.take()
      return callAt(
        from,
        word.toLowerCase(),
        this.arguments(() => this.value()),
      )
    }
    if (word === 'DATE' || word === 'TIMESTAMP')
      return { kind: word === 'DATE' ? 'date' : 'timestamp', text: this.#onlyText(word) }
    if (word === 'INTERVAL') return this.#interval()
    if (word === 'BBOX' || word === 'ENVELOPE') return { kind: 'box', sides: this.sides(word) }
    refuseArrayFunction(this.next.text)
    throw unsupportedFilter(
      `The function ${this.next.text} is not offered: ${Object.keys(filterFunctions).join(', ').toUpperCase()}, DATE, TIMESTAMP, INTERVAL, BBOX, ${[...relations.keys()].join(', ')} are (at character ${this.next.from + 1})`,
    )
  }

  #onlyText(word: string): string {
    this.take()
    const [value, ...more] = this.arguments(() => this.value())
    if (value?.kind === 'text' && more.length === 0) return value.value
    throw invalidFilter(
      `${word} takes one text, as in ${word}('${word === 'DATE' ? '2026-07-01' : '2026-07-01T12:00:00Z'}')`,
    )
  }

  #interval(): Expression {
    this.take()
    const ends = this.arguments(() => this.value()).map(endOf)
    const [from, to] = ends
    if (from === undefined || to === undefined || ends.length !== 2)
      throw invalidFilter("INTERVAL takes two ends, as in INTERVAL('2026-01-01', '..')")
    return { kind: 'interval', from, to }
  }

  /** Parses four or six numbers in brackets after the word. */
  protected sides(word: string): number[] {
    this.take()
    const sides = this.arguments(() => this.value()).map((side) =>
      side.kind === 'number' ? Number(side.digits) : Number.NaN,
    )
    if ((sides.length === 4 || sides.length === 6) && sides.every(Number.isFinite)) return sides
    throw invalidFilter(`${word} takes four or six numbers`)
  }

  #isGeometry(word: string): boolean {
    if (!geometryWords.has(word)) return false
    const behind = this.behind(1)
    if (behind.kind === 'word') return /^(Z|M|ZM|EMPTY)$/i.test(behind.text)
    return this.isSign('(', behind)
  }

  /** Parses well-known text up to its closing bracket. */
  #geometry(): Expression {
    const start = this.next.from
    while (this.next.kind === 'word' && !this.isWord('EMPTY')) this.take()
    let depth = 0
    let end = start
    do {
      const token = this.next
      if (token.kind === 'end') this.fail('")" was expected')
      if (this.isSign('(', token)) depth += 1
      if (this.isSign(')', token)) depth -= 1
      end = this.take().to
    } while (depth > 0)
    return { kind: 'geometry', wkb: readWkt(this.filter.slice(start, end)) }
  }

  protected arguments<Read>(read: () => Read): Read[] {
    this.expectSign('(')
    const found = [read()]
    while (this.takeSign(',')) found.push(read())
    this.expectSign(')')
    return found
  }
}

function callAt(from: number, op: string, args: Expression[]): Expression {
  return { kind: 'call', op, args, at: `character ${from + 1}` }
}

function plainValue({ kind, text }: FilterToken): Expression | undefined {
  if (kind === 'text') return { kind: 'text', value: text }
  if (kind === 'number') return { kind: 'number', digits: text }
  if (kind === 'time') return momentOf(text)
  return kind === 'quoted' ? { kind: 'property', name: text } : undefined
}

/** Returns a date, or an RFC 3339 time whose seconds and zone may be missing: the zone is then UTC. */
function momentOf(text: string): Expression {
  const [date = '', time] = text.split('T')
  if (time === undefined) return { kind: 'date', text: date }
  const [, clock = '', hours, minutes = '00'] = /^([\d:.]+)(?:Z|([-+]\d\d):?(\d\d)?)?$/.exec(time) ?? []
  const whole = clock.length === 'hh:mm'.length ? `${clock}:00` : clock
  return { kind: 'timestamp', text: `${date}T${whole}${hours === undefined ? 'Z' : `${hours}:${minutes}`}` }
}

/** Returns an end of an interval: a text is a date or moment, `..` means none. */
function endOf(written: Expression): Expression {
  return written.kind === 'text' ? intervalEnd(written.value) : written
}

function readWkt(text: string): Uint8Array {
  const bytes = encoder.encode(text)
  const builder = new GeometryBuilder(1)
  try {
    new WktReader({ isMulti: false, hasZ: false, hasM: false }).read(bytes, 0, bytes.length, builder)
  } catch (error) {
    if (error instanceof GeometryError)
      throw invalidFilter(`A geometry of the filter cannot be read: ${error.message}`)
    throw error
  }
  return wkbOf(builder)
}
