/** A node of WKT (OGC 01-009 section 7, ISO 19162): `KEYWORD[value, ...]`; bare words are nodes without values. */
export interface WktNode {
  /** Upper case. */
  keyword: string
  values: (string | number | WktNode)[]
}

const maxLength = 1 << 18
const maxDepth = 40
const token = /\s*(?:"((?:[^"]|"")*)"|([[\](),])|([^[\](),"\s]+))/y

/**
 * Parses the WKT of a CRS. Undefined if the text is not WKT, or is too large or too deeply nested. Never
 * throws.
 */
export function parseCrsWkt(text: string): WktNode | undefined {
  if (text.length > maxLength) return undefined
  token.lastIndex = 0
  const root: WktNode = { keyword: '', values: [] }
  const open: WktNode[] = [root]
  let node = root
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [, quoted, mark, word] = match
    if (quoted !== undefined) node.values.push(quoted.replaceAll('""', '"'))
    else if (word !== undefined) node.values.push(wordValue(word))
    else if (mark === '[' || mark === '(') {
      const inner = node.values.at(-1)
      if (typeof inner !== 'object' || open.length > maxDepth) return undefined
      open.push(inner)
      node = inner
    } else if (mark === ']' || mark === ')') {
      open.pop()
      const outer = open.at(-1)
      if (outer === undefined) return undefined
      node = outer
      if (open.length === 1) break
    }
  }
  const first = root.values[0]
  return open.length === 1 && typeof first === 'object' && first.values.length > 0 ? first : undefined
}

function wordValue(word: string): number | WktNode {
  const number = Number(word)
  return Number.isNaN(number) ? { keyword: word.toUpperCase(), values: [] } : number
}

/** Returns the first child with one of the keywords. */
export function childNode(node: WktNode | undefined, ...keywords: string[]): WktNode | undefined {
  for (const value of node?.values ?? []) {
    if (typeof value === 'object' && keywords.includes(value.keyword)) return value
  }
  return undefined
}

/** Returns the direct children with one of the keywords. */
export function children(node: WktNode, ...keywords: string[]): WktNode[] {
  return node.values.filter(
    (value) => typeof value === 'object' && keywords.includes(value.keyword),
  ) as WktNode[]
}

/** Returns the text at a position. A number is returned as text, because a code may be either. */
export function textAt(node: WktNode | undefined, position: number): string | undefined {
  const value = node?.values[position]
  return typeof value === 'object' || value === undefined ? undefined : String(value)
}

/** Returns the number at a position, also if it is written as text. */
export function numberAt(node: WktNode | undefined, position: number): number | undefined {
  const value = node?.values[position]
  const number = typeof value === 'string' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}
