import { type Caller, hasRole, isLimited, type Resource, type Rights } from '../../access/index.ts'
import type { Catalog, LayerRecord } from '../../catalog/index.ts'
import { Failure, notFound } from '../../core/errors/errors.ts'
import type { Access, FastifyRequest, ResourceAccess } from '../app-types.ts'
import { forbidden, loginNeeded, resourceAccesses } from '../app-types.ts'
import { plainStyleName } from '../rest/catalog/style-documents.ts'
import { isSafe } from './browser-safety.ts'

/** Parts of the catalogue that find the resource in a path. */
export type GuardCatalog = Pick<Catalog, 'layers' | 'styles' | 'workspaces'>

/** Throws `Failure` if the caller may not use a route. */
export async function authorize(
  catalog: GuardCatalog,
  request: FastifyRequest,
  access: Access,
): Promise<void> {
  const { caller } = request
  if (access === 'public') return
  if (access === 'user' || access === 'admin') {
    if (!hasRole(caller, access)) refuse(caller, access)
    if (access === 'user' && isChangeOfAccount(request)) refuseLimited(caller)
    return
  }
  const rights = await request.rights()
  if (access === 'staff') {
    if (!rights.can('manage', '*')) refuse(caller, access)
  } else if (access === 'some:import') {
    if (!rights.canAnywhere('import')) refuse(caller, 'staff')
  } else {
    await authorizeResource(catalog, request, rights, resourceAccesses[access])
  }
}

/** Drawing a style that was not saved is sent by POST and changes nothing. */
function isChangeOfAccount({ method, routeOptions }: FastifyRequest): boolean {
  return !isSafe(method) && routeOptions.config.countsAs !== 'view'
}

function refuseLimited(caller: Caller): void {
  if (!isLimited(caller)) return
  throw new Failure(
    'forbidden',
    'token-limited',
    'This changes the account of the user: use a token with the scope "manage" and without a workspace',
  )
}

/** The resource in a path, with the error for its absence. */
interface Named {
  resource: Exclude<Resource, '*'>
  /** True if the caller may read the resource, or something in it. */
  isReadable: boolean
  /** True if the caller may know that the resource is missing, because its workspace is readable. */
  isPlaceReadable: boolean
  text: string
  missing: () => Failure
}

async function authorizeResource(
  catalog: GuardCatalog,
  request: FastifyRequest,
  rights: Rights,
  { on, action, needsLogin }: ResourceAccess,
): Promise<void> {
  const { caller } = request
  if (needsLogin && action === 'read' && caller.role === 'anonymous') throw loginNeeded()
  const named = await finders[on](catalog, request, rights)
  const isAllowed = action === 'read' ? named.isReadable : rights.can(action, named.resource)
  if (isAllowed && !(needsLogin && action !== 'edit' && caller.role === 'anonymous')) return
  const isKnown = named.isReadable || (action === 'read' && named.isPlaceReadable)
  if (caller.role === 'anonymous' && (needsLogin || !isKnown)) throw loginNeeded()
  if (!named.isReadable) throw named.missing()
  throw forbidden(caller, action, named.text)
}

type Finder = (catalog: GuardCatalog, request: FastifyRequest, rights: Rights) => Promise<Named>

/** A missing layer counts as a private one of its workspace, so that both have the same response. */
const finders: Record<ResourceAccess['on'], Finder> = {
  layer: async ({ layers, workspaces }, { params }, rights) => {
    const { layer, collectionId } = params as Record<string, string | undefined>
    const text = layer ?? collectionId ?? ''
    const found = await findLayer({ layers }, text)
    const place = await placeOf({ workspaces }, text)
    const resource = found ?? { ...place, isPublic: false }
    const { workspace } = resource
    return {
      resource,
      isReadable: rights.can('read', resource),
      isPlaceReadable: rights.can('read', { workspace: text.split(':', 1).join() }),
      text: `layer "${workspace}:${resource.name}"`,
      missing: () =>
        collectionId === undefined
          ? notFound('unknown-layer', `Layer "${text}" does not exist`)
          : notFound('unknown-collection', `Collection "${text}" does not exist`),
    }
  },
  workspace: async (_catalog, { params }, rights) => {
    const { workspace = '' } = params as Record<string, string | undefined>
    const isReadable = rights.can('read', { workspace }) || rights.canWithin('read', workspace)
    return {
      resource: { workspace },
      isReadable,
      isPlaceReadable: isReadable,
      text: `workspace "${workspace}"`,
      missing: () => notFound('unknown-workspace', `Workspace "${workspace}" does not exist`),
    }
  },
  style: async ({ styles }, { caller, params }, rights) => {
    const { workspace, style = '' } = params as Record<string, string | undefined>
    const isPlaceReadable =
      workspace === undefined
        ? hasRole(caller, 'user')
        : rights.can('read', { workspace }) || rights.canWithin('read', workspace)
    const isReadable = isPlaceReadable || (await drawsReadable(styles, rights, workspace, style))
    return {
      resource: { workspace: workspace ?? '' },
      isReadable,
      isPlaceReadable,
      text: `style "${style}"`,
      missing: () => notFound('unknown-style', `Style "${style}" does not exist`),
    }
  },
}

/** Names are looked up in the cache of frequent requests; only a name without a workspace is not. */
function findLayer({ layers }: Pick<GuardCatalog, 'layers'>, text: string): Promise<LayerRecord | undefined> {
  const colon = text.indexOf(':')
  return colon < 0
    ? layers.findNamed(text)
    : layers.findForReading(text.slice(0, colon), text.slice(colon + 1))
}

async function placeOf(
  { workspaces }: Pick<GuardCatalog, 'workspaces'>,
  text: string,
): Promise<{ workspace: string; name: string }> {
  const colon = text.indexOf(':')
  if (colon >= 0) return { workspace: text.slice(0, colon), name: text.slice(colon + 1) }
  return { workspace: (await workspaces.findDefaultName()) ?? '', name: text }
}

async function drawsReadable(
  styles: Catalog['styles'],
  rights: Rights,
  workspace: string | undefined,
  name: string,
): Promise<boolean> {
  for (const one of new Set([name, plainStyleName(name)]))
    if (await styles.drawsReadableLayer({ workspace, name: one }, rights)) return true
  return false
}

function refuse(caller: Caller, role: string): never {
  if (caller.role === 'anonymous') throw loginNeeded()
  throw new Failure(
    'forbidden',
    'not-allowed',
    `This needs the role ${role}; ${caller.name} is ${caller.role}`,
  )
}
