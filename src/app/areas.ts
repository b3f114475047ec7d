import { join } from 'node:path'
import type { Basemap } from '../config/settings.ts'
import { healthEndpoints } from '../http/about/health.ts'
import { metricsArea } from '../http/about/metrics.ts'
import { monitoringIndexEndpoints, startPageEndpoints } from '../http/about/start-page.ts'
import type { ApiArea, App } from '../http/app-types.ts'
import { sessionEndpoints, tokenEndpoints, userEndpoints } from '../http/auth/routes.ts'
import { basemapArea } from '../http/basemap/routes.ts'
import { catalogArea, stylesArea } from '../http/catalog/catalog-area.ts'
import { downloadEndpoints } from '../http/downloads/routes.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { addEndpoints } from '../http/endpoint.ts'
import { importerAreas } from '../http/importer/importer-area.ts'
import { LayerBounds } from '../http/layer-bounds.ts'
import { LayerTimeBounds } from '../http/layer-times.ts'
import { MetricsExport } from '../http/metrics-export/metrics-export.ts'
import { CachedCounts } from '../http/ogc/cached-counts.ts'
import { ogcArea } from '../http/ogc/ogc-area.ts'
import { PageTokens } from '../http/ogc/page-token.ts'
import { CachedPositions } from '../http/ows/cached-positions.ts'
import { DocumentReader } from '../http/ows/fes/document-reader.ts'
import { owsArea } from '../http/ows/ows-area.ts'
import { BuiltPages } from '../http/pages/built-pages.ts'
import { pagesArea } from '../http/pages/pages-area.ts'
import { pictureEndpoints } from '../http/tiles/picture-routes.ts'
import { tileEndpoints } from '../http/tiles/routes.ts'
import { TileLimiter } from '../http/tiles/tile-limiter.ts'
import { uploadArea } from '../http/uploads/routes.ts'
import { FreeSpace } from '../lib/files/free-space.ts'
import { BackgroundMap } from '../maps/background/background-map.ts'
import { Thumbnails } from '../maps/thumbnails/thumbnails.ts'
import type { Monitoring } from '../monitoring/monitoring.ts'
import { openMonitoringAreas } from './monitoring-areas.ts'
import { openOverview } from './overview.ts'
import type { AppServices } from './services.ts'

/** Folder of the pages built by the set-up script. */
const basemapFile = join(import.meta.dirname, '..', '..', 'basemap', 'natural-earth.mbtiles')
const pagesFolder = join(import.meta.dirname, '..', '..', 'build', 'pages')

/** Returns all groups of routes, each with the parts that its handlers use. */
export function openAreas(context: AppServices): ApiArea[] {
  const { version, catalog, importer, monitoring, settings, accounts, clock } = context
  const { maps, exports, downloads, coverages, filtered, earlier } = context
  const { drawings, versionChanges, sides, rasters, pictures, drawnTiles } = context
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
    table(healthEndpoints, { version, importer, monitoring, space, versions: catalog.versions }),
    metricsArea(openMetrics(context, space)),
    table(userEndpoints, accounts),
    table(tokenEndpoints, { tokens: accounts.tokens, clock }),
    table(sessionEndpoints, accounts),
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
    table(tileEndpoints, tiles),
    table(pictureEndpoints, { ...tiles, ...drawn }),
    owsArea({
      ...tiles,
      ...drawn,
      drawings,
      ...placed,
      coverages,
      filtered,
      about: settings.service,
      takesSentStyles: settings.server.takesSldBody,
      documents: new DocumentReader(settings.documents),
      features: {
        clock,
        downloads,
        pageTokens: new PageTokens(context.directory.key),
        counts: new CachedCounts(catalog.layers),
        positions: new CachedPositions(catalog.layers),
      },
    }),
    table(downloadEndpoints, { catalog, exports, downloads }),
    catalogArea({
      catalog,
      sharedMaxAgeSeconds,
      restores: importer.restores,
      versionChanges,
      sides,
      imports: importer.kept,
    }),
    stylesArea(catalog),
    ...importerAreas({
      importer,
      catalog,
      dialect: settings.server.dialect,
      maxUploadBytes: settings.limits.maxUploadBytes,
      importRoots: settings.data.importRoots,
    }),
    uploadArea(importer.uploads),
    ...openMonitoringAreas(context),
    openOverview(context, placed.bounds),
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

function openMetrics(
  {
    events,
    version,
    importer,
    monitoring,
  }: Pick<AppServices, 'events' | 'version' | 'importer' | 'monitoring'>,
  space: FreeSpace,
): MetricsExport {
  return new MetricsExport({
    events,
    version,
    loads: () => importer.workload(),
    freeSpace: () => space.read(),
    monitoringLoad: monitoring && (() => loadOf(monitoring)),
  })
}

function loadOf(monitoring: Monitoring) {
  return {
    ...monitoring.load(),
    isDegraded: monitoring.health().status !== 'ok',
    collectionAge: monitoring.collectionAge(),
  }
}

/** A tile may use the whole deadline of a request, including its wait for a reader. */
function tileLimiter({ server }: AppServices['settings']): TileLimiter {
  return new TileLimiter({ deadlineMs: server.requestSeconds * 1000 })
}
