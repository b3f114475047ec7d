import { foldText } from '../../core/text/fold-text.ts'
import type { LayerSummary, SummaryKind } from './layer-summary.ts'
import { summaryKinds } from './layer-summary.ts'

/** Selects layers; absent filters match everything. */
export interface SummaryFilter {
  /** Case-folded; each must occur in the name, title, keywords, columns or abstract of a layer. */
  words: readonly string[]
  workspaces?: ReadonlySet<string>
  kinds?: ReadonlySet<SummaryKind>
  isPublic?: boolean
  hasProblem?: boolean
}

/** Data about layers in addition to their summaries. */
export interface SummaryViews {
  isPublic(card: LayerSummary): boolean
  hasProblem(card: LayerSummary): boolean
}

/** Number of layers for each value of a filter, with the other filters unchanged. */
export interface SummaryCounts {
  workspaces: Map<string, number>
  kinds: Record<SummaryKind, number>
  public: number
  notPublic: number
  problems: number
}

/** Result of a filter. */
export interface ChosenSummaries {
  /** In their original order. */
  cards: LayerSummary[]
  counts: SummaryCounts
}

const maxWords = 20

/** Splits search text into words. */
export function searchWords(text: string): string[] {
  return foldText(text)
    .split(/\s+/u)
    .filter((word) => word !== '')
    .slice(0, maxWords)
}

const criterionBits = { workspace: 1, kind: 2, publicity: 4, problem: 8 } as const

/** Returns the matching layers, and the counts for each filter, in one pass. */
export function chooseSummaries(
  all: readonly LayerSummary[],
  filter: SummaryFilter,
  views: SummaryViews,
): ChosenSummaries {
  const cards: LayerSummary[] = []
  const kinds = Object.fromEntries(summaryKinds.map((kind) => [kind, 0])) as Record<SummaryKind, number>
  const counts: SummaryCounts = { workspaces: new Map(), kinds, public: 0, notPublic: 0, problems: 0 }
  for (const card of all) {
    if (!filter.words.every((word) => card.head.includes(word) || card.body.includes(word))) continue
    const isPublic = views.isPublic(card)
    const hasProblem = views.hasProblem(card)
    const missed = missedBy(card, filter, isPublic, hasProblem)
    if (missed === 0) cards.push(card)
    const isCounted = (bit: number): boolean => missed === 0 || missed === bit
    if (isCounted(criterionBits.workspace))
      counts.workspaces.set(card.workspace, (counts.workspaces.get(card.workspace) ?? 0) + 1)
    if (isCounted(criterionBits.kind)) counts.kinds[card.kind] += 1
    if (isCounted(criterionBits.publicity)) counts[isPublic ? 'public' : 'notPublic'] += 1
    if (isCounted(criterionBits.problem) && hasProblem) counts.problems += 1
  }
  return { cards, counts }
}

/** Returns the filters that exclude the layer, as one bit each. */
function missedBy(card: LayerSummary, filter: SummaryFilter, isPublic: boolean, hasProblem: boolean): number {
  let missed = 0
  if (filter.workspaces?.has(card.workspace) === false) missed |= criterionBits.workspace
  if (filter.kinds?.has(card.kind) === false) missed |= criterionBits.kind
  if ((filter.isPublic ?? isPublic) !== isPublic) missed |= criterionBits.publicity
  if ((filter.hasProblem ?? hasProblem) !== hasProblem) missed |= criterionBits.problem
  return missed
}
