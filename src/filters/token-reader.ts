import { deepestFilter } from './expression.ts'
import { tooDeep } from './filter-size.ts'
import type { FilterToken } from './tokens.ts'
import { unreadable } from './tokens.ts'

/** Square brackets, in notations that have them, are equivalent to round ones. */
const brackets = new Map([
  ['[', '('],
  [']', ')'],
])

/**
 * Steps through the tokens of a filter; throws `invalid-filter` if it is too long, too deep, or has a syntax
 * error.
 */
export class TokenReader {
  protected readonly filter: string
  readonly #tokens: FilterToken[]
  #at = 0
  #depth = 0

  constructor(filter: string, tokens: FilterToken[]) {
    this.filter = filter
    this.#tokens = tokens
  }

  /** The next token; at the end a token of kind `end`. */
  protected get next(): FilterToken {
    return this.behind(0)
  }

  /** Returns the token `count` positions after the next one. */
  protected behind(count: number): FilterToken {
    return this.#tokens[Math.min(this.#at + count, this.#tokens.length - 1)] as FilterToken
  }

  /** Consumes the next token and returns it. */
  protected take(): FilterToken {
    const { next } = this
    this.#at += 1
    return next
  }

  protected isWord(word: string, { kind, text }: FilterToken = this.next): boolean {
    return kind === 'word' && text.toUpperCase() === word
  }

  protected isSign(sign: string, { kind, text }: FilterToken = this.next): boolean {
    return kind === 'sign' && (text === sign || brackets.get(text) === sign)
  }

  /** True if the next tokens are a word and an opening bracket. */
  protected get isCall(): boolean {
    return this.next.kind === 'word' && this.isSign('(', this.behind(1))
  }

  protected takeWord(word: string): boolean {
    if (!this.isWord(word)) return false
    this.take()
    return true
  }

  protected takeSign(sign: string): boolean {
    if (!this.isSign(sign)) return false
    this.take()
    return true
  }

  /** Passes an operator, also one that the next number begins with: in `a -1` it is not a part of the number. */
  protected takeOperator(operator: string): boolean {
    if (operator === 'div') return this.takeWord('DIV')
    const { kind, text, from } = this.next
    if (kind !== 'number' || !text.startsWith(operator)) return this.takeSign(operator)
    this.#tokens[this.#at] = { ...this.next, text: text.slice(1), from: from + 1 }
    return true
  }

  protected expectSign(sign: string): void {
    if (!this.takeSign(sign)) this.fail(`"${sign}" was expected`)
  }

  protected fail(expected: string): never {
    throw unreadable(this.filter, this.next.from, expected)
  }

  protected deeper<Result>(read: () => Result): Result {
    this.#depth += 1
    if (this.#depth > deepestFilter) throw tooDeep()
    const found = read()
    this.#depth -= 1
    return found
  }
}
