import type { TextFolding } from './filter.ts'

/** Combining marks, which represent accents in decomposed text. */
export const accentMarks = '[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]'
const marks = new RegExp(accentMarks, 'g')

/**
 * Converts a text to lower or upper case, by the language-independent rules of Unicode, or removes accents.
 */
export function foldFilterText(text: string, folded: TextFolding): string {
  if (folded === 'accents') return text.normalize('NFD').replace(marks, '')
  return folded === 'case' ? text.toLowerCase() : text.toUpperCase()
}

/** Returns the number of characters of a text: one beyond U+FFFF counts once. */
export function lengthOfText(text: string): number {
  let length = 0
  for (const _character of text) length += 1
  return length
}

/** Returns a negative number if `a` precedes `b` by Unicode code points. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at += 1) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (x !== y) return orderOfUnit(x) - orderOfUnit(y)
  }
  return a.length - b.length
}

/** Surrogates of characters beyond U+FFFF follow all other code units, although some of those are greater. */
function orderOfUnit(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

/** Returns the common prefix of all texts that a LIKE pattern matches. */
export function likePrefix(pattern: string): string {
  const [plain = ''] = /^(?:[^%_\\]|\\.)*/su.exec(pattern) ?? []
  return plain.replaceAll(/\\(.)/gsu, '$1')
}

const lastCodePoint = 0x10ffff
const [lastBeforeHalves, firstBehindHalves] = [0xd7ff, 0xe000]

/** Returns the first text after all texts with this prefix, by code points; undefined if there is none. */
export function endOfPrefix(prefix: string): string | undefined {
  const codes = Array.from(prefix, (character) => character.codePointAt(0) ?? 0)
  while (codes.at(-1) === lastCodePoint) codes.pop()
  const last = codes.pop()
  if (last === undefined) return undefined
  return String.fromCodePoint(...codes, last === lastBeforeHalves ? firstBehindHalves : last + 1)
}

/** A part of a pattern: a literal character, or a wildcard for one or many characters. */
export type PatternPiece = { text: string } | { wild: 'one' | 'many' }

/** Returns the pieces of a LIKE pattern. */
export function patternPieces(pattern: string): PatternPiece[] {
  const pieces: PatternPiece[] = []
  let isPlain = false
  for (const char of pattern) {
    if (isPlain || !/[%_\\]/.test(char)) pieces.push({ text: char })
    else if (char !== '\\') pieces.push({ wild: char === '%' ? 'many' : 'one' })
    isPlain = !isPlain && char === '\\'
  }
  return pieces
}

/** Returns a text with a backslash before each character that has a meaning in LIKE patterns. */
export function escapePattern(text: string): string {
  return text.replace(/[%_\\]/g, '\\$&')
}

/** A LIKE pattern: `%` for any characters, `_` for one, `\` before a character for the literal character. */
export class LikePattern {
  /** Required character at each position, undefined for any; runs between `%`. */
  readonly #runs: (string | undefined)[][] = [[]]

  constructor(pattern: string) {
    for (const piece of patternPieces(pattern)) {
      if ('text' in piece) this.#runs.at(-1)?.push(piece.text)
      else if (piece.wild === 'one') this.#runs.at(-1)?.push(undefined)
      else this.#runs.push([])
    }
  }

  /** Takes time proportional to at most the product of the lengths of text and pattern. */
  matches(text: string): boolean {
    const characters = [...text]
    const [first = [], ...rest] = this.#runs
    if (!standsAt(first, characters, 0)) return false
    if (rest.length === 0) return characters.length === first.length
    const last = rest.pop() ?? []
    let at = first.length
    for (const run of rest) {
      while (at + run.length <= characters.length && !standsAt(run, characters, at)) at += 1
      if (at + run.length > characters.length) return false
      at += run.length
    }
    const end = characters.length - last.length
    return end >= at && standsAt(last, characters, end)
  }
}

function standsAt(run: readonly (string | undefined)[], text: readonly string[], at: number): boolean {
  if (at + run.length > text.length) return false
  return run.every((character, index) => character === undefined || text[at + index] === character)
}
