// Decides what a request must answer, by the rules of docs/permissions.md and `access-model.ts`, without any code of the server.

import type { ModelAction, ModelCaller, ModelWorld } from '../access-model.ts'
import { modelCan } from '../access-model.ts'
import type { Need } from './operation-needs.ts'

/** Classes of answers. `missing`: as the same request for something that does not exist. */
export type Outcome = 'permitted' | '401' | '403' | 'missing'

export interface MatrixCaller extends ModelCaller {
  id: string
  /** False: disabled, or with an expired token. */
  isValid: boolean
}

/** A layer, by which its workspace is meant too. */
export interface MatrixLayer {
  workspace: string
  layer: string
  isPublic: boolean
}

export interface MatrixRequest {
  method: string
  path: string
  need: Need
  target: MatrixLayer
  /** False for an operation whose path names no layer or workspace. */
  namesPlace: boolean
}

/** A world of permissions and layers. */
export interface MatrixWorld extends ModelWorld {
  layers: readonly MatrixLayer[]
}

/** Posted requests that only read: those of OGC services, and tiles of styles that were not saved. */
const postedReads = /^\/(\{[^}]*\}\/)?(wms|wfs|wcs|ows|tiles|stac)(\/|$)/

type Scope = 'read' | 'import' | 'manage'
const scopes: readonly Scope[] = ['read', 'import', 'manage']

/** Scope that a token needs: reading, editing and importing, or everything. */
function neededScope({ method, path }: MatrixRequest): Scope {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || postedReads.test(path)) return 'read'
  const isImport = /^\/rest\/(imports|uploads)(\/|$)/.test(path)
  return isImport || /^\/ogc\/collections\/\{[^}]*\}\/items/.test(path) ? 'import' : 'manage'
}

/** True if a token has no say outside its workspace or scope. */
function isLimited({ token }: MatrixCaller): boolean {
  return token?.workspace !== undefined || (token?.scope !== undefined && token.scope !== 'manage')
}

function refusesToken(caller: MatrixCaller, request: MatrixRequest): boolean {
  const { token } = caller
  if (token === undefined) return false
  const needed = neededScope(request)
  if (token.scope !== undefined && scopes.indexOf(token.scope) < scopes.indexOf(needed)) return true
  if (token.workspace === undefined) return false
  if (request.namesPlace) return token.workspace !== request.target.workspace
  const isOwn = /^\/rest\/security\/(self|tokens|session)/.test(request.path)
  return needed === 'manage' && !isOwn
}

/** Resources that the caller may do something with. */
export class MatrixModel {
  readonly #world: MatrixWorld

  constructor(world: MatrixWorld) {
    this.#world = world
  }

  can(caller: MatrixCaller, action: ModelAction, target: MatrixLayer): boolean {
    return modelCan(this.#world, caller, action, target)
  }

  canInWorkspace(caller: MatrixCaller, action: ModelAction, { workspace }: MatrixLayer): boolean {
    return modelCan(this.#world, caller, action, { workspace, isPublic: false })
  }

  /** True if a permission or a role permits it for the workspace or for one layer of it; `public` does not count. */
  canWithin(caller: MatrixCaller, action: ModelAction, { workspace }: MatrixLayer): boolean {
    const inside = this.#world.layers.filter((one) => one.workspace === workspace)
    const isPublic = false
    return (
      modelCan(this.#world, caller, action, { workspace, isPublic }) ||
      inside.some((layer) => modelCan(this.#world, caller, action, { ...layer, isPublic }))
    )
  }

  canEverything(caller: MatrixCaller): boolean {
    if (isLimited(caller)) return false
    return caller.role === 'admin' || (caller.role === 'staff' && this.#world.staffScope === 'open')
  }

  expected(caller: MatrixCaller, request: MatrixRequest): readonly Outcome[] {
    if (request.need.kind === 'nothing' && request.need.ignoresCredentials) return ['permitted']
    if (!caller.isValid) return ['401']
    if (refusesToken(caller, request)) return ['403']
    return this.#byNeed(caller, request)
  }

  #byNeed(caller: MatrixCaller, request: MatrixRequest): readonly Outcome[] {
    const { need, target } = request
    const denied: Outcome = caller.role === 'anonymous' ? '401' : '403'
    const unless = (isAllowed: boolean): readonly Outcome[] => [isAllowed ? 'permitted' : denied]
    switch (need.kind) {
      case 'nothing':
        return ['permitted']
      case 'login':
        return unless(caller.role !== 'anonymous' && !(need.changesAccount && isLimited(caller)))
      case 'admin':
        return unless(caller.role === 'admin' && !isLimited(caller))
      case 'everything':
        return unless(this.canEverything(caller))
      case 'import':
        return unless(this.#canImport(caller))
      case 'this-import':
        if (!this.#canImport(caller)) return [denied]
        return [this.canInWorkspace(caller, 'import', target) ? 'permitted' : 'missing']
      case 'resource':
        return this.#byResource(caller, need, target)
      case 'anything-of':
        return this.#byContents(caller, target)
      case 'import-into':
        if (caller.role === 'anonymous') return ['401']
        if (!this.canWithin(caller, 'read', target)) return ['missing']
        return unless(this.canWithin(caller, 'import', target))
      case 'password':
        return unless(caller.role !== 'anonymous' && caller.token === undefined)
      case 'file':
        return this.#byFile(caller, need.action, target)
      case 'map':
        return this.#byMap(caller)
      case 'layer-group':
        if (this.can(caller, 'read', target)) return ['permitted']
        return [caller.role === 'anonymous' ? '401' : 'missing']
    }
  }

  #canImport(caller: MatrixCaller): boolean {
    return this.#world.layers.some((layer) => this.canWithin(caller, 'import', layer))
  }

  #byResource(
    caller: MatrixCaller,
    { on, action, needsLogin }: { on: 'layer' | 'workspace'; action: ModelAction; needsLogin: boolean },
    target: MatrixLayer,
  ): readonly Outcome[] {
    const isReadable =
      on === 'layer' ? this.can(caller, 'read', target) : this.canWithin(caller, 'read', target)
    const can =
      action === 'read'
        ? isReadable
        : on === 'layer'
          ? this.can(caller, action, target)
          : this.canInWorkspace(caller, action, target)
    const isAnonymous = caller.role === 'anonymous'
    if (can && !(needsLogin && isAnonymous)) return ['permitted']
    if (isAnonymous) return needsLogin || isReadable ? ['401'] : ['401', 'missing']
    return [isReadable ? '403' : 'missing']
  }

  #byContents(caller: MatrixCaller, target: MatrixLayer): readonly Outcome[] {
    const inside = this.#world.layers.filter(({ workspace }) => workspace === target.workspace)
    const isReadable =
      this.canWithin(caller, 'read', target) || inside.some((one) => this.can(caller, 'read', one))
    if (isReadable) return ['permitted']
    return caller.role === 'anonymous' ? ['401', 'missing'] : ['missing']
  }

  #byFile(caller: MatrixCaller, action: 'read' | 'remove', target: MatrixLayer): readonly Outcome[] {
    if (!this.can(caller, 'download', target)) return ['missing']
    if (action === 'read') return ['permitted']
    if (caller.role === 'anonymous') return ['401']
    return [this.can(caller, 'manage', target) ? 'permitted' : '403']
  }

  /** The map of the matrix is a private one of an administrator. */
  #byMap(caller: MatrixCaller): readonly Outcome[] {
    if (caller.role === 'anonymous') return ['401']
    if (isLimited(caller)) return ['missing']
    return [caller.role === 'admin' || caller.role === 'staff' ? 'permitted' : 'missing']
  }
}
