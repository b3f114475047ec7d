import type { TextFolding } from './filter.ts'

/** Marks combined with the letter before them, which an accent is once a text is decomposed. */
export const accentMarks = '[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]'
const marks = new RegExp(accentMarks, 'g')

/** A text in small or capital letters, by the rules of Unicode without a language, or without accents. */
export function foldText(text: string, folded: TextFolding): string {
  if (folded === 'accents') return text.normalize('NFD').replace(marks, '')
  return folded === 'case' ? text.toLowerCase() : text.toUpperCase()
}

/** The number of characters of a text: one beyond U+FFFF counts once. */
export function lengthOfText(text: string): number {
  let length = 0
  for (const _character of text) length += 1
  return length
}

/** Below zero where `a` comes before `b` by the numbers of their characters in Unicode. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at += 1) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (x !== y) return orderOfUnit(x) - orderOfUnit(y)
  }
  return a.length - b.length
}

/** Halves of characters beyond U+FFFF come behind all others, though their numbers are less than some. */
function orderOfUnit(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

/** What every text begins with that a pattern of LIKE matches. */
export function prefixOf(pattern: string): string {
  const [plain = ''] = /^(?:[^%_\\]|\\.)*/su.exec(pattern) ?? []
  return plain.replaceAll(/\\(.)/gsu, '$1')
}

const lastCodePoint = 0x10ffff
const [lastBeforeHalves, firstBehindHalves] = [0xd7ff, 0xe000]

/** The first text behind all those that begin with this one, by the numbers of their characters; undefined where there is none. */
export function endOfPrefix(prefix: string): string | undefined {
  const codes = Array.from(prefix, (character) => character.codePointAt(0) ?? 0)
  while (codes.at(-1) === lastCodePoint) codes.pop()
  const last = codes.pop()
  if (last === undefined) return undefined
  return String.fromCodePoint(...codes, last === lastBeforeHalves ? firstBehindHalves : last + 1)
}

/** A pattern of LIKE: `%` for any characters, `_` for one, `\` before a character for itself. */
export class LikePattern {
  /** For each place the character that has to stand there; undefined for any one. Runs between `%`. */
  readonly #runs: (string | undefined)[][] = [[]]

  constructor(pattern: string) {
    let isEscaped = false
    for (const character of pattern) {
      if (!isEscaped && character === '\\') {
        isEscaped = true
        continue
      }
      if (!isEscaped && character === '%') this.#runs.push([])
      else this.#runs.at(-1)?.push(!isEscaped && character === '_' ? undefined : character)
      isEscaped = false
    }
  }

  /** Takes time with the length of the text times that of the pattern at most. */
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
