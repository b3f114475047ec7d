import type { LayerSummary } from './layer-summary.ts'

/** Sort keys for lists of layers; `relevance` requires search words. */
export const summaryOrders = ['relevance', 'title', 'name', 'changed', 'rows', 'requests'] as const
export type SummaryOrder = (typeof summaryOrders)[number]

/** Position of a layer in a sort order: by the key, then by its name. Layers without a key come last. */
export interface SummaryPosition {
  key: string | number | undefined
  name: string
}

/** True for keys that sort in descending order by default. */
export function isFalling(order: SummaryOrder): boolean {
  return order === 'changed' || order === 'rows' || order === 'requests'
}

/** Returns a function that compares two positions of a sort order. */
export function comparePositions(isDescending: boolean): (a: SummaryPosition, b: SummaryPosition) => number {
  const sign = isDescending ? -1 : 1
  return (a, b) => {
    if (a.key !== b.key) {
      if (a.key === undefined) return 1
      if (b.key === undefined) return -1
      return a.key < b.key ? -sign : sign
    }
    return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
  }
}

/** Returns the sort key of a layer, for orders that depend only on its summary. */
export function plainKey(
  order: Exclude<SummaryOrder, 'relevance' | 'requests'>,
  card: LayerSummary,
): SummaryPosition['key'] {
  if (order === 'title') return card.titleKey
  if (order === 'name') return card.qualifiedName
  return order === 'changed' ? card.changedAt : card.rows
}

const ranks = 5

/** Returns how well a layer matches case-folded words, all of which it contains: 0 is best. */
export function rankOf({ head }: LayerSummary, words: readonly string[]): number {
  const whole = words.join(' ')
  const [name = '', title = ''] = head.split('\n')
  if (name === whole || title === whole) return 0
  if (name.startsWith(whole) || title.startsWith(whole)) return 1
  const isInHead = (word: string): boolean => head.includes(word)
  if (!words.every(isInHead)) return ranks - 1
  const beginsThere = (word: string): boolean => isWordStart(head, word)
  return words.every(beginsThere) ? 2 : 3
}

/** True if a word of the text starts with `word`. */
function isWordStart(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1))) return true
  return false
}
