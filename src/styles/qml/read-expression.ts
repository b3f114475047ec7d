import { ownValue } from '../../core/values/record-keys.ts'
import type { Expression, FilterComparison } from '../../filters/expression.ts'
import { conjunction, disjunction } from '../../filters/expression.ts'
import { comparison, hasDimension, isNull, likeness, negation } from '../condition.ts'
import type { Dimension, Literal, StyleAttribute } from '../model.ts'

const maxTokens = 20_000
const maxDepth = 100
const geometryNames = ['Point', 'Line', 'Polygon']

type Token =
  | { kind: 'name' | 'text' | 'sign' | 'word'; text: string }
  | { kind: 'number'; value: number; text: string }

/** Splits a QGIS expression into tokens; undefined for invalid text. */
function tokensOf(expression: string): Token[] | undefined {
  const pattern =
    /\s+|"((?:[^"]|"")*)"|'((?:[^'\\]|''|\\.)*)'|(\d+\.?\d*(?:[eE][+-]?\d+)?)|(<=|>=|<>|!=|\|\||[=<>(),-])|(\$?[\p{L}_][\p{L}\p{N}_]*)/suy
  const tokens: Token[] = []
  while (pattern.lastIndex < expression.length) {
    const found = pattern.exec(expression)
    if (found === null || tokens.length > maxTokens) return undefined
    const [, name, text, number, sign, word] = found
    if (name !== undefined) tokens.push({ kind: 'name', text: name.replaceAll('""', '"') })
    else if (text !== undefined)
      tokens.push({
        kind: 'text',
        text: text.replace(/''|\\(.)/gs, (all, char?: string) =>
          char === undefined ? "'" : /[%_]/.test(char) ? all : char,
        ),
      })
    else if (number !== undefined) tokens.push({ kind: 'number', value: Number(number), text: number })
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign })
    else if (word !== undefined) tokens.push({ kind: 'word', text: word })
  }
  return tokens
}

/** Reads a condition from a QGIS expression; undefined if it has no counterpart. */
export function readExpression(expression: string): Expression | undefined {
  const tokens = tokensOf(expression)
  if (tokens === undefined) return undefined
  const reader = new ExpressionReader(tokens)
  const condition = reader.either()
  return reader.isAtEnd() ? condition : undefined
}

/** Returns the attribute if the expression is a single attribute. */
export function readAttribute(expression: string): string | undefined {
  const [only, ...more] = tokensOf(expression) ?? []
  const isName = only?.kind === 'name' || (only?.kind === 'word' && !only.text.startsWith('$'))
  return isName && more.length === 0 ? only.text : undefined
}

/** Reads the texts and attributes that `||` or `concat` joins. */
export function readConcatenation(expression: string): (string | StyleAttribute)[] | undefined {
  const tokens = tokensOf(expression)
  if (tokens === undefined || tokens.length === 0) return undefined
  const [first, second] = tokens
  const isCall = first?.kind === 'word' && first.text.toLowerCase() === 'concat' && second?.text === '('
  const list = isCall ? tokens.slice(2, -1) : tokens
  const between = isCall ? ',' : '||'
  const parts: (string | StyleAttribute)[] = []
  for (const [index, token] of list.entries()) {
    if (index % 2 === 1) {
      if (token.kind !== 'sign' || token.text !== between) return undefined
    } else if (token.kind === 'name' || (token.kind === 'word' && !token.text.startsWith('$')))
      parts.push({ property: token.text })
    else if (token.kind === 'text' || token.kind === 'number') parts.push(token.text)
    else return undefined
  }
  return list.length % 2 === 1 ? parts : undefined
}

type Side =
  | { kind: 'literal'; value: Literal }
  | ({ kind: 'attribute' } & StyleAttribute)
  | { kind: 'id' }
  | { kind: 'geometry' }

const comparisonSigns: Record<string, FilterComparison> = {
  '=': '=',
  '<>': '<>',
  '!=': '<>',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
}

/**
 * Parses by operator precedence: or, and, not, comparison. Each method returns undefined for unknown syntax.
 */
class ExpressionReader {
  readonly #tokens: Token[]
  #at = 0
  #depth = 0

  constructor(tokens: Token[]) {
    this.#tokens = tokens
  }

  isAtEnd(): boolean {
    return this.#at === this.#tokens.length
  }

  #isWord(...words: string[]): boolean {
    return words.every((word, index) => {
      const token = this.#tokens[this.#at + index]
      return token?.kind === 'word' && token.text.toLowerCase() === word
    })
  }

  #takeWords(...words: string[]): boolean {
    const isThere = this.#isWord(...words)
    if (isThere) this.#at += words.length
    return isThere
  }

  #takeSign(sign: string): boolean {
    const token = this.#tokens[this.#at]
    const isThere = token?.kind === 'sign' && token.text === sign
    if (isThere) this.#at += 1
    return isThere
  }

  either(): Expression | undefined {
    return this.#chain('or', () => this.#chain('and', () => this.#negation()))
  }

  #chain(word: 'and' | 'or', next: () => Expression | undefined): Expression | undefined {
    const first = next()
    const conditions = [first]
    while (this.#takeWords(word)) conditions.push(next())
    const known = conditions.filter((one) => one !== undefined)
    if (known.length < conditions.length) return undefined
    if (known.length === 1) return first
    return word === 'and' ? conjunction(known) : disjunction(known)
  }

  #negation(): Expression | undefined {
    this.#depth += 1
    if (this.#depth > maxDepth) return undefined
    const condition = this.#takeWords('not') ? negated(this.#negation()) : this.#primary()
    this.#depth -= 1
    return condition
  }

  #primary(): Expression | undefined {
    if (this.#takeWords('true')) return conjunction([])
    if (this.#takeWords('false')) return disjunction([])
    const start = this.#at
    if (this.#takeSign('(')) {
      const inner = this.either()
      if (inner !== undefined && this.#takeSign(')')) return inner
      this.#at = start
      return undefined
    }
    const side = this.#side()
    return side === undefined ? undefined : this.#comparison(side)
  }

  #comparison(left: Side): Expression | undefined {
    if (this.#takeWords('is', 'not', 'null')) return negated(nullOf(left))
    if (this.#takeWords('is', 'null')) return nullOf(left)
    if (this.#takeWords('not', 'in')) return negated(this.#members(left))
    if (this.#takeWords('in')) return this.#members(left)
    const isNot = this.#takeWords('not')
    for (const word of ['like', 'ilike']) {
      if (this.#takeWords(word)) {
        const like = this.#like(left, word === 'ilike')
        return isNot ? negated(like) : like
      }
    }
    const token = this.#tokens[this.#at]
    const op = token?.kind === 'sign' ? ownValue(comparisonSigns, token.text) : undefined
    if (op === undefined || isNot) return undefined
    this.#at += 1
    const right = this.#side()
    return right === undefined ? undefined : compared(op, left, right)
  }

  #like(left: Side, ignoresCase: boolean): Expression | undefined {
    const right = this.#side()
    if (left.kind !== 'attribute' || right?.kind !== 'literal') return undefined
    return likeness(left.property, String(right.value), ignoresCase)
  }

  #members(left: Side): Expression | undefined {
    if (!this.#takeSign('(')) return undefined
    const values: Literal[] = []
    do {
      const side = this.#side()
      if (side?.kind !== 'literal') return undefined
      values.push(side.value)
    } while (this.#takeSign(','))
    if (!this.#takeSign(')')) return undefined
    if (left.kind === 'id') return { kind: 'ids', ids: values.map(String) }
    const conditions = values.map((value) => compared('=', left, { kind: 'literal', value }))
    const known = conditions.filter((one) => one !== undefined)
    return known.length < conditions.length ? undefined : disjunction(known)
  }

  #side(): Side | undefined {
    if (this.#takeWords('geometry_type') || this.#takeWords('geom_type')) {
      const isCall = this.#takeSign('(') && this.#takeWords('$geometry') && this.#takeSign(')')
      return isCall ? { kind: 'geometry' } : undefined
    }
    if (this.#takeWords('$id') || this.#takeWords('@id')) return { kind: 'id' }
    const isNegative = this.#takeSign('-')
    const token = this.#tokens[this.#at]
    this.#at += 1
    if (token?.kind === 'number') return { kind: 'literal', value: isNegative ? -token.value : token.value }
    if (token === undefined || isNegative) return undefined
    if (token.kind === 'text') return { kind: 'literal', value: token.text }
    if (token.kind === 'name') return { kind: 'attribute', property: token.text }
    if (token.kind !== 'word' || token.text.startsWith('$') || this.#tokens[this.#at]?.text === '(')
      return undefined
    const word = token.text.toLowerCase()
    if (word === 'true' || word === 'false') return { kind: 'literal', value: word === 'true' }
    return word === 'null' ? undefined : { kind: 'attribute', property: token.text }
  }
}

function negated(condition: Expression | undefined): Expression | undefined {
  return condition && negation(condition)
}

function nullOf(side: Side): Expression | undefined {
  return side.kind === 'attribute' ? isNull(side.property) : undefined
}

function compared(op: FilterComparison, left: Side, right: Side): Expression | undefined {
  if (left.kind === 'attribute' && right.kind === 'attribute') return comparison(op, left.property, right)
  if (right.kind !== 'literal') return undefined
  if (left.kind === 'attribute') return comparison(op, left.property, right.value)
  if (left.kind === 'id') return op === '=' ? { kind: 'ids', ids: [String(right.value)] } : undefined
  const dimension = geometryNames.indexOf(String(right.value))
  if (left.kind !== 'geometry' || dimension < 0 || op !== '=') return undefined
  return hasDimension(dimension as Dimension)
}
