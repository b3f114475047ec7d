import type { Rights } from '../../access/index.ts'
import { Rounds } from '../../core/concurrency/rounds.ts'
import type { Database } from '../../core/db/connection.ts'
import { listLayerVersions } from '../rows/layer-rows.ts'
import { listWorkspaces } from '../rows/workspace-rows.ts'
import type { LayerSummary } from './layer-summary.ts'
import type { SummaryOrder } from './summary-order.ts'
import { comparePositions, plainKey } from './summary-order.ts'
import { digestRow, readDigest, readSummaries } from './summary-rows.ts'

/** An immutable snapshot of the layers. */
export class SummarySet {
  /** Differs after any change of a layer. */
  readonly digest: string
  readonly byId: ReadonlyMap<number, LayerSummary>
  /** Public workspaces. */
  readonly openWorkspaces: ReadonlySet<string>
  readonly #ordered = new Map<string, readonly LayerSummary[]>()
  readonly #readable = new WeakMap<Rights, SummarySet>()

  constructor(byId: ReadonlyMap<number, LayerSummary>, openWorkspaces: ReadonlySet<string>) {
    this.byId = byId
    this.openWorkspaces = openWorkspaces
    this.digest = digestRow(byId.values())
  }

  /** True if a layer is public by its own setting or that of its workspace. */
  isPublic({ isPublic, workspace }: Pick<LayerSummary, 'isPublic' | 'workspace'>): boolean {
    return isPublic ?? this.openWorkspaces.has(workspace)
  }

  /** Returns the subset that a caller with these rights may read; computed once for each caller. */
  readableBy(rights: Rights): SummarySet {
    if (rights.can('read', '*')) return this
    const known = this.#readable.get(rights)
    if (known !== undefined) return known
    const byId = new Map([...this.byId].filter(([, card]) => rights.can('read', card)))
    const readable = new SummarySet(byId, this.openWorkspaces)
    this.#readable.set(rights, readable)
    return readable
  }

  /** Returns all layers in an order, which is computed once. */
  ordered(
    order: Exclude<SummaryOrder, 'relevance' | 'requests'>,
    isDescending: boolean,
  ): readonly LayerSummary[] {
    const name = `${order} ${isDescending}`
    const known = this.#ordered.get(name)
    if (known !== undefined) return known
    const sorted = sortSummaries([...this.byId.values()], (card) => plainKey(order, card), isDescending)
    this.#ordered.set(name, sorted)
    return sorted
  }
}

/** Sorts by a key that is computed once per layer. */
export function sortSummaries(
  cards: readonly LayerSummary[],
  keyOf: (card: LayerSummary) => string | number | undefined,
  isDescending: boolean,
): LayerSummary[] {
  const compare = comparePositions(isDescending)
  return cards
    .map((card) => ({ card, key: keyOf(card), name: card.qualifiedName }))
    .sort(compare)
    .map(({ card }) => card)
}

const nothing = new SummarySet(new Map(), new Set())

/**
 * In-memory summaries of all layers, without documents, for lists. Each query finds changed layers by indexed
 * numbers and reads only those again.
 */
export class LayerSummaries {
  readonly #database: Database
  readonly #rounds = new Rounds<'all', SummarySet>()
  #known = nothing
  /** Value of `Database.writes` before the last refresh. */
  #writes: number | undefined

  constructor(database: Database) {
    this.#database = database
  }

  /** Returns the present layers, including every change committed before the call. */
  async now(): Promise<SummarySet> {
    const writes = this.#database.writes()
    if (writes !== undefined && writes === this.#writes) return this.#known
    return this.#rounds.join('all', () => this.#refresh())
  }

  async #refresh(): Promise<SummarySet> {
    const writes = this.#database.writes()
    const { kysely } = this.#database
    const workspaces = await listWorkspaces(kysely)
    const open = new Set(workspaces.filter(({ isPublic }) => isPublic).map(({ name }) => name))
    const isSame = (await readDigest(kysely)) === this.#known.digest
    const byId = isSame ? this.#known.byId : await this.#readChanged()
    if (!isSame || !areSame(open, this.#known.openWorkspaces)) this.#known = new SummarySet(byId, open)
    this.#writes = writes
    return this.#known
  }

  async #readChanged(): Promise<ReadonlyMap<number, LayerSummary>> {
    const { kysely } = this.#database
    const known = this.#known.byId
    const byId = new Map<number, LayerSummary>()
    const changed: number[] = []
    for (const [id, version] of await listLayerVersions(kysely)) {
      const card = known.get(id)
      if (card?.version === version) byId.set(id, card)
      else changed.push(id)
    }
    for (const card of await readSummaries(kysely, changed)) byId.set(card.id, card)
    return byId
  }
}

function areSame(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return some.size === others.size && [...some].every((one) => others.has(one))
}
