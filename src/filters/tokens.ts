import type { FilterLimits } from './filter-size.ts'
import { defaultFilterLimits, invalidFilter, tooManyNodes } from './filter-size.ts'

/** A token of a filter text. */
export interface FilterToken {
  kind: 'word' | 'quoted' | 'text' | 'number' | 'time' | 'sign' | 'end'
  /** Value without quotes and escapes. */
  text: string
  /** Start and end offset, in characters from 0. */
  from: number
  to: number
}

/** Lexical rules of a notation. */
interface Notation {
  name: string
  pattern: RegExp
  plain(text: string): string
}

/** Letters of names (OGC 21-065r2, Annex B: `identifierStart`, `identifierPart`), as Unicode classes. */
const names = String.raw`(?<word>[\p{L}_:][\p{L}\p{M}\p{N}_:.]*)|"(?<quoted>(?:[^"]|"")*)"`
const numbers = String.raw`(?<number>[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)`
const signs = String.raw`(?<sign><>|<=|>=|[()=<>,+\-*/^%])`
/** A date, or a date and time, without quotes. */
const times = String.raw`(?<time>\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[-+]\d\d(?::?\d\d)?)?)?)`

/** Characters after a backslash and their meaning (OGC 21-065r2, requirement `/req/cql2-text/escaping`). */
const escaped = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['t', '\t'],
  ['n', '\n'],
  ['v', '\v'],
  ['f', '\f'],
  ['r', '\r'],
])

/** CQL2 text: a backslash before any other character is preserved, since it may be an escape of LIKE. */
const cql2: Notation = {
  name: 'CQL2 text',
  pattern: new RegExp(String.raw`${names}|'(?<text>(?:[^'\\]|''|\\[\s\S])*)'|${numbers}|${signs}`, 'uy'),
  plain: (text) =>
    text.replace(
      /''|\\([abtnvfr'\\])/g,
      (_, letter = "'") => escaped.get(letter as string) ?? String(letter),
    ),
}

/**
 * ECQL of GeoServer: no escapes except doubled quotes, times without quotes, and square brackets like round
 * ones.
 */
export const ecql: Notation = {
  name: 'ECQL',
  pattern: new RegExp(
    `${names}|'(?<text>(?:[^']|'')*)'|${times}|${numbers}|${signs.replace('[(', String.raw`[\[\](`)}`,
    'uy',
  ),
  plain: (text) => text.replaceAll("''", "'"),
}

const shownBehind = 20
/** More tokens never are within the limits of a filter: brackets, commas, and the words of one operator. */
const tokensPerNode = 10
/** Four numbers, a comma and the two brackets that a position of a MULTIPOINT may have. */
const tokensPerPosition = 7

/**
 * Returns the tokens of a filter, the last one of kind `end`; throws `invalid-filter` for an unknown token.
 */
export function tokensOf(
  filter: string,
  { notation = cql2, limits = defaultFilterLimits }: { notation?: Notation; limits?: FilterLimits } = {},
): FilterToken[] {
  const { pattern } = notation
  const maxTokens = limits.filterNodes * tokensPerNode + limits.coordinates * tokensPerPosition
  const tokens: FilterToken[] = []
  let at = 0
  while (true) {
    while (/\s/u.test(filter[at] ?? '')) at += 1
    if (at >= filter.length) break
    pattern.lastIndex = at
    const groups = pattern.exec(filter)?.groups
    if (groups === undefined)
      throw unreadable(
        filter,
        at,
        filter[at] === "'"
          ? 'the text that begins here has no end'
          : `nothing of ${notation.name} begins here`,
      )
    if (tokens.length >= maxTokens) throw tooManyNodes(limits)
    tokens.push({ ...tokenOf(groups, notation), from: at, to: pattern.lastIndex })
    at = pattern.lastIndex
  }
  tokens.push({ kind: 'end', text: '', from: at, to: at })
  return tokens
}

function tokenOf(
  { word, quoted, text, number, time, sign }: Record<string, string | undefined>,
  { plain }: Notation,
): Pick<FilterToken, 'kind' | 'text'> {
  if (word !== undefined) return { kind: 'word', text: word }
  if (quoted !== undefined) return { kind: 'quoted', text: quoted.replaceAll('""', '"') }
  if (text !== undefined) return { kind: 'text', text: plain(text) }
  if (number !== undefined) return { kind: 'number', text: number }
  if (time !== undefined) return { kind: 'time', text: time }
  return { kind: 'sign', text: sign ?? '' }
}

/** Returns an error that names the position in a filter and what was expected there. */
export function unreadable(filter: string, at: number, expected: string): Error {
  const found = filter.slice(at, at + shownBehind)
  const place = found === '' ? 'at its end' : `at character ${at + 1}, "${found}"`
  return invalidFilter(`The filter cannot be read ${place}: ${expected}`)
}
