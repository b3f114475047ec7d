/** Type of the items of a list. */
export type ListItem = 'text' | 'integer' | 'real' | 'boolean'

const integerForm = /^-?\d+$/
const realForm = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i
const endlessForm = /^-?(nan|inf|infinity)$/i
/** Text that GDAL writes for an empty item, as its lists contain no nulls. */
const emptyText = 'NULL'

/**
 * Converts a list as GDAL writes it for PostgreSQL (`{1,2}`, `{"a","b"}`) to JSON text; undefined if it is
 * invalid.
 */
export function parseList(text: string, item: ListItem): string | undefined {
  if (!text.startsWith('{') || !text.endsWith('}') || text.length < 2) return undefined
  if (text === '{}') return '[]'
  if (item === 'text') {
    const items = new TextItems(text).read()
    return items && JSON.stringify(items)
  }
  const values = text.slice(1, -1).split(',')
  const items = values.map((value) => jsonOf(value, item))
  return items.includes(undefined) ? undefined : `[${items.join(',')}]`
}

/** Returns JSON; null for values that JSON cannot represent, as in all nested values. */
function jsonOf(value: string, item: ListItem): string | undefined {
  if (item === 'boolean') {
    if (value === '1' || value === 't') return 'true'
    return value === '0' || value === 'f' ? 'false' : undefined
  }
  if (item === 'integer') return integerForm.test(value) ? value : undefined
  if (realForm.test(value)) return JSON.stringify(Number(value))
  return endlessForm.test(value) ? 'null' : undefined
}

const [canBeInside, canBeBehind, canBeginItem] = [1, 2, 4]

/**
 * Items of a list of texts. GDAL escapes each quote in a text with a backslash but no backslashes, so that
 * `\"` is a quote in the text, or a backslash at its end: the rest of the list decides which, never both.
 */
class TextItems {
  readonly #text: string
  /** For each position: which meanings allow the rest to be a valid list. */
  readonly #possible: Uint8Array

  constructor(text: string) {
    this.#text = text
    this.#possible = new Uint8Array(text.length + 1)
    for (let at = text.length - 1; at > 0; at -= 1) this.#possible[at] = this.#possibleAt(at)
  }

  /** Returns undefined if the text is not a list. */
  read(): string[] | undefined {
    const text = this.#text
    const items: string[] = []
    let at = 1
    while (at < text.length) {
      if (text.startsWith(emptyText, at)) {
        items.push('')
        at += emptyText.length + 1
        continue
      }
      const end = text[at] === '"' ? this.#endOfItem(at + 1) : undefined
      if (end === undefined) return undefined
      items.push(text.slice(at + 1, end).replaceAll('\\"', '"'))
      at = end + 2
    }
    return items
  }

  #possibleAt(at: number): number {
    const text = this.#text
    const next = this.#possible[at + 1] as number
    const isEnd = text[at] === '}' && at === text.length - 1
    const endsItem = isEnd || (text[at] === ',' && (next & canBeginItem) !== 0)
    let possible = endsItem ? canBeBehind : 0
    const isQuote = text[at] === '"'
    const staysInside = !isQuote || text[at - 1] === '\\'
    if (staysInside && (next & canBeInside) !== 0) possible |= canBeInside
    if (isQuote && (next & canBeBehind) !== 0) possible |= canBeInside
    const behindEmpty = this.#possible[at + emptyText.length] ?? 0
    const isEmpty = text.startsWith(emptyText, at) && (behindEmpty & canBeBehind) !== 0
    if (isEmpty || (isQuote && (next & canBeInside) !== 0)) possible |= canBeginItem
    return possible
  }

  /** Returns the position of the quote that ends the item. */
  #endOfItem(start: number): number | undefined {
    for (let at = this.#text.indexOf('"', start); at >= 0; at = this.#text.indexOf('"', at + 1)) {
      const next = this.#possible[at + 1] as number
      const canEnd = (next & canBeBehind) !== 0
      const canGoOn = at > start && this.#text[at - 1] === '\\' && (next & canBeInside) !== 0
      if (canEnd === canGoOn) return undefined
      if (canEnd) return at
    }
    return undefined
  }
}
