import { conflict, invalid } from '../../core/errors/errors.ts'
import type { QuotaKind, Workspace } from '../records.ts'
import { deleteGroupsOf } from '../rows/group-rows.ts'
import { saveQuota } from '../rows/quota-rows.ts'
import { listStores } from '../rows/store-rows.ts'
import { deleteStylesOf } from '../rows/style-rows.ts'
import {
  clearDefaultWorkspace,
  deleteWorkspaceRow,
  findDefaultWorkspaceName,
  findWorkspace,
  getWorkspace,
  insertWorkspace,
  listWorkspaces,
  saveDefaultWorkspaceName,
  updateWorkspace,
} from '../rows/workspace-rows.ts'
import { changedQuota } from './quotas.ts'
import type { Stores } from './stores.ts'
import type { WriteDeps } from './transaction.ts'
import { nowOf } from './transaction.ts'

/** Changes of a workspace; absent properties are unchanged. */
export interface WorkspaceChange {
  isPublic?: boolean | undefined
  /** Limits to change; null removes one. */
  quota?: Partial<Record<QuotaKind, number | null>> | undefined
}

/** Workspaces: namespaces of stores, layers and styles. */
export class Workspaces {
  readonly #deps: WriteDeps
  readonly #stores: Stores

  constructor(deps: WriteDeps, stores: Stores) {
    this.#deps = deps
    this.#stores = stores
  }

  list(): Promise<Workspace[]> {
    return listWorkspaces(this.#deps.database.kysely)
  }

  find(name: string): Promise<Workspace | undefined> {
    return findWorkspace(this.#deps.database.kysely, name)
  }

  /** Throws `Failure` (`not-found`) for a name that does not exist. */
  get(name: string): Promise<Workspace> {
    return getWorkspace(this.#deps.database.kysely, name)
  }

  /** Like `get`, for a name in a request body: throws `Failure` (`invalid`). */
  async require(name: string): Promise<Workspace> {
    const workspace = await this.find(name)
    if (workspace === undefined) throw invalid('unknown-workspace', `Workspace "${name}" does not exist`)
    return workspace
  }

  /** Returns the name of the default workspace; undefined if it was deleted. */
  findDefaultName(): Promise<string | undefined> {
    return findDefaultWorkspaceName(this.#deps.database.kysely)
  }

  /** Returns the name of the default workspace; throws `Failure` if it was deleted. */
  async getDefaultName(): Promise<string> {
    const name = await this.findDefaultName()
    if (name !== undefined) return name
    throw invalid(
      'no-default-workspace',
      'There is no default workspace: name one, or PUT /rest/workspaces/default',
    )
  }

  async create(requested: { name: string; isPublic: boolean; isDefault: boolean }): Promise<Workspace> {
    await this.#deps.database.transaction(async (db) => {
      await insertWorkspace(db, {
        name: requested.name,
        isPublic: requested.isPublic,
        at: nowOf(this.#deps.clock),
      })
      if (requested.isDefault) await saveDefaultWorkspaceName(db, requested.name)
    })
    return this.get(requested.name)
  }

  /**
   * Changes the given properties; layers that use the public access setting of the workspace get new
   * versions.
   */
  async change(name: string, { isPublic, quota }: WorkspaceChange): Promise<Workspace> {
    const at = nowOf(this.#deps.clock)
    if (isPublic !== undefined || quota !== undefined)
      await this.#deps.database.transaction(async (db) => {
        const current = await getWorkspace(db, name)
        if (isPublic !== undefined && current.isPublic !== isPublic)
          await updateWorkspace(db, name, { isPublic, at })
        if (quota !== undefined) await saveQuota(db, name, changedQuota(current.quota, quota), at)
      })
    return this.get(name)
  }

  /** Makes this the default workspace. */
  async makeDefault(name: string): Promise<void> {
    await saveDefaultWorkspaceName(this.#deps.database.kysely, name)
  }

  /**
   * Deletes an empty workspace; `recurse` also deletes its stores, layers, groups and styles, like `Stores.delete`.
   */
  async delete(name: string, options: { recurse: boolean }): Promise<void> {
    const { database } = this.#deps
    await this.get(name)
    const stores = await listStores(database.kysely, name)
    if (stores.length > 0 && !options.recurse) {
      throw conflict(
        'workspace-not-empty',
        `Workspace "${name}" has ${stores.length} stores: delete them first, or use recurse=true`,
      )
    }
    for (const store of stores) await this.#stores.delete(store, { recurse: true })
    await this.#stores.forgetGone(name)
    await database.transaction(async (db) => {
      await deleteGroupsOf(db, name)
      await deleteStylesOf(db, name)
      await clearDefaultWorkspace(db, name)
      await deleteWorkspaceRow(db, name)
    })
  }
}
