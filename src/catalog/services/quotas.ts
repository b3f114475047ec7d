import { conflict } from '../../core/errors/errors.ts'
import { defined } from '../../core/values/defined.ts'
import type { Quota, QuotaKind, StoreRecord } from '../records.ts'
import { quotaKinds } from '../records.ts'
import { listLayers } from '../rows/layer-rows.ts'
import { countLayersOf, findQuota, quotaText, retainedOf } from '../rows/quota-rows.ts'
import { listStores } from '../rows/store-rows.ts'
import { getWorkspace } from '../rows/workspace-rows.ts'
import type { Stores } from './stores.ts'
import type { WriteDeps } from './transaction.ts'

/** Usage and limits of a workspace. */
export type QuotaUsage = Record<QuotaKind, { used: number; limit: number | undefined }>

/** Amounts that an operation adds to a workspace; 0 if the amount is positive but unknown. */
export type QuotaAddition = Partial<Record<QuotaKind, number | undefined>>

/** Limits of workspaces on bytes, layers and retained versions, and their present usage. */
export class Quotas {
  readonly #database: WriteDeps['database']
  readonly #stores: Pick<Stores, 'files' | 'open'>
  readonly #keepsVersions: boolean

  constructor(
    { database }: Pick<WriteDeps, 'database'>,
    stores: Pick<Stores, 'files' | 'open'>,
    versionLimits: { days: number },
  ) {
    this.#database = database
    this.#stores = stores
    this.#keepsVersions = versionLimits.days > 0
  }

  /** Throws `Failure` (`notFound`) for a workspace that does not exist. */
  async usage(workspace: string): Promise<QuotaUsage> {
    const { quota } = await getWorkspace(this.#database.kysely, workspace)
    const used = { bytes: 0, layers: 0, versions: 0 }
    for (const kind of quotaKinds) used[kind] = await this.#used(workspace, kind)
    return {
      bytes: { used: used.bytes, limit: quota.bytes },
      layers: { used: used.layers, limit: quota.layers },
      versions: { used: used.versions, limit: quota.versions },
    }
  }

  /**
   * Throws `Failure` (`quota-exceeded`) if the addition would exceed a limit of the workspace. Concurrent
   * changes only count when they are complete.
   */
  async require(workspace: string, addition: QuotaAddition): Promise<void> {
    const quota = await findQuota(this.#database.kysely, workspace)
    const errors: string[] = []
    for (const [kind, adding] of Object.entries(defined(addition)) as [QuotaKind, number][]) {
      const limit = quota[kind]
      if (limit === undefined || (kind === 'versions' && !this.#keepsVersions)) continue
      const used = await this.#used(workspace, kind)
      if (used + Math.max(adding, 1) > limit) errors.push(quotaText(workspace, kind, { adding, limit, used }))
    }
    const [first] = errors
    if (first !== undefined) throw conflict('quota-exceeded', first, { errors })
  }

  #used(workspace: string, kind: QuotaKind): Promise<number> {
    if (kind === 'layers') return countLayersOf(this.#database.kysely, workspace)
    if (kind === 'bytes') return this.#bytesOf(workspace)
    return retainedOf(this.#database.kysely, workspace).then(({ total }) => total)
  }

  /**
   * Returns the bytes of the server's files and tables, with retained versions. Data of others do not count.
   */
  async #bytesOf(workspace: string): Promise<number> {
    const db = this.#database.kysely
    let bytes = (await retainedOf(db, workspace)).outsideBytes
    for (const store of await listStores(db, workspace)) {
      const files = await this.#stores.files.ownFilesOf(store)
      bytes += files.paths.length > 0 ? files.sizeBytes : await this.#bytesOfTables(store)
    }
    return bytes
  }

  /**
   * Returns the bytes of tables. Tables published in place belong to others and do not count; neither does an
   * unreachable database, into which no load can run.
   */
  async #bytesOfTables(store: StoreRecord): Promise<number> {
    if (store.kind !== 'dataStore' || !store.isEnabled || store.parameters['path'] !== undefined) return 0
    const layers = await listLayers(this.#database.kysely, { storeId: store.id })
    const tables = layers.filter(({ details }) => details.inPlace === undefined)
    if (tables.length === 0) return 0
    const names = tables.map(({ nativeName }) => nativeName)
    const opened = await this.#stores.open(store).catch(() => undefined)
    return (await opened?.sizeOf?.(names).catch(() => 0)) ?? 0
  }
}

/** Returns a quota after a change; null removes a limit. */
export function changedQuota(current: Quota, change: Partial<Record<QuotaKind, number | null>>): Quota {
  const entries = quotaKinds.map((kind) => {
    const next = change[kind]
    return [kind, next === undefined ? current[kind] : (next ?? undefined)] as const
  })
  return Object.fromEntries(entries)
}
