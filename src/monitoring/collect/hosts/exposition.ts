import { ownValue } from '../../../core/values/record-keys.ts'
/** One line of the Prometheus text format. */
export interface ExposedSample {
  name: string
  labels: Map<string, string>
  value: number
}

const maxLineLength = 65_536
const maxLabels = 64

/**
 * Parses the Prometheus text format and the line extensions of OpenMetrics; returns samples with the given
 * names. Skips and counts invalid lines; a text without any valid line has no samples.
 */
export function parseExposition(
  text: string,
  requested: ReadonlySet<string>,
): { samples: ExposedSample[]; badLines: number } {
  const samples: ExposedSample[] = []
  let badLines = 0
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    if (isSelected(text, start, end, requested)) {
      const sample = end - start > maxLineLength ? undefined : parseLine(text.slice(start, end))
      if (sample === undefined) badLines += 1
      else samples.push(sample)
    }
    start = end + 1
  }
  return { samples, badLines }
}

const nameAt = /[a-zA-Z_:][a-zA-Z0-9_:]*/y

function isSelected(text: string, start: number, end: number, requested: ReadonlySet<string>): boolean {
  let at = start
  while (at < end && isBlank(text[at])) at += 1
  nameAt.lastIndex = at
  const name = text[at] === '#' ? undefined : nameAt.exec(text)?.[0]
  return name !== undefined && requested.has(name)
}

/** Parses one line; undefined if it is invalid. */
export function parseLine(line: string): ExposedSample | undefined {
  const name = /^[ \t]*([a-zA-Z_:][a-zA-Z0-9_:]*)[ \t]*/.exec(line)
  if (name === null) return undefined
  let at = name[0].length
  let labels = new Map<string, string>()
  if (line[at] === '{') {
    const read = parseLabels(line, at + 1)
    if (read === undefined) return undefined
    ;({ labels, at } = read)
  }
  // A time may follow the value, and an exemplar after a #.
  const rest = /^[ \t]*([^\s#]+)(?:[ \t]+-?[\d.]+(?:[eE][+-]?\d+)?)?[ \t\r]*(?:#.*)?$/s.exec(line.slice(at))
  const value = rest === null ? undefined : parseValue(rest[1] ?? '')
  return value === undefined ? undefined : { name: name[1] ?? '', labels, value }
}

const labelName = /[ \t]*([a-zA-Z_][a-zA-Z0-9_]*)[ \t]*=[ \t]*"/y

function parseLabels(line: string, start: number): { labels: Map<string, string>; at: number } | undefined {
  const labels = new Map<string, string>()
  let at = start
  while (labels.size <= maxLabels) {
    at = skipBlanks(line, at)
    if (line[at] === '}') return { labels, at: at + 1 }
    labelName.lastIndex = at
    const name = labelName.exec(line)
    const value = name === null ? undefined : parseQuoted(line, labelName.lastIndex)
    if (name === null || value === undefined || labels.has(name[1] ?? '')) return undefined
    labels.set(name[1] ?? '', value.text)
    at = skipBlanks(line, value.at)
    if (line[at] === ',') at += 1
    else if (line[at] !== '}') return undefined
  }
  return undefined
}

const escapes: Record<string, string> = { n: '\n', '"': '"', '\\': '\\' }

/** Parses up to the closing quote; a backslash before any other character is literal. */
function parseQuoted(line: string, start: number): { text: string; at: number } | undefined {
  const end = /(?:[^"\\]|\\.)*"/sy
  end.lastIndex = start
  const found = end.exec(line)?.[0]
  if (found === undefined) return undefined
  const text = found
    .slice(0, -1)
    .replace(/\\(.)/gs, (all, escaped: string) => ownValue(escapes, escaped) ?? all)
  return { text, at: start + found.length }
}

function parseValue(text: string): number | undefined {
  const special = /^([+-]?)(inf(?:inity)?|nan)$/i.exec(text)
  if (special !== null) {
    if ((special[2] ?? '').toLowerCase() === 'nan') return Number.NaN
    return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  }
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined
}

function skipBlanks(line: string, start: number): number {
  let at = start
  while (isBlank(line[at])) at += 1
  return at
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t'
}
