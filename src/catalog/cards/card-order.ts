import type { LayerCard } from './layer-card.ts'

/** What lists of layers can be ordered by; `relevance` needs words that are looked for. */
export const cardOrders = ['relevance', 'title', 'name', 'changed', 'rows', 'requests'] as const
/** One of `cardOrders`. */
export type CardOrder = (typeof cardOrders)[number]

/** Where a layer stands in an order: by the key, then by its name. Without a key it stands last. */
export interface CardPosition {
  key: string | number | undefined
  name: string
}

/** Orders that begin with the largest where nothing else is asked. */
export function isFalling(order: CardOrder): boolean {
  return order === 'changed' || order === 'rows' || order === 'requests'
}

/** How two places of an order compare. */
export function comparePositions(isDescending: boolean): (a: CardPosition, b: CardPosition) => number {
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

/** The key of a layer in an order that depends on nothing but its card. */
export function plainKey(
  order: Exclude<CardOrder, 'relevance' | 'requests'>,
  card: LayerCard,
): CardPosition['key'] {
  if (order === 'title') return card.titleKey
  if (order === 'name') return card.qualifiedName
  return order === 'changed' ? card.changedAt : card.rows
}

const ranks = 5

/** How well a layer answers to folded words that are all in it: 0 is best. */
export function rankOf({ head }: LayerCard, words: readonly string[]): number {
  const whole = words.join(' ')
  const [name = '', title = ''] = head.split('\n')
  if (name === whole || title === whole) return 0
  if (name.startsWith(whole) || title.startsWith(whole)) return 1
  const isInHead = (word: string): boolean => head.includes(word)
  if (!words.every(isInHead)) return ranks - 1
  const beginsThere = (word: string): boolean => isWordStart(head, word)
  return words.every(beginsThere) ? 2 : 3
}

/** Whether a word of the text begins so. */
function isWordStart(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1))) return true
  return false
}
