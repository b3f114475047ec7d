import { conflict, notFound } from '../../core/errors/errors.ts'
import { FreeSpace } from '../../core/files/free-space.ts'
import { isInside } from '../../inputs/index.ts'
import type { NotRetained } from '../../stores/index.ts'
import type { StyleFormat } from '../../styles/index.ts'
import { areThere } from '../files/aside-files.ts'
import { sizeOfFiles } from '../files/store-file.ts'
import type { LayerRecord, StoreRecord } from '../records.ts'
import type { ContentEnd, RetainedSize } from '../versions/contents.ts'
import { listFollowers, listKnownIds, listRetainedContents, readRetainedSize } from '../versions/contents.ts'
import { findOpenEdits, togetherSince } from '../versions/open-edits.ts'
import type { RestorePlan } from '../versions/restore-plan.ts'
import { readContents, restorability, wayBackTo } from '../versions/restore-plan.ts'
import type { VersionLimits } from '../versions/retention.ts'
import { keptUntil, whyNothingIsKept } from '../versions/retention.ts'
import type { VersionRecord } from '../versions/version-rows.ts'
import {
  deleteVersion,
  findDeletedLayer,
  findRetainedStyle,
  findVersion,
  listVersions,
  pinVersion,
} from '../versions/version-rows.ts'
import type { PruneDeps, StoreLock } from './prune-versions.ts'
import { pruneStore, pruneVersions } from './prune-versions.ts'
import type { Stores } from './stores.ts'
import type { WriteDeps } from './transaction.ts'

interface VersionsDeps extends WriteDeps {
  /** Folder of the server for store files. */
  storesFolder: string
}

/** A version in the form of API responses. */
export interface VersionSummary extends VersionRecord {
  restorable: boolean
  reason: string | null
  /** Time until which it is retained; absent if not retained, or retained indefinitely. */
  keptUntil?: string
}

/** A layer with versions, published or deleted. */
export interface VersionedLayer {
  id: number
  workspace: string
  name: string
  /** Absent for a deleted layer. */
  layer?: LayerRecord
}

const costKeptMs = 15_000
const filesGone = 'The source files of the version no longer exist'
const readElsewhere = 'The layer read a file of somebody else, which may be another by now'

/** Earlier versions of layers. */
export class Versions {
  readonly #deps: VersionsDeps
  readonly #stores: Stores
  readonly #space: FreeSpace
  #isPruning: Promise<void> | undefined
  readonly #limits: VersionLimits
  #cost: { at: number; read: Promise<RetainedSize | undefined> } = {
    at: Number.NEGATIVE_INFINITY,
    read: Promise.resolve(undefined),
  }

  constructor(deps: VersionsDeps, stores: Stores, limits: VersionLimits) {
    this.#deps = deps
    this.#stores = stores
    this.#space = new FreeSpace(deps.storesFolder)
    this.#limits = limits
  }

  /** Deletes a version permanently; its contents remain if other versions need them. */
  async remove(of: VersionedLayer, version: number): Promise<void> {
    const known = await this.get(of, version)
    if (of.layer?.version === version)
      throw conflict('present-version', `Version ${version} is the current version and cannot be deleted`)
    await deleteVersion(this.#deps.database.kysely, known)
    await pruneStore(this.#pruning(), known.content.storeId)
  }

  /** Returns the ids of retained contents. */
  listKeptContents(): Promise<ReadonlySet<number>> {
    return listRetainedContents(this.#deps.database.kysely)
  }

  /** Returns ids under which contents are retained in a store, or about to be. */
  listKnownIds(): Promise<string[]> {
    return listKnownIds(this.#deps.database.kysely)
  }

  /**
   * Removes retained contents that are too old or exceed the limit. Concurrent calls wait for the running
   * one.
   */
  prune(inTurn: StoreLock = (_store, work) => work()): Promise<void> {
    this.#isPruning ??= pruneVersions(this.#pruning(), inTurn).finally(() => {
      this.#isPruning = undefined
    })
    return this.#isPruning
  }

  #pruning(): PruneDeps {
    return { ...this.#deps, stores: this.#stores, limits: this.#limits, space: this.#space }
  }

  /** Returns the size of retained contents, at most 15 s old; undefined if the catalogue does not respond. */
  async cost(): Promise<RetainedSize | undefined> {
    if (performance.now() - this.#cost.at > costKeptMs) {
      const read = readRetainedSize(this.#deps.database.kysely).catch(() => undefined)
      this.#cost = { at: performance.now(), read }
    }
    return this.#cost.read
  }

  /** Limits on retained versions. */
  get limits(): VersionLimits {
    return this.#limits
  }

  /** Returns the last deleted layer of a name, while versions of it are left. */
  async findDeleted(workspace: string, name: string): Promise<VersionedLayer | undefined> {
    const id = await findDeletedLayer(this.#deps.database.kysely, workspace, name)
    return id === undefined ? undefined : { id, workspace, name }
  }

  /** Lists the versions of a layer, latest first. */
  async list(of: VersionedLayer): Promise<VersionSummary[]> {
    return this.#tell(of, await listVersions(this.#deps.database.kysely, of.id))
  }

  /** Throws `Failure` (`not-found`) for an unknown version. */
  async get(of: VersionedLayer, version: number): Promise<VersionSummary> {
    const found = await findVersion(this.#deps.database.kysely, of.id, version)
    const [versionSummary] = found === undefined ? [] : await this.#tell(of, [found])
    if (versionSummary !== undefined) return versionSummary
    throw notFound('unknown-version', `Layer "${of.workspace}:${of.name}" has no version ${version}`)
  }

  /** The same by layer id, whether or not the layer is published. */
  async getOf(layerId: number, version: number): Promise<VersionRecord> {
    const found = await findVersion(this.#deps.database.kysely, layerId, version)
    if (found === undefined) throw notFound('unknown-version', `Layer ${layerId} has no version ${version}`)
    return found
  }

  /** Returns the style of a version; undefined if there was none of that name. */
  async styleOf({
    styleDigest,
  }: Pick<VersionRecord, 'styleDigest'>): Promise<{ format: StyleFormat; document: string } | undefined> {
    return styleDigest === undefined ? undefined : findRetainedStyle(this.#deps.database.kysely, styleDigest)
  }

  /** Returns how the data of a version can be restored at present. */
  async wayBack({ content }: VersionRecord): Promise<RestorePlan> {
    const way = wayBackTo(content, await readContents(this.#deps.database.kysely, [content.storeId]))
    return way.kind === 'files' && !(await areThere(content)) ? { kind: 'none', reason: filesGone } : way
  }

  /** Returns ids of states that are retained as differences to the contents of a version. */
  listFollowers(version: VersionRecord): Promise<string[]> {
    return listFollowers(this.#deps.database.kysely, version.content.id)
  }

  /** Pins or unpins a version. A pinned version is retained until it is deleted. */
  async pin(of: VersionedLayer, version: number, isPinned: boolean): Promise<VersionSummary> {
    const known = await this.get(of, version)
    if (isPinned && !known.restorable && of.layer?.version !== version)
      throw conflict('not-restorable', `Version ${version} cannot be pinned: ${known.reason}`)
    await pinVersion(this.#deps.database.kysely, known, isPinned)
    return this.get(of, version)
  }

  /**
   * Returns `id` if the contents of a table before its next change are to be retained under it, or why they
   * are not.
   */
  async howToKeep(store: StoreRecord, id: string): Promise<{ id: string } | NotRetained> {
    const reason = whyNothingIsKept(this.#limits, store)
    if (reason !== undefined) return { reason }
    const { states } = await this.#stores.open(store)
    return states === undefined ? { reason: `A ${store.type} store keeps no earlier states` } : { id }
  }

  /**
   * Plans how the state of a layer before an edit is retained: in the version that earlier edits of the user
   * started, or in a new one.
   */
  async planEdit(layer: LayerRecord, store: StoreRecord, user: string | undefined, newId: string) {
    const since = togetherSince(this.#deps.clock.now())
    const { id: layerId, version } = layer
    const open = await findOpenEdits(this.#deps.database.kysely, { layerId, version, user, since })
    if (open === undefined) return { since, isJoined: false, keep: await this.howToKeep(store, newId) }
    const { form, state, reason = 'Its contents were not stored' } = open.before ?? {}
    const isKept = form === 'kept' && state !== undefined
    return { since, isJoined: true, keep: isKept ? { id: state.id } : { reason } }
  }

  /** Returns what happens to the file of a store that is switched to another file. */
  async keepFiles(store: StoreRecord): Promise<ContentEnd> {
    const { type, parameters } = store
    const { path = '' } = parameters
    const isOurs = parameters.read_only !== 'true' && (await this.#isOurs(path))
    const reason = whyNothingIsKept(this.#limits, store) ?? (isOurs ? undefined : readElsewhere)
    if (reason !== undefined) return { form: 'lost', reason }
    return { form: 'kept', files: { type, parameters }, sizeBytes: await sizeOfFiles(path) }
  }

  #isOurs(path: string): Promise<boolean> {
    return isInside([this.#deps.storesFolder], path).catch(() => false)
  }

  async #tell({ layer }: VersionedLayer, versions: VersionRecord[]): Promise<VersionSummary[]> {
    const stores = versions.map(({ content }) => content.storeId)
    const known = await readContents(this.#deps.database.kysely, stores)
    return Promise.all(
      versions.map(async (one) => {
        const reported = restorability(one, layer?.version, known)
        const isGone = reported.restorable && one.content.form === 'kept' && !(await areThere(one.content))
        const ability = isGone ? { restorable: false, reason: filesGone } : reported
        return { ...one, ...ability, ...this.#keptUntil(one) }
      }),
    )
  }

  #keptUntil({ isPinned, content: { form, endedAt } }: VersionRecord): { keptUntil?: string } {
    if (isPinned || form !== 'kept' || endedAt === undefined) return {}
    return { keptUntil: keptUntil(endedAt, this.#limits) }
  }
}

export type { RestoredPart } from '../rows/restoration.ts'
export { restoredParts } from '../rows/restoration.ts'
export type { RestorePlan } from '../versions/restore-plan.ts'
export type { VersionRecord } from '../versions/version-rows.ts'
