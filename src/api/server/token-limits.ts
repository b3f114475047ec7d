import type { TokenScope } from '../../access/index.ts'
import { Failure } from '../../core/errors/errors.ts'
import type { FastifyRequest } from '../app-types.ts'
import { isSafe } from './browser-safety.ts'

/** Posted requests that only read. */
const postedReads = /^\/(?:tiles|stac|ows|wms|wfs|wcs|wmts|:workspace\/(?:ows|wms|wfs|wcs|wmts))(?:\/|$)/
/** Routes that need the scope `import` for changes: imports, uploads, and edits of features. */
const importRoutes = /^\/(?:rest\/(?:imports|uploads)|ogc\/collections\/:collectionId\/items)(?:\/|$)/

/** Throws `Failure` (403) for a request that the scopes or the workspace of its API token do not cover. */
export function requireTokenScope(request: FastifyRequest): void {
  const { scopes, tokenWorkspace, tokenLayers } = request.caller
  const needed = neededScope(request)
  if (scopes !== undefined && !covers(scopes, needed))
    throw new Failure(
      'forbidden',
      'scope-missing',
      `This needs a token with the scope "${needed}"; this token has ${scopes.join(', ')}`,
    )
  if (tokenWorkspace === undefined || tokenLayers !== undefined) return
  const { workspace, layer, collectionId, styleId } = request.params as Record<string, string | undefined>
  // The id of a global style names no workspace.
  const style = styleId?.includes(':') === true ? styleId : undefined
  const place = workspace ?? (layer ?? collectionId ?? style)?.split(':', 1)[0]
  const isElsewhere = place !== undefined && place !== tokenWorkspace
  const isGlobal = place === undefined && needed === 'manage' && !isOwn(request)
  if (isElsewhere || isGlobal)
    throw new Failure(
      'forbidden',
      'token-workspace',
      `This token is limited to the workspace "${tokenWorkspace}"`,
    )
}

/** Each scope includes the previous ones. */
function covers(scopes: readonly TokenScope[], needed: TokenScope): boolean {
  const order: readonly TokenScope[] = ['read', 'import', 'manage']
  return scopes.some((scope) => order.indexOf(scope) >= order.indexOf(needed))
}

function neededScope({ method, routeOptions }: FastifyRequest): TokenScope {
  const route = routeOptions.url ?? ''
  if (isSafe(method) || postedReads.test(route)) return 'read'
  return importRoutes.test(route) ? 'import' : 'manage'
}

/** The caller's own tokens and sessions belong to no workspace. */
function isOwn({ routeOptions }: FastifyRequest): boolean {
  return /^\/rest\/security\/(?:self|tokens|session)/.test(routeOptions.url ?? '')
}
