import { foldText } from '../../lib/text/fold-text.ts'
import type { CardKind, LayerCard } from './layer-card.ts'
import { cardKinds } from './layer-card.ts'

/** Selects layers; absent filters match everything. */
export interface CardFilter {
  /** Case-folded; each must occur in the name, title, keywords, columns or abstract of a layer. */
  words: readonly string[]
  workspaces?: ReadonlySet<string>
  kinds?: ReadonlySet<CardKind>
  isPublic?: boolean
  hasProblem?: boolean
}

/** Data about layers in addition to their summaries. */
export interface CardViews {
  isPublic(card: LayerCard): boolean
  hasProblem(card: LayerCard): boolean
}

/** Number of layers for each value of a filter, with the other filters unchanged. */
export interface CardCounts {
  workspaces: Map<string, number>
  kinds: Record<CardKind, number>
  public: number
  notPublic: number
  problems: number
}

/** Result of a filter. */
export interface ChosenCards {
  /** In their original order. */
  cards: LayerCard[]
  counts: CardCounts
}

const mostWords = 20

/** Splits search text into words. */
export function wordsOf(text: string): string[] {
  return foldText(text)
    .split(/\s+/u)
    .filter((word) => word !== '')
    .slice(0, mostWords)
}

const places = { workspace: 1, kind: 2, publicity: 4, problem: 8 } as const

/** Returns the matching layers, and the counts for each filter, in one pass. */
export function chooseCards(all: readonly LayerCard[], filter: CardFilter, views: CardViews): ChosenCards {
  const cards: LayerCard[] = []
  const kinds = Object.fromEntries(cardKinds.map((kind) => [kind, 0])) as Record<CardKind, number>
  const counts: CardCounts = { workspaces: new Map(), kinds, public: 0, notPublic: 0, problems: 0 }
  for (const card of all) {
    if (!filter.words.every((word) => card.head.includes(word) || card.body.includes(word))) continue
    const isPublic = views.isPublic(card)
    const hasProblem = views.hasProblem(card)
    const missed = missedBy(card, filter, isPublic, hasProblem)
    if (missed === 0) cards.push(card)
    const isCounted = (place: number): boolean => missed === 0 || missed === place
    if (isCounted(places.workspace))
      counts.workspaces.set(card.workspace, (counts.workspaces.get(card.workspace) ?? 0) + 1)
    if (isCounted(places.kind)) counts.kinds[card.kind] += 1
    if (isCounted(places.publicity)) counts[isPublic ? 'public' : 'notPublic'] += 1
    if (isCounted(places.problem) && hasProblem) counts.problems += 1
  }
  return { cards, counts }
}

/** Returns the filters that exclude the layer, as one bit each. */
function missedBy(card: LayerCard, filter: CardFilter, isPublic: boolean, hasProblem: boolean): number {
  let missed = 0
  if (filter.workspaces?.has(card.workspace) === false) missed |= places.workspace
  if (filter.kinds?.has(card.kind) === false) missed |= places.kind
  if ((filter.isPublic ?? isPublic) !== isPublic) missed |= places.publicity
  if ((filter.hasProblem ?? hasProblem) !== hasProblem) missed |= places.problem
  return missed
}
