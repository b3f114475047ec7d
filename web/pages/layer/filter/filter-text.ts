/** Column type, for conditions. */
export type ValueKind = 'number' | 'text' | 'time' | 'truth'

/** A column that can be filtered by. */
export interface FilterColumn {
  name: string
  kind: ValueKind
}

const signs = ['=', '<>', '<', '<=', '>', '>=', 'contains', 'begins', 'empty', 'filled'] as const
export type Sign = (typeof signs)[number]

/** Condition on a column. */
export interface Condition {
  name: string
  sign: Sign
  /** As entered; unused if the operator takes no value. */
  value: string
}

const ordered: readonly Sign[] = ['=', '<>', '<', '<=', '>', '>=', 'empty', 'filled']

/** Operators of a column type, the most common first. */
export const signsOf: Readonly<Record<ValueKind, readonly Sign[]>> = {
  number: ordered,
  time: ordered,
  text: ['contains', '=', '<>', 'begins', 'empty', 'filled'],
  truth: ['=', 'empty', 'filled'],
}

export function asksForValue(sign: Sign): boolean {
  return sign !== 'empty' && sign !== 'filled'
}

/** Conditions that all have to hold, as CQL2 text. */
export function toFilterText(conditions: readonly Condition[], kindOf: (name: string) => ValueKind): string {
  return conditions.map((one) => conditionText(one, kindOf(one.name))).join(' AND ')
}

function conditionText({ name, sign, value }: Condition, kind: ValueKind): string {
  const column = `"${name.replaceAll('"', '""')}"`
  if (sign === 'empty') return `${column} IS NULL`
  if (sign === 'filled') return `${column} IS NOT NULL`
  if (sign === 'contains' || sign === 'begins') {
    const pattern = `${sign === 'contains' ? '%' : ''}${value.replaceAll(/[\\%_]/g, '\\$&')}%`
    return `CASEI(${column}) LIKE CASEI(${quoted(pattern)})`
  }
  return `${column} ${sign} ${literal(value, kind)}`
}

function literal(value: string, kind: ValueKind): string {
  const text = value.trim()
  // The server rejects an invalid number with its own message.
  if (kind === 'number') return text === '' || Number.isNaN(Number(text)) ? quoted(value) : text
  if (kind === 'truth') return text === 'true' ? 'TRUE' : 'FALSE'
  if (kind === 'text') return quoted(value)
  return /^\d{4}-\d\d-\d\d$/.test(text) ? `DATE(${quoted(text)})` : `TIMESTAMP(${quoted(text)})`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

const token =
  /\s*("(?:[^"]|"")*"|'(?:[^']|'')*'|[A-Za-z_][\w.]*|[-+]?[\d.]+(?:[eE][-+]?\d+)?|<=|>=|<>|[=<>()])/y

/** Returns the conditions of a text; undefined if conditions cannot express it. */
export function conditionsOf(text: string): Condition[] | undefined {
  const tokens = tokensOf(text)
  if (tokens === undefined) return undefined
  const found: Condition[] = []
  while (tokens.length > 0) {
    if (found.length > 0 && tokens.shift()?.toUpperCase() !== 'AND') return undefined
    const one = readCondition(tokens)
    if (one === undefined) return undefined
    found.push(one)
  }
  return found
}

function tokensOf(text: string): string[] | undefined {
  const tokens: string[] = []
  token.lastIndex = 0
  const end = text.trimEnd().length
  while (token.lastIndex < end) {
    const [, one] = token.exec(text) ?? []
    if (one === undefined) return undefined
    tokens.push(one)
  }
  return tokens
}

function readCondition(tokens: string[]): Condition | undefined {
  const first = tokens.shift() ?? ''
  if (first.toUpperCase() === 'CASEI') return readPattern(tokens)
  const name = columnOf(first)
  const sign = (tokens.shift() ?? '').toUpperCase()
  if (name === undefined) return undefined
  if (sign === 'IS') {
    const isNot = tokens[0]?.toUpperCase() === 'NOT'
    if (isNot) tokens.shift()
    return tokens.shift()?.toUpperCase() === 'NULL'
      ? { name, sign: isNot ? 'filled' : 'empty', value: '' }
      : undefined
  }
  const known = ordered.find((one) => one === sign)
  const value = known === undefined ? undefined : readLiteral(tokens)
  return known === undefined || value === undefined ? undefined : { name, sign: known, value }
}

/** `(name) LIKE CASEI('%text%')`, behind `CASEI`. */
function readPattern(tokens: string[]): Condition | undefined {
  const [open, column = '', close, like, casei, begin, pattern = '', end] = tokens.splice(0, 8)
  const name = columnOf(column)
  const words = [open, close, like?.toUpperCase(), casei?.toUpperCase(), begin, end].join(' ')
  const [, anywhere, text] = /^'(%?)(.*)%'$/s.exec(pattern) ?? []
  if (name === undefined || words !== '( ) LIKE CASEI ( )' || text === undefined) return undefined
  const plain = text.replaceAll(/\\[\\%_]/g, '')
  if (/[\\%_]/.test(plain)) return undefined
  const value = text.replaceAll(/\\([\\%_])/g, '$1').replaceAll("''", "'")
  return { name, sign: anywhere === '%' ? 'contains' : 'begins', value }
}

function columnOf(word: string): string | undefined {
  if (word.startsWith('"')) return word.slice(1, -1).replaceAll('""', '"')
  return /^[A-Za-z_]/.test(word) && !/^(?:NOT|AND|OR)$/i.test(word) ? word : undefined
}

function readLiteral(tokens: string[]): string | undefined {
  const first = tokens.shift() ?? ''
  if (/^[-+.\d]/.test(first)) return first
  if (first.startsWith("'")) return first.slice(1, -1).replaceAll("''", "'")
  const word = first.toUpperCase()
  if (word === 'TRUE' || word === 'FALSE') return word.toLowerCase()
  if (word !== 'DATE' && word !== 'TIMESTAMP') return undefined
  const [open, text = '', close] = tokens.splice(0, 3)
  return open === '(' && close === ')' && text.startsWith("'") ? text.slice(1, -1) : undefined
}
