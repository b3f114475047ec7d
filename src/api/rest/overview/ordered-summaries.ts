import {
  comparePositions,
  type LayerSummary,
  plainKey,
  rankOf,
  type SummaryOrder,
  type SummaryPosition,
  type SummarySet,
  sortSummaries,
} from '../../../catalog/index.ts'
import type { LayerUse } from './layer-use.ts'

/** The order of a list; words are those that are looked for. */
export interface ListOrder {
  order: SummaryOrder
  isDescending: boolean
  words: readonly string[]
}

interface ByRequests {
  readings: number
  cards: readonly LayerSummary[]
}

/** Brings layers into the orders of lists, so that a list has to leave out only. */
export class OrderedSummaries {
  readonly #use: LayerUse | undefined
  readonly #byRequests = new WeakMap<SummarySet, Map<boolean, ByRequests>>()

  constructor(use: LayerUse | undefined) {
    this.#use = use
  }

  /** Returns all layers in the order; for relevance in the order of titles, which `settle` sorts. */
  all(set: SummarySet, { order, isDescending }: ListOrder): readonly LayerSummary[] {
    if (order === 'relevance') return set.ordered('title', false)
    return order === 'requests' ? this.#ordered(set, isDescending) : set.ordered(order, isDescending)
  }

  /** Those that were chosen, in the order. */
  settle(cards: LayerSummary[], order: ListOrder): LayerSummary[] {
    if (order.order !== 'relevance') return cards
    const ranked = new Map(cards.map((card) => [card, rankOf(card, order.words)]))
    // The sort is stable: equal ranks remain in the order of titles.
    return [...cards].sort((a, b) => (ranked.get(a) ?? 0) - (ranked.get(b) ?? 0))
  }

  positionOf(card: LayerSummary, { order, words }: ListOrder): SummaryPosition {
    const name = card.qualifiedName
    if (order === 'relevance') return { key: `${rankOf(card, words)}${card.titleKey}`, name }
    if (order === 'requests') return { key: this.#requestsOf(card), name }
    return { key: plainKey(order, card), name }
  }

  /** Returns the number of selected cards before or at a position, by binary search. */
  countUpTo(cards: readonly LayerSummary[], position: SummaryPosition, order: ListOrder): number {
    const compare = comparePositions(order.isDescending)
    let [low, high] = [0, cards.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const card = cards[middle]
      if (card !== undefined && compare(this.positionOf(card, order), position) <= 0) low = middle + 1
      else high = middle
    }
    return low
  }

  #requestsOf({ qualifiedName }: LayerSummary): number {
    return this.#use?.totalOf(qualifiedName) ?? 0
  }

  #ordered(set: SummarySet, isDescending: boolean): readonly LayerSummary[] {
    const readings = this.#use?.readings ?? 0
    const lists = this.#byRequests.get(set) ?? new Map<boolean, ByRequests>()
    this.#byRequests.set(set, lists)
    const known = lists.get(isDescending)
    if (known?.readings === readings) return known.cards
    const cards = sortSummaries([...set.byId.values()], (card) => this.#requestsOf(card), isDescending)
    lists.set(isDescending, { readings, cards })
    return cards
  }
}
