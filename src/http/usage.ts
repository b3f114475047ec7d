import { ownValue } from '../lib/own-value.ts'
import type { OwnEventType } from '../monitoring/model/event-types.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
/** How requests of a route count, by method; `HEAD` counts like `GET`. */
type RouteUsage = Partial<Record<Method, OwnEventType>>

const reading: RouteUsage = { GET: 'view' }
const collection: RouteUsage = { GET: 'view', POST: 'create' }
const item: RouteUsage = { GET: 'view', PUT: 'change', DELETE: 'remove' }
const features: RouteUsage = { GET: 'OWS:WFS' }
const coverages: RouteUsage = { GET: 'OWS:WCS' }

const imports = '/rest/imports'
const oneImport = `${imports}/:importId`
const task = `${oneImport}/tasks/:taskId`
const workspace = '/rest/workspaces/:workspace'
const ogcCollection = '/ogc/collections/:collectionId'
const granule = `${ogcCollection}/granules/:featureId`

/** What is done to resources through each route; a pattern without its parameters' expressions. */
const usages: Record<string, RouteUsage> = {
  '/': reading,
  '/rest': reading,
  '/rest/security': reading,
  '/docs': reading,
  '/openapi.json': { GET: 'view_metadata' },

  '/ogc': features,
  '/ogc/api': features,
  '/ogc/conformance': features,
  '/ogc/collections': features,
  [ogcCollection]: features,
  [`${ogcCollection}/schema`]: features,
  [`${ogcCollection}/items`]: features,
  [`${ogcCollection}/items/:featureId`]: features,
  [`${ogcCollection}/granules`]: coverages,
  [granule]: coverages,
  [`${granule}/file/:fileName`]: coverages,
  [`${ogcCollection}/file/:fileName`]: coverages,

  '/rest/database-imports': { POST: 'create' },
  [imports]: { ...collection, DELETE: 'remove' },
  [oneImport]: { GET: 'view', POST: 'publish', PUT: 'create', DELETE: 'remove' },
  [`${oneImport}/run`]: { DELETE: 'change' },
  [`${oneImport}/events`]: reading,
  [`${oneImport}/data`]: reading,
  [`${oneImport}/data/files`]: reading,
  [`${oneImport}/data/files/:fileId`]: item,
  [`${oneImport}/tasks`]: { GET: 'view', POST: 'upload' },
  [`${oneImport}/tasks/:fileName`]: { PUT: 'upload' },
  [task]: item,
  [`${task}/run`]: { DELETE: 'change' },
  [`${task}/data`]: reading,
  [`${task}/data/files`]: reading,
  [`${task}/data/files/:fileId`]: item,
  [`${task}/layer`]: { GET: 'view_metadata', PUT: 'change_metadata' },
  [`${task}/layer/style`]: { GET: 'view_metadata' },
  [`${task}/progress`]: reading,
  [`${task}/rejects`]: { GET: 'download' },
  [`${task}/target`]: { GET: 'view', PUT: 'change' },
  [`${task}/transforms`]: collection,
  [`${task}/transforms/:transformId`]: item,

  '/rest/layers': reading,
  '/rest/layers/:layer': { GET: 'view_metadata', PUT: 'change_metadata', DELETE: 'remove' },
  '/rest/layers/:layer/refresh': { POST: 'change_metadata' },
  [`${workspace}/layers`]: reading,
  '/rest/styles': collection,
  '/rest/styles/:style': item,
  [`${workspace}/styles`]: collection,
  [`${workspace}/styles/:style`]: item,
  '/rest/workspaces': collection,
  '/rest/workspaces/default': item,
  [workspace]: item,
  [`${workspace}/datastores`]: collection,
  [`${workspace}/datastores/:store`]: item,
  [`${workspace}/datastores/:store/featuretypes`]: reading,
  [`${workspace}/coveragestores`]: collection,
  [`${workspace}/coveragestores/:store`]: item,
  [`${workspace}/coveragestores/:store/coverages`]: reading,

  '/rest/security/session': { ...collection, DELETE: 'remove' },
  '/rest/security/self/password': { PUT: 'change' },
  '/rest/security/users': collection,
  '/rest/security/users/:name': item,
  '/rest/security/tokens': collection,
  '/rest/security/tokens/:id': item,
}

/** Paths that are not recorded: of the operation of the server itself, and files of pages. */
const unrecorded = /^\/(?:health|metrics|monitoring|docs\/.+)(?=[/?]|$)/

/** Whether requests of this path, without the base path, are recorded. */
export function isRecorded(url: string): boolean {
  return !unrecorded.test(url)
}

/** How a request counts by its route; undefined for one that is not in the table. */
export function findUsage(route: string, method: string): OwnEventType | undefined {
  const usage = ownValue(usages, route.replace(/\(.*?\)/g, ''))
  return usage?.[(method === 'HEAD' ? 'GET' : method) as Method]
}
