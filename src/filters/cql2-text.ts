import { GeometryBuilder } from '../geo/geometry-builder.ts'
import { GeometryError } from '../geo/wkb.ts'
import { WktReader } from '../geo/wkt.ts'
import type { Token } from './cql2-tokens.ts'
import { tokensOf, unreadable } from './cql2-tokens.ts'
import type { Expression } from './expression.ts'
import {
  comparisons,
  deepestFilter,
  largestFilter,
  spatialRelations,
  temporalRelations,
} from './expression.ts'
import { intervalEnd, wkbOf } from './literals.ts'
import { invalidFilter, unsupportedFilter } from './refusals.ts'

const geometryWords = new Set([
  ...[
    'POINT',
    'LINESTRING',
    'POLYGON',
    'MULTIPOINT',
    'MULTILINESTRING',
    'MULTIPOLYGON',
    'GEOMETRYCOLLECTION',
  ],
])
const reserved = new Set(['AND', 'OR', 'NOT', 'LIKE', 'BETWEEN', 'IN', 'IS', 'NULL', 'TRUE', 'FALSE'])
const relations = new Map<string, string>(
  [...spatialRelations, ...temporalRelations].map((op) => [op.toUpperCase(), op]),
)
const arithmetic = new Set(['+', '-', '*', '/', '^', '%'])
const encoder = new TextEncoder()

/** Reads a filter in CQL2 text (OGC 21-065r2, Annex B); throws `invalid-filter` and `unsupported-filter`. */
export function parseCql2Text(filter: string): Expression {
  return new TextParser(filter).parse()
}

class TextParser {
  readonly #filter: string
  readonly #tokens: Token[]
  #at = 0
  #depth = 0

  constructor(filter: string) {
    this.#filter = filter
    this.#tokens = tokensOf(filter)
    if (this.#tokens.length > largestFilter)
      throw invalidFilter(`The filter has more than ${largestFilter} operators, values and names`)
  }

  parse(): Expression {
    const whole = this.#either()
    if (this.#next.kind !== 'end') this.#fail('its end, AND or OR was expected')
    return whole
  }

  #either(): Expression {
    return this.#chain('or', () => this.#chain('and', () => this.#negated()))
  }

  #chain(op: 'and' | 'or', part: () => Expression): Expression {
    const args = [part()]
    while (this.#takeWord(op.toUpperCase())) args.push(part())
    return args.length === 1 ? (args[0] as Expression) : { kind: 'call', op, args }
  }

  #negated(): Expression {
    return this.#deeper(() =>
      this.#takeWord('NOT') ? { kind: 'call', op: 'not', args: [this.#negated()] } : this.#primary(),
    )
  }

  #primary(): Expression {
    if (this.#takeSign('(')) {
      const inner = this.#either()
      this.#expectSign(')')
      return inner
    }
    const relation = this.#isCall ? relations.get(this.#next.text.toUpperCase()) : undefined
    if (relation === undefined) return this.#predicate()
    this.#at += 1
    return { kind: 'call', op: relation, args: this.#arguments(() => this.#value()) }
  }

  /** A comparison, or a value that is true or false by itself. */
  #predicate(): Expression {
    const value = this.#value()
    const { kind, text } = this.#next
    if (kind === 'sign' && comparisons.some((sign) => sign === text)) {
      this.#at += 1
      return { kind: 'call', op: text, args: [value, this.#value()] }
    }
    this.#refuseArithmetic()
    if (this.#takeWord('IS')) return this.#isNull(value)
    const isNot = this.#takeWord('NOT')
    const found = this.#behindNot(value)
    if (found === undefined) {
      if (isNot) this.#fail('LIKE, BETWEEN or IN was expected behind NOT')
      return value
    }
    return isNot ? { kind: 'call', op: 'not', args: [found] } : found
  }

  #isNull(value: Expression): Expression {
    const isNot = this.#takeWord('NOT')
    if (!this.#takeWord('NULL')) this.#fail('NULL was expected')
    const found: Expression = { kind: 'call', op: 'isNull', args: [value] }
    return isNot ? { kind: 'call', op: 'not', args: [found] } : found
  }

  #behindNot(value: Expression): Expression | undefined {
    if (this.#takeWord('LIKE')) return { kind: 'call', op: 'like', args: [value, this.#value()] }
    if (this.#takeWord('BETWEEN')) {
      const least = this.#value()
      if (!this.#takeWord('AND')) this.#fail('AND was expected')
      return { kind: 'call', op: 'between', args: [value, least, this.#value()] }
    }
    if (!this.#takeWord('IN')) return undefined
    return {
      kind: 'call',
      op: 'in',
      args: [value, { kind: 'list', of: this.#arguments(() => this.#value()) }],
    }
  }

  #value(): Expression {
    return this.#deeper(() => {
      const token = this.#next
      this.#at += 1
      if (token.kind === 'text') return { kind: 'text', value: token.text }
      if (token.kind === 'number') return { kind: 'number', digits: token.text }
      if (token.kind === 'quoted') return { kind: 'property', name: token.text }
      this.#at -= 1
      if (token.kind === 'word') return this.#word(token)
      return this.#fail('a property, a value or a function was expected')
    })
  }

  #word(token: Token): Expression {
    const word = token.text.toUpperCase()
    if (this.#isGeometry(word)) return this.#geometry()
    if (this.#isCall) return this.#call(word)
    if (word === 'TRUE' || word === 'FALSE') {
      this.#at += 1
      return { kind: 'boolean', value: word === 'TRUE' }
    }
    if (reserved.has(word)) this.#fail('a property, a value or a function was expected')
    this.#at += 1
    return { kind: 'property', name: token.text }
  }

  #call(word: string): Expression {
    const start = this.#next
    this.#at += 1
    if (word === 'CASEI' || word === 'ACCENTI')
      return { kind: 'call', op: word.toLowerCase(), args: this.#arguments(() => this.#value()) }
    if (word === 'DATE' || word === 'TIMESTAMP')
      return { kind: word === 'DATE' ? 'date' : 'timestamp', text: this.#onlyText(word) }
    if (word === 'INTERVAL') return this.#interval()
    if (word === 'BBOX' || word === 'ENVELOPE') return this.#box(word)
    this.#at = this.#tokens.indexOf(start)
    throw unsupportedFilter(
      `The function ${start.text} is not offered: CASEI, ACCENTI, DATE, TIMESTAMP, INTERVAL, BBOX, ${[...relations.keys()].join(', ')} are`,
    )
  }

  #onlyText(word: string): string {
    const [value, ...more] = this.#arguments(() => this.#value())
    if (value?.kind === 'text' && more.length === 0) return value.value
    throw invalidFilter(
      `${word} takes one text, as in ${word}('${word === 'DATE' ? '2026-07-01' : '2026-07-01T12:00:00Z'}')`,
    )
  }

  #interval(): Expression {
    const ends = this.#arguments(() => this.#value()).map(endOf)
    const [from, to] = ends
    if (from === undefined || to === undefined || ends.length !== 2)
      throw invalidFilter("INTERVAL takes two ends, as in INTERVAL('2026-01-01', '..')")
    return { kind: 'interval', from, to }
  }

  #box(word: string): Expression {
    const sides = this.#arguments(() => this.#value()).map((side) =>
      side.kind === 'number' ? Number(side.digits) : Number.NaN,
    )
    if ((sides.length === 4 || sides.length === 6) && sides.every(Number.isFinite))
      return { kind: 'box', sides }
    throw invalidFilter(`${word} takes four or six numbers`)
  }

  #isGeometry(word: string): boolean {
    if (!geometryWords.has(word)) return false
    const behind = this.#tokens[this.#at + 1]
    if (behind?.kind === 'word') return /^(Z|M|ZM|EMPTY)$/i.test(behind.text)
    return behind?.kind === 'sign' && behind.text === '('
  }

  /** Well-known text to the bracket that closes it. */
  #geometry(): Expression {
    const start = this.#next.from
    while (this.#next.kind === 'word' && this.#next.text.toUpperCase() !== 'EMPTY') this.#at += 1
    let depth = 0
    do {
      const { kind, text } = this.#next
      if (kind === 'end') this.#fail('")" was expected')
      if (text === '(' && kind === 'sign') depth += 1
      if (text === ')' && kind === 'sign') depth -= 1
      this.#at += 1
    } while (depth > 0)
    const end = (this.#tokens[this.#at - 1] as Token).to
    return { kind: 'geometry', wkb: readWkt(this.#filter.slice(start, end)) }
  }

  #arguments(read: () => Expression): Expression[] {
    this.#expectSign('(')
    const found = [read()]
    while (this.#takeSign(',')) found.push(read())
    this.#refuseArithmetic()
    this.#expectSign(')')
    return found
  }

  #refuseArithmetic(): void {
    const { kind, text } = this.#next
    const isSigned = kind === 'number' && /^[-+]/.test(text)
    if (isSigned || (kind === 'sign' && arithmetic.has(text)) || (kind === 'word' && /^div$/i.test(text)))
      throw unsupportedFilter('Arithmetic is not offered in filters: compare with the value that it gives')
  }

  #deeper<Result>(read: () => Result): Result {
    this.#depth += 1
    if (this.#depth > deepestFilter)
      throw invalidFilter(`The filter is nested deeper than ${deepestFilter} levels`)
    const found = read()
    this.#depth -= 1
    return found
  }

  get #next(): Token {
    return this.#tokens[this.#at] as Token
  }

  /** Whether a word comes next and an opening bracket behind it. */
  get #isCall(): boolean {
    const behind = this.#tokens[this.#at + 1]
    return this.#next.kind === 'word' && behind?.kind === 'sign' && behind.text === '('
  }

  #takeWord(word: string): boolean {
    const { kind, text } = this.#next
    if (kind !== 'word' || text.toUpperCase() !== word) return false
    this.#at += 1
    return true
  }

  #takeSign(sign: string): boolean {
    const { kind, text } = this.#next
    if (kind !== 'sign' || text !== sign) return false
    this.#at += 1
    return true
  }

  #expectSign(sign: string): void {
    if (!this.#takeSign(sign)) this.#fail(`"${sign}" was expected`)
  }

  #fail(expected: string): never {
    throw unreadable(this.#filter, this.#next.from, expected)
  }
}

/** An end of an interval: a text stands for the date or moment in it, `..` for none. */
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
