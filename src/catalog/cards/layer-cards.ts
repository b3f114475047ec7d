import type { Database } from '../../db/connection.ts'
import { Rounds } from '../doors/rounds.ts'
import { listLayerVersions } from '../rows/layer-rows.ts'
import { listWorkspaces } from '../rows/workspace-rows.ts'
import type { CardOrder } from './card-order.ts'
import { comparePositions, plainKey } from './card-order.ts'
import { digestOf, readCards, readDigest } from './card-rows.ts'
import type { LayerCard } from './layer-card.ts'

/** An immutable snapshot of the layers. */
export class CardSet {
  /** Differs after any change of a layer. */
  readonly digest: string
  readonly byId: ReadonlyMap<number, LayerCard>
  /** Public workspaces. */
  readonly openWorkspaces: ReadonlySet<string>
  readonly #ordered = new Map<string, readonly LayerCard[]>()
  #open: CardSet | undefined

  constructor(byId: ReadonlyMap<number, LayerCard>, openWorkspaces: ReadonlySet<string>) {
    this.byId = byId
    this.openWorkspaces = openWorkspaces
    this.digest = digestOf(byId.values())
  }

  /** True if anonymous users may read a layer. */
  isPublic({ isPublic, workspace }: Pick<LayerCard, 'isPublic' | 'workspace'>): boolean {
    return isPublic ?? this.openWorkspaces.has(workspace)
  }

  /** The subset that anonymous users may read. */
  get open(): CardSet {
    this.#open ??= new CardSet(
      new Map([...this.byId].filter(([, card]) => this.isPublic(card))),
      this.openWorkspaces,
    )
    return this.#open
  }

  /** Returns all layers in an order, which is computed once. */
  ordered(order: Exclude<CardOrder, 'relevance' | 'requests'>, isDescending: boolean): readonly LayerCard[] {
    const name = `${order} ${isDescending}`
    const known = this.#ordered.get(name)
    if (known !== undefined) return known
    const sorted = sortCards([...this.byId.values()], (card) => plainKey(order, card), isDescending)
    this.#ordered.set(name, sorted)
    return sorted
  }
}

/** Sorts by a key that is computed once per layer. */
export function sortCards(
  cards: readonly LayerCard[],
  keyOf: (card: LayerCard) => string | number | undefined,
  isDescending: boolean,
): LayerCard[] {
  const compare = comparePositions(isDescending)
  return cards
    .map((card) => ({ card, key: keyOf(card), name: card.qualifiedName }))
    .sort(compare)
    .map(({ card }) => card)
}

const nothing = new CardSet(new Map(), new Set())

/**
 * In-memory summaries of all layers, without documents, for lists. Each query finds changed layers by indexed
 * numbers and reads only those again.
 */
export class LayerCards {
  readonly #database: Database
  readonly #rounds = new Rounds<'all', CardSet>()
  #known = nothing
  /** Value of `Database.writes` before the last refresh. */
  #writes: number | undefined

  constructor(database: Database) {
    this.#database = database
  }

  /** Returns the present layers, including every change committed before the call. */
  async now(): Promise<CardSet> {
    const writes = this.#database.writes()
    if (writes !== undefined && writes === this.#writes) return this.#known
    return this.#rounds.join('all', () => this.#look())
  }

  async #look(): Promise<CardSet> {
    const writes = this.#database.writes()
    const { kysely } = this.#database
    const workspaces = await listWorkspaces(kysely)
    const open = new Set(workspaces.filter(({ isPublic }) => isPublic).map(({ name }) => name))
    const isSame = (await readDigest(kysely)) === this.#known.digest
    const byId = isSame ? this.#known.byId : await this.#readChanged()
    if (!isSame || !areSame(open, this.#known.openWorkspaces)) this.#known = new CardSet(byId, open)
    this.#writes = writes
    return this.#known
  }

  async #readChanged(): Promise<ReadonlyMap<number, LayerCard>> {
    const { kysely } = this.#database
    const known = this.#known.byId
    const byId = new Map<number, LayerCard>()
    const changed: number[] = []
    for (const [id, version] of await listLayerVersions(kysely)) {
      const card = known.get(id)
      if (card?.version === version) byId.set(id, card)
      else changed.push(id)
    }
    for (const card of await readCards(kysely, changed)) byId.set(card.id, card)
    return byId
  }
}

function areSame(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return some.size === others.size && [...some].every((one) => others.has(one))
}
