// What each operation of the OpenAPI document needs, read from docs/permissions.md and the texts of the operations, without any
// code of the server. `tests/release/access/http-matrix.test.ts` fails for an operation without a line here.

import type { ModelAction } from '../access-model.ts'

export type Need =
  /** Everyone. `ignoresCredentials`: with credentials that are not valid too. */
  | { kind: 'nothing'; ignoresCredentials: boolean }
  /** A login. `changesAccount`: with all rights of the user, so no limited token. */
  | { kind: 'login'; changesAccount: boolean }
  | { kind: 'admin' }
  /** `manage` for everything. */
  | { kind: 'everything' }
  /** `import` for anything. */
  | { kind: 'import' }
  /** `import` into the workspace of the import in the path. */
  | { kind: 'this-import' }
  /** An action on the layer or workspace in the path; `needsLogin`: of public ones too. */
  | { kind: 'resource'; on: 'layer' | 'workspace'; action: ModelAction; needsLogin: boolean }
  /** Anything readable in the workspace in the path. */
  | { kind: 'anything-of' }
  /** `import` into the workspace in the path, or into a layer of it. */
  | { kind: 'import-into' }
  /** A login by password or session: tokens are refused. */
  | { kind: 'password' }
  /** A file made of a layer: downloading the layer; `remove` its maker, or who manages the layer. */
  | { kind: 'file'; action: 'read' | 'remove' }
  /** A private saved map: its owner and staff. */
  | { kind: 'map'; action: 'read' | 'change' }
  /** Reading a layer of a group. */
  | { kind: 'layer-group' }

const nothing: Need = { kind: 'nothing', ignoresCredentials: false }
const uncheckedCredentials: Need = { kind: 'nothing', ignoresCredentials: true }
const login: Need = { kind: 'login', changesAccount: false }
const account: Need = { kind: 'login', changesAccount: true }
const admin: Need = { kind: 'admin' }
const everything: Need = { kind: 'everything' }
const imports: Need = { kind: 'import' }
const on = (what: 'layer' | 'workspace', action: ModelAction, needsLogin = true): Need => ({
  kind: 'resource',
  on: what,
  action,
  needsLogin,
})
const publicLayer = on('layer', 'read', false)

/** The first line that matches `<METHOD> <path>` counts; parameters of paths are written `{}`. */
const lines: [RegExp, Need][] = [
  [/^GET \/(rest|rest\/security|monitoring|monitoring\/api|openapi\.json|docs.*)?$/, nothing],
  [/^GET \/health(\/live|\/ready)?$/, uncheckedCredentials],
  [/^GET \/rest\/security\/sign-in$/, nothing],
  [/^GET \/metrics$/, login],
  [/^GET \/rest\/nodes$/, admin],
  [/^(GET|POST) \/rest\/jobs/, admin],
  [/^(GET|PUT|POST|DELETE) \/rest\/security\/(users|groups|permissions|acl|usergroup|roles)/, admin],
  [/^GET \/rest\/security\/access$/, login],
  [/^(POST) \/rest\/security\/(session|oidc|session\/passkey)/, nothing],
  [/^GET \/rest\/security\/oidc/, nothing],
  [/^GET \/rest\/security\/(self|tokens|session)/, login],
  [/^DELETE \/rest\/security\/self\/passkeys/, { kind: 'password' }],
  [/^(PUT|POST|DELETE) \/rest\/security\/(self|tokens|session)/, account],
  [/^GET \/rest\/audit/, admin],
  [/^(POST|PUT|DELETE) \/monitoring\/api\/(hosts|services|load)/, admin],
  [/^GET \/monitoring\/api\/load$/, admin],
  [/^(GET|POST|DELETE) \/monitoring\/api\/(exceptions|report\/subscriptions|autoconfigure)/, everything],
  [/^(GET|POST|DELETE) \/monitoring\/api\/notifications\/config/, everything],
  [/^POST \/monitoring\/api\/notifications$/, everything],
  [/^GET \/monitoring\/tiles\/demand/, { kind: 'resource', on: 'layer', action: 'read', needsLogin: true }],
  [/^GET \/monitoring\/api\//, login],
  [/^(POST|PUT|PATCH|DELETE) \/ogc\/collections\/{}\/items/, on('layer', 'edit', false)],
  [/^OPTIONS \/ogc\/collections\/{}\/items/, publicLayer],
  [
    /^GET \/ogc\/collections\/{}\/(download|coverage|file\/|granules\/{}\/file)/,
    on('layer', 'download', false),
  ],
  [/^GET \/ogc\/collections\/{}/, publicLayer],
  [/^GET \/ogc\/catalogue\/collections\/layers\/items\/{}$/, publicLayer],
  [/^(POST|PUT|DELETE) \/ogc\/styles/, everything],
  [/^GET \/ogc/, nothing],
  [/^GET \/stac\/collections\/{}/, publicLayer],
  [/^(GET|POST) \/stac/, nothing],
  [/^GET \/tiles\/sprites/, nothing],
  [/^POST \/tiles\/{}/, on('layer', 'read')],
  [/^GET \/tiles\/{}/, publicLayer],
  [/^POST \/rest\/layers\/{}\/exports$/, on('layer', 'download')],
  [/^GET \/rest\/downloads/, { kind: 'file', action: 'read' }],
  [/^DELETE \/rest\/downloads/, { kind: 'file', action: 'remove' }],
  [/^GET \/rest\/workspaces$/, login],
  [/^GET \/rest\/workspaces\/default$/, on('workspace', 'read')],
  [/^GET \/rest\/workspaces\/{}\/usage$/, { kind: 'import-into' }],
  [/^(POST \/rest\/workspaces|PUT \/rest\/workspaces\/default)$/, everything],
  [/^GET \/rest\/(workspaces\/{}\/)?layergroups\/{}$/, { kind: 'layer-group' }],
  [/^GET \/rest\/workspaces\/{}\/(layers|layergroups)$/, { kind: 'anything-of' }],
  [/^GET \/rest\/workspaces\/{}(\/styles)?$/, on('workspace', 'read', false)],
  [/^GET \/rest\/workspaces\/{}\/styles\/{}$/, { kind: 'anything-of' }],
  [/^GET \/rest\/workspaces\/{}\/(datastores|coveragestores)$/, on('workspace', 'read')],
  [
    /^GET \/rest\/workspaces\/{}\/(datastores|coveragestores)\/{}\/(featuretypes|coverages)$/,
    on('workspace', 'read'),
  ],
  [
    /^GET \/rest\/workspaces\/{}\/(datastores|coveragestores)\/{}\/(featuretypes|coverages)\/{}$/,
    on('workspace', 'read'),
  ],
  [/^(GET|POST|PUT|DELETE) \/rest\/workspaces\/{}/, on('workspace', 'manage')],
  [/^GET \/rest\/catalogue\/(workspaces|stores|layer-groups)$/, everything],
  [/^GET \/rest\/namespaces$/, login],
  [/^GET \/rest\/namespaces\/{}$/, on('workspace', 'read')],
  [/^GET \/rest\/about\/version$/, login],
  [/^(POST|PUT) \/rest\/(reload|reset)$/, everything],
  [/^GET \/rest\/(settings|services\/{}\/settings)$/, everything],
  [/^GET \/gwc\/rest\/layers$/, login],
  [/^GET \/gwc\/rest\/layers\/{}$/, on('layer', 'read')],
  // The layer is in the body.
  [/^POST \/gwc\/rest\/masstruncate$/, account],
  [/^GET \/rest\/(layers|catalogue\/layers|state)$/, nothing],
  [/^GET \/rest\/layers\/{}$/, publicLayer],
  [/^DELETE \/rest\/layers\/{}\/versions\/{}$/, admin],
  [/^GET \/rest\/layers\/{}/, on('layer', 'read')],
  [/^(PUT|POST|DELETE) \/rest\/layers\/{}/, on('layer', 'manage')],
  [/^GET \/rest\/(palettes|styles)$/, login],
  // The style draws a public layer.
  [/^GET \/rest\/styles\/{}$/, nothing],
  [/^(POST|PUT|DELETE) \/rest\/styles/, everything],
  [/^POST \/rest\/(database-tables|database-imports)$/, admin],
  [/^GET \/rest\/import-history$/, everything],
  [/^GET \/rest\/(import-folders|crs|transforms)$/, imports],
  [/^(GET|POST|DELETE) \/rest\/imports$/, imports],
  [/^(GET|POST|PUT|DELETE) \/rest\/imports\/{}/, { kind: 'this-import' }],
  [/^GET \/assets\/basemap/, nothing],
  [/^OPTIONS \/rest\/uploads$/, nothing],
  [/^(GET|HEAD|POST|PATCH|DELETE) \/rest\/uploads/, imports],
  [/^(GET|POST|PUT|DELETE) \/rest\/sources/, everything],
  [/^GET \/({}\/)?(gwc\/service\/)?wmts\/rest\/{}\//, publicLayer],
  [/^GET \/gwc\/service\/tms\/1\.0\.0\/{}/, publicLayer],
  [/^(GET|POST) \/{}\/(gwc\/service\/)?(wms|wfs|wcs|ows|wmts)(\/|$)/, { kind: 'anything-of' }],
  [/^(GET|POST) \/(gwc\/service\/)?(wms|wfs|wcs|ows|wmts|tms)(\/|$)/, nothing],
  [/^GET \/rest\/layergroups$/, nothing],
  [/^POST \/rest\/layergroups$/, everything],
  [/^(PUT|DELETE) \/rest\/layergroups\/{}$/, everything],
  [/^GET \/rest\/maps$/, nothing],
  [/^POST \/rest\/maps$/, account],
  [/^GET \/rest\/maps\/{}$/, { kind: 'map', action: 'read' }],
  [/^(PUT|DELETE) \/rest\/maps\/{}$/, { kind: 'map', action: 'change' }],
]

/** Returns what an operation needs; undefined if no line says it. */
export function needOf(method: string, path: string): Need | undefined {
  const text = `${method} ${path.replaceAll(/\{[^}]*\}/g, '{}')}`
  return lines.find(([pattern]) => pattern.test(text))?.[1]
}
