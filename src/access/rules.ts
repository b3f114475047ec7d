import { BoundedCache } from '../core/caches/bounded-cache.ts'
import type { Action } from './actions.ts'
import { everyAction, maskOf, readingActions } from './actions.ts'
import type { Permission } from './permission.ts'
import type { Caller } from './records.ts'
import { anonymous } from './records.ts'
import type { Granted, Resource } from './rights.ts'
import { Rights } from './rights.ts'

/** Rights that roles have without permissions. */
export interface AccessDefaults {
  /** `open`: users read and download every layer. `granted`: what permissions name. */
  defaultRead: 'open' | 'granted'
  /** `open`: the role `staff` may do everything with layers and workspaces. `granted`: what permissions name. */
  staffScope: 'open' | 'granted'
}

/** Data that the rights of callers are compiled from, all of one revision. */
interface RuleData {
  revision: number
  permissions: readonly Permission[]
  /** Groups of each user. */
  groupsOf: ReadonlyMap<string, ReadonlySet<string>>
  /** Public workspaces. */
  openWorkspaces: ReadonlySet<string>
}

/** Number of callers whose compiled rights are cached. */
const cachedCallers = 5000

/** The rules of one revision: who may do what. Immutable. */
export class Rules {
  readonly data: RuleData
  readonly defaults: AccessDefaults
  readonly #known = new BoundedCache<string, Rights>(cachedCallers)
  /** The same by the caller of a request: building its key takes longer than a decision. */
  readonly #ofCaller = new WeakMap<Caller, Rights>()
  /** Permissions by subject. */
  readonly #bySubject: ReadonlyMap<string, readonly Permission[]>

  constructor(data: RuleData, defaults: AccessDefaults) {
    this.data = data
    this.defaults = defaults
    this.#bySubject = Map.groupBy(data.permissions, ({ subject }) =>
      'name' in subject ? `${subject.kind} ${subject.name}` : subject.kind,
    )
  }

  /** The decision: true if the caller may do this with the resource. */
  can(caller: Caller, action: Action, resource: Resource): boolean {
    return this.rightsOf(caller).can(action, resource)
  }

  /** Returns the rights of a caller; the same object for the same caller. */
  rightsOf(caller: Caller): Rights {
    const cached = this.#ofCaller.get(caller)
    if (cached !== undefined) return cached
    // Lists of layers in tokens differ from token to token.
    const rights =
      caller.tokenLayers === undefined
        ? this.#known.get(keyOf(caller), () => this.#compile(caller))
        : this.#compile(caller)
    this.#ofCaller.set(caller, rights)
    return rights
  }

  /** True if the resource is public by its own setting or that of its workspace. */
  isPublic({ workspace, isPublic }: { workspace: string; isPublic?: boolean | undefined }): boolean {
    return isPublic ?? this.data.openWorkspaces.has(workspace)
  }

  /** True if everyone may read the layer without a login. */
  isOpenToEveryone(layer: { workspace: string; name: string; isPublic?: boolean | undefined }): boolean {
    return this.can(anonymous, 'read', layer)
  }

  /** Returns the permissions that apply to a caller, in the order of their ids. */
  permissionsOf(caller: Caller): Permission[] {
    const { name, role, groups } = caller
    const keys = ['everyone']
    if (role !== 'anonymous') keys.push('authenticated')
    if (name !== undefined) keys.push(`user ${name}`)
    for (const group of groups ?? this.data.groupsOf.get(name ?? '') ?? []) keys.push(`group ${group}`)
    const found = keys.flatMap((key) => this.#bySubject.get(key) ?? [])
    return found.sort((a, b) => a.id - b.id)
  }

  /** Mask of what the role alone gives on everything. */
  maskOfRole({ role }: Caller): number {
    if (role === 'admin') return everyAction
    if (role === 'staff' && this.defaults.staffScope === 'open') return everyAction
    return role !== 'anonymous' && this.defaults.defaultRead === 'open' ? readingActions : 0
  }

  #compile(caller: Caller): Rights {
    const workspaces = new Map<string, number>()
    const layers = new Map<string, Map<string, number>>()
    let everywhere = this.maskOfRole(caller)
    for (const { workspace, layer, actions } of this.permissionsOf(caller)) {
      const mask = maskOf(actions)
      if (workspace === undefined) everywhere |= mask
      else if (layer === undefined) workspaces.set(workspace, (workspaces.get(workspace) ?? 0) | mask)
      else {
        const named = layers.get(workspace) ?? new Map<string, number>()
        layers.set(workspace, named.set(layer, (named.get(layer) ?? 0) | mask))
      }
    }
    const granted: Granted = { everywhere, workspaces, layers }
    return new Rights(granted, this.data.openWorkspaces, caller)
  }
}

function keyOf({ name, role, groups, scopes, tokenWorkspace }: Caller): string {
  return JSON.stringify([role, name, scopes, tokenWorkspace, groups])
}
