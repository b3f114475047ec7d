/** A path without a route, used for paths outside the base path. */
const outside = '/-'

/** Requests whose last segment is a file name, where `.json` belongs to the name. */
const namesFile = [
  { method: 'PUT', path: /^\/rest\/imports\/[^/]+\/tasks\/[^/]+$/ },
  { method: undefined, path: /^\/rest\/imports\/.+\/data\/files\/[^/]+$/ },
]

/** Documents of GeoServer's REST API, which exist as XML too. */
const hasXml =
  /^\/(?:rest\/(?:workspaces|namespaces|layers|layergroups|styles|about|settings|services|security\/(?:acl|usergroup|roles)|reload|reset)|gwc\/rest)(?=[/.])/

/**
 * Normalizes a path: removes the base path, a trailing slash, a `.json` suffix under `/rest`, a `.xml` suffix of documents that
 * exist as XML, and replaces `/task` by `/tasks`. Case and query are unchanged.
 */
export function rewriteUrl(method: string, url: string, basePath: string): string {
  const queryAt = url.indexOf('?')
  const query = queryAt < 0 ? '' : url.slice(queryAt)
  const full = queryAt < 0 ? url : url.slice(0, queryAt)
  if (full !== basePath && !full.startsWith(`${basePath}/`)) return outside + query
  const path = withoutTrailingSlash(full.slice(basePath.length))
  const isRest = path.startsWith('/rest/') || path.startsWith('/gwc/rest/')
  return (isRest ? restPath(method, path) : path) + query
}

function withoutTrailingSlash(path: string): string {
  let end = path.length
  while (end > 1 && path.charCodeAt(end - 1) === 47) end -= 1
  return path === '' ? '/' : path.slice(0, end)
}

function restPath(method: string, path: string): string {
  const plural = path.replace(/^(\/rest\/imports\/[^/]+)\/task(?=\/|$)/, '$1/tasks')
  const isFile = namesFile.some(
    (one) => (one.method === undefined || one.method === method) && one.path.test(plural),
  )
  if (isFile) return plural
  return plural.replace(hasXml.test(plural) ? /(?<=[^/])\.(?:json|xml)$/ : /(?<=[^/])\.json$/, '')
}
