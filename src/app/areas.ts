import { join } from 'node:path'
import { Permissions } from '../access/index.ts'
import { healthEndpoints } from '../api/about/health.ts'
import { metricsArea } from '../api/about/metrics.ts'
import { nodeEndpoints } from '../api/about/nodes.ts'
import { monitoringIndexEndpoints, startPageEndpoints } from '../api/about/start-page.ts'
import type { ApiArea, App } from '../api/app-types.ts'
import {
  oidcArea,
  ownAccountEndpoints,
  sessionEndpoints,
  tokenEndpoints,
  userEndpoints,
} from '../api/auth/routes.ts'
import { basemapArea } from '../api/basemap/routes.ts'
import type { Endpoint } from '../api/endpoint.ts'
import { addEndpoints } from '../api/endpoint.ts'
import { LayerBounds } from '../api/layer-bounds.ts'
import { LayerTimeBounds } from '../api/layer-times.ts'
import { CachedCounts } from '../api/ogcapi/cached-counts.ts'
import { PageTokens } from '../api/ogcapi/page-token.ts'
import { ogcArea } from '../api/ogcapi/routes.ts'
import { CachedPositions } from '../api/ows/cached-positions.ts'
import { DocumentReader } from '../api/ows/fes/document-reader.ts'
import { owsArea } from '../api/ows/routes.ts'
import { BuiltPages } from '../api/pages/built-pages.ts'
import { pagesArea } from '../api/pages/pages-area.ts'
import { auditEndpoints } from '../api/rest/audit/routes.ts'
import { catalogArea, stylesArea } from '../api/rest/catalog/routes.ts'
import { downloadEndpoints } from '../api/rest/downloads/routes.ts'
import { geoserverAreas } from '../api/rest/geoserver/routes.ts'
import { groupsArea } from '../api/rest/groups/routes.ts'
import { importerAreas } from '../api/rest/importer/routes.ts'
import { jobEndpoints } from '../api/rest/jobs/routes.ts'
import { mapEndpoints } from '../api/rest/maps/routes.ts'
import { sourceEndpoints } from '../api/rest/sources/routes.ts'
import { uploadArea } from '../api/rest/uploads/routes.ts'
import { permissionEndpoints } from '../api/security/routes.ts'
import { stacArea } from '../api/stac/routes.ts'
import { pictureEndpoints } from '../api/tiles/picture-routes.ts'
import { tileEndpoints } from '../api/tiles/routes.ts'
import { TileLimiter } from '../api/tiles/tile-limiter.ts'
import type { Basemap } from '../core/config/settings.ts'
import { FreeSpace } from '../core/files/free-space.ts'
import { BackgroundMap, Thumbnails } from '../render/index.ts'
import { openMonitoringAreas } from './monitoring-areas.ts'
import { openOverview } from './overview.ts'
import type { AppServices } from './services.ts'

/** Folder of the pages built by the set-up script. */
const basemapFile = join(import.meta.dirname, '..', '..', 'basemap', 'natural-earth.mbtiles')
const pagesFolder = join(import.meta.dirname, '..', '..', 'build', 'pages')

/** Returns all groups of routes, each with the parts that its handlers use. */
export function openAreas(context: AppServices): ApiArea[] {
  const { version, catalog, importer, monitoring, settings, clock } = context
  const { maps, exports, downloads, earlier } = context
  const { versionChanges, sides, rasters, pictures, drawnTiles } = context
  const space = new FreeSpace(context.directory.root)
  const pages = new BuiltPages(pagesFolder, originOfMap(settings.basemap))
  const placed = { bounds: new LayerBounds(), times: new LayerTimeBounds(catalog.layers) }
  const index = { version, isMonitoringOn: settings.monitoring.isOn, pages }
  const { sharedMaxAgeSeconds } = settings.server
  const limiter = tileLimiter(settings)
  const tiles = { catalog, maps, earlier, rasters, version, sharedMaxAgeSeconds, limiter }
  const thumbnails = new Thumbnails({ maps, rasters, pictures })
  const drawn = { rasters, pictures, drawnTiles, thumbnails }
  return [
    table(startPageEndpoints, index),
    pagesArea(pages),
    basemapArea({ background: new BackgroundMap(basemapFile), basemap: settings.basemap }),
    ...(index.isMonitoringOn ? [table(monitoringIndexEndpoints, index)] : []),
    table(healthEndpoints, {
      version,
      importer,
      monitoring,
      space,
      versions: catalog.versions,
      readiness: context.readiness,
    }),
    table(nodeEndpoints, context.nodes),
    table(jobEndpoints, context.jobs),
    metricsArea({ metrics: context.metrics, layers: context.catalog.layers }),
    ...accountAreas(context),
    ogcArea({
      catalog,
      clock,
      version,
      granuleFolders: importer.servedFolders,
      sharedMaxAgeSeconds,
      tiles,
      edits: importer.edits,
      ...placed,
      downloads,
      about: settings.service,
      pages: pages.filesOf('ogc', ['ogc']),
      secret: context.directory.key,
    }),
    openStac(context, placed.bounds, pages),
    table(tileEndpoints, tiles),
    table(pictureEndpoints, { ...tiles, ...drawn }),
    mapServices(context, { ...tiles, ...drawn, ...placed, edits: importer.edits }),
    table(downloadEndpoints, { catalog, exports, downloads }),
    catalogArea({
      catalog,
      rules: context.rules,
      sharedMaxAgeSeconds,
      restores: importer.restores,
      versionChanges,
      sides,
      imports: importer.kept,
    }),
    stylesArea(catalog),
    groupsArea({ catalog, bounds: placed.bounds }),
    ...geoserverRest(context, placed.bounds),
    table(mapEndpoints, { catalog }),
    ...importerAreas({
      importer,
      catalog,
      dialect: settings.server.dialect,
      maxUploadBytes: settings.limits.maxUploadBytes,
      importRoots: settings.data.importRoots,
    }),
    uploadArea({ uploads: importer.uploads, quotas: catalog.quotas }),
    table(sourceEndpoints, { sources: context.sources, dialect: settings.server.dialect }),
    ...openMonitoringAreas(context),
    openOverview(context, placed.bounds),
  ]
}

/** Requests of GeoServer's configuration REST. */
function geoserverRest(
  { version, catalog, importer, accounts, settings, ...context }: AppServices,
  bounds: LayerBounds,
): ApiArea[] {
  return geoserverAreas({
    version,
    catalog,
    importer,
    bounds,
    about: settings.service,
    users: accounts.users,
    groups: accounts.groups,
    permissions: new Permissions(context),
    maxUploadBytes: settings.limits.maxUploadBytes,
    importRoots: settings.data.importRoots,
  })
}

function openStac(
  {
    catalog,
    clock,
    version,
    settings,
    directory,
  }: Pick<AppServices, 'catalog' | 'clock' | 'version' | 'settings' | 'directory'>,
  bounds: LayerBounds,
  pages: BuiltPages,
): ApiArea {
  return stacArea({
    catalog,
    clock,
    version,
    bounds,
    sharedMaxAgeSeconds: settings.server.sharedMaxAgeSeconds,
    about: settings.service,
    pages: pages.filesOf('ogc', ['ogc']),
    pageTokens: new PageTokens(directory.key),
    counts: new CachedCounts(catalog.layers),
  })
}

type OwsAreaDeps = Parameters<typeof owsArea>[0]

/** WMS, WFS, WCS, WMTS and TMS. */
function mapServices(
  {
    drawings,
    coverages,
    filtered,
    settings,
    clock,
    downloads,
    directory,
    catalog,
  }: Pick<
    AppServices,
    'drawings' | 'coverages' | 'filtered' | 'settings' | 'clock' | 'downloads' | 'directory' | 'catalog'
  >,
  shared: Omit<
    OwsAreaDeps,
    'drawings' | 'coverages' | 'filtered' | 'about' | 'takesSentStyles' | 'documents' | 'features'
  >,
): ApiArea {
  return owsArea({
    ...shared,
    drawings,
    coverages,
    filtered,
    about: settings.service,
    takesSentStyles: settings.server.takesSldBody,
    documents: new DocumentReader(settings.documents),
    features: {
      clock,
      downloads,
      pageTokens: new PageTokens(directory.key),
      counts: new CachedCounts(catalog.layers),
      positions: new CachedPositions(catalog.layers),
    },
  })
}

/** Users, their rights and sign-ins, and the audit log. */
function accountAreas(context: AppServices): ApiArea[] {
  const { accounts, catalog, clock } = context
  return [
    table(userEndpoints, accounts),
    table(permissionEndpoints, {
      groups: accounts.groups,
      users: accounts.users,
      permissions: new Permissions(context),
      rules: context.rules,
      catalog,
    }),
    table(tokenEndpoints, { tokens: accounts.tokens, clock }),
    table(sessionEndpoints, accounts),
    oidcArea({ accounts, log: context.log }),
    table(ownAccountEndpoints, { accounts }),
    table(auditEndpoints, { log: context.auditLog, sealer: context.auditSealer }),
  ]
}

/** Origin of an external background map. */
function originOfMap(basemap: Basemap): string | undefined {
  return basemap.kind === 'other' ? basemap.origin : undefined
}

/** Returns a group of routes defined only by a table. */
function table<AppServices>(endpoints: readonly Endpoint<AppServices>[], parts: AppServices): ApiArea {
  return (app: App) => addEndpoints(app, endpoints, parts)
}

/** A tile may use the whole deadline of a request, including its wait for a reader. */
function tileLimiter({ server }: AppServices['settings']): TileLimiter {
  return new TileLimiter({ deadlineMs: server.requestSeconds * 1000 })
}
