import { invalidFilter } from './refusals.ts'

/** What stands at a place of a filter in CQL2 text. */
export interface Token {
  kind: 'word' | 'quoted' | 'text' | 'number' | 'sign' | 'end'
  /** As it is meant: without quotes and escapes. */
  text: string
  /** Where it begins and ends, in characters from 0. */
  from: number
  to: number
}

/** Letters of names (OGC 21-065r2, Annex B: `identifierStart`, `identifierPart`), in the classes of Unicode. */
const pattern =
  /(?<word>[\p{L}_:][\p{L}\p{M}\p{N}_:.]*)|"(?<quoted>(?:[^"]|"")*)"|'(?<text>(?:[^'\\]|''|\\[\s\S])*)'|(?<number>[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)|(?<sign><>|<=|>=|[()=<>,+\-*/^%])/uy

/** What stands behind a backslash for another character (OGC 21-065r2, requirement `/req/cql2-text/escaping`). */
const escaped: Record<string, string> = {
  ...{ a: '\x07', b: '\b', t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' },
  ...{ "'": "'", '\\': '\\' },
}

const shownBehind = 20

/** The tokens of a filter, the last of kind `end`; throws `invalid-filter` for what begins none. */
export function tokensOf(filter: string): Token[] {
  const tokens: Token[] = []
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
        filter[at] === "'" ? 'the text that begins here has no end' : 'nothing of CQL2 text begins here',
      )
    tokens.push({ ...tokenOf(groups), from: at, to: pattern.lastIndex })
    at = pattern.lastIndex
  }
  tokens.push({ kind: 'end', text: '', from: at, to: at })
  return tokens
}

function tokenOf(groups: Record<string, string | undefined>): Pick<Token, 'kind' | 'text'> {
  const { word, quoted, text, number, sign } = groups
  if (word !== undefined) return { kind: 'word', text: word }
  if (quoted !== undefined) return { kind: 'quoted', text: quoted.replaceAll('""', '"') }
  if (text !== undefined) return { kind: 'text', text: unescaped(text) }
  if (number !== undefined) return { kind: 'number', text: number }
  return { kind: 'sign', text: sign ?? '' }
}

/** A backslash before any other character stays: it may be meant for LIKE. */
function unescaped(text: string): string {
  return text.replace(/''|\\([abtnvfr'\\])/g, (_, letter?: string) => escaped[letter ?? "'"] as string)
}

/** Tells where in a filter something else was expected. */
export function unreadable(filter: string, at: number, expected: string): Error {
  const found = filter.slice(at, at + shownBehind)
  const place = found === '' ? 'at its end' : `at character ${at + 1}, "${found}"`
  return invalidFilter(`The filter cannot be read ${place}: ${expected}`)
}
