import { conflict, notFound } from '../../lib/errors.ts'
import type { LayerRecord } from '../records.ts'
import type { VersionLimits } from '../versions/retention.ts'
import { keptUntil } from '../versions/retention.ts'
import type { VersionRecord } from '../versions/version-rows.ts'
import { findDeletedLayer, findVersion, listVersions, pinVersion } from '../versions/version-rows.ts'
import { readContents, restorability } from '../versions/way-back.ts'
import type { WriteParts } from './parts.ts'

/** A version as people are told of it. */
export interface ToldVersion extends VersionRecord {
  restorable: boolean
  reason: string | null
  /** Until when it is kept; absent where it is not, or for good. */
  keptUntil?: string
}

/** A layer with versions, published or deleted. */
export interface VersionedLayer {
  id: number
  workspace: string
  name: string
  /** Absent of a deleted one. */
  layer?: LayerRecord
}

/** What layers were before their last changes. */
export class Versions {
  readonly #parts: WriteParts
  readonly #limits: VersionLimits

  constructor(parts: WriteParts, limits: VersionLimits) {
    this.#parts = parts
    this.#limits = limits
  }

  /** How long and how much is kept. */
  get limits(): VersionLimits {
    return this.#limits
  }

  /** The layer of a name that was deleted last, as long as versions of it are left. */
  async findDeleted(workspace: string, name: string): Promise<VersionedLayer | undefined> {
    const id = await findDeletedLayer(this.#parts.database.kysely, workspace, name)
    return id === undefined ? undefined : { id, workspace, name }
  }

  /** The versions of a layer, the latest first. */
  async list(of: VersionedLayer): Promise<ToldVersion[]> {
    return this.#tell(of, await listVersions(this.#parts.database.kysely, of.id))
  }

  /** Throws `Failure` (`not-found`) for a version that nobody knows. */
  async get(of: VersionedLayer, version: number): Promise<ToldVersion> {
    const found = await findVersion(this.#parts.database.kysely, of.id, version)
    const [told] = found === undefined ? [] : await this.#tell(of, [found])
    if (told !== undefined) return told
    throw notFound('unknown-version', `Layer "${of.workspace}:${of.name}" has no version ${version}`)
  }

  /** A pinned version is kept until it is deleted. */
  async pin(of: VersionedLayer, version: number, isPinned: boolean): Promise<ToldVersion> {
    const known = await this.get(of, version)
    if (isPinned && !known.restorable && of.layer?.version !== version)
      throw conflict('not-restorable', `Version ${version} cannot be pinned: ${known.reason}`)
    await pinVersion(this.#parts.database.kysely, known, isPinned)
    return this.get(of, version)
  }

  async #tell({ layer }: VersionedLayer, versions: VersionRecord[]): Promise<ToldVersion[]> {
    const stores = versions.map(({ content }) => content.storeId)
    const known = await readContents(this.#parts.database.kysely, stores)
    return versions.map((one) => ({
      ...one,
      ...restorability(one, layer?.version, known),
      ...this.#keptUntil(one),
    }))
  }

  #keptUntil({ isPinned, content: { form, endedAt } }: VersionRecord): { keptUntil?: string } {
    if (isPinned || form !== 'kept' || endedAt === undefined) return {}
    return { keptUntil: keptUntil(endedAt, this.#limits) }
  }
}
