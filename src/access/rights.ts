import type { Action } from './actions.ts'
import { bits, maskOfScopes, readingActions } from './actions.ts'
import type { Caller } from './records.ts'

/** A layer, a workspace (without `name`), or everything on the server. */
export type Resource =
  | '*'
  | {
      workspace: string
      /** Name of a layer. */
      name?: string | undefined
      /** Publicity of a layer; absent: that of its workspace. */
      isPublic?: boolean | undefined
    }

/** Actions that a caller was granted, as masks. */
export interface Granted {
  everywhere: number
  workspaces: ReadonlyMap<string, number>
  /** By workspace and name. */
  layers: ReadonlyMap<string, ReadonlyMap<string, number>>
}

/** The rights of one caller at one revision. Pure and immutable: a decision takes less than a microsecond. */
export class Rights {
  readonly #granted: Granted
  readonly #openWorkspaces: ReadonlySet<string>
  readonly #limits: Pick<Caller, 'tokenWorkspace' | 'tokenLayers'>
  /** Mask of what the token permits. */
  readonly #permitted: number

  constructor(granted: Granted, openWorkspaces: ReadonlySet<string>, caller: Caller) {
    this.#granted = granted
    this.#openWorkspaces = openWorkspaces
    this.#limits = caller
    this.#permitted = caller.tokenLayers === undefined ? maskOfScopes(caller.scopes) : bits.read
  }

  /** True if the caller may do this with the resource. */
  can(action: Action, resource: Resource): boolean {
    return (this.#maskOf(resource) & bits[action]) !== 0
  }

  /** True if the caller may do this with the workspace, or with one layer of it by a permission. */
  canWithin(action: Action, workspace: string): boolean {
    if (this.can(action, { workspace })) return true
    for (const name of this.#granted.layers.get(workspace)?.keys() ?? [])
      if (this.can(action, { workspace, name, isPublic: false })) return true
    return false
  }

  /** True if the caller may do this with anything, by a role or a permission. */
  canAnywhere(action: Action): boolean {
    if (this.can(action, '*')) return true
    const { workspaces, layers } = this.#granted
    const { tokenWorkspace } = this.#limits
    if (tokenWorkspace !== undefined) return this.canWithin(action, tokenWorkspace)
    return [...workspaces.keys(), ...layers.keys()].some((workspace) => this.canWithin(action, workspace))
  }

  /** Returns the layers that the caller may read. */
  readable<Layer extends { workspace: string; name: string; isPublic?: boolean | undefined }>(
    layers: readonly Layer[],
  ): readonly Layer[] {
    return this.can('read', '*') ? layers : layers.filter((layer) => this.can('read', layer))
  }

  #maskOf(resource: Resource): number {
    const { everywhere, workspaces, layers } = this.#granted
    const { tokenWorkspace, tokenLayers } = this.#limits
    if (resource === '*')
      return tokenWorkspace === undefined && tokenLayers === undefined ? everywhere & this.#permitted : 0
    const { workspace, name } = resource
    if (tokenWorkspace !== undefined && tokenWorkspace !== workspace) return 0
    if (tokenLayers !== undefined && (name === undefined || !tokenLayers.has(`${workspace}:${name}`)))
      return 0
    let mask = everywhere | (workspaces.get(workspace) ?? 0)
    if (name !== undefined) mask |= layers.get(workspace)?.get(name) ?? 0
    if (resource.isPublic ?? this.#openWorkspaces.has(workspace)) mask |= readingActions
    return mask & this.#permitted
  }
}
