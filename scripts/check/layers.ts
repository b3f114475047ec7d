/**
 * The rooms of a folder in their order: each imports only from itself and from those before it. A room is a sub-folder, a
 * file that the list names, `'.'`, which stands for the folder's other files, or `'*'`, which stands for its other
 * sub-folders: the entries of a seam. Those, and rooms in brackets, do not know each other.
 */
export type Rooms = readonly (string | readonly string[])[]

export interface House {
  /** Folder -> its rooms. */
  rooms: Record<string, Rooms>
  /** Folder -> the files of it that others may import. A folder that is not named here has no door: all of it is open. */
  doors: Record<string, readonly string[]>
  /** Folder -> folders that it may not import although they stand before it. */
  strangers: Record<string, readonly string[]>
  /** Folders with sub-folders that have no order yet. A folder that gets one leaves this list; none may join it. */
  unordered: readonly string[]
}

export const house: House = {
  rooms: {
    src: [
      'lib',
      'config',
      'geo',
      'tiles',
      'cartography',
      'formats',
      ['sources', 'transforms', 'stores'],
      'db',
      'jobs',
      ['accounts', 'idempotency'],
      'catalog',
      'maps',
      'importer',
      'monitoring',
      'http',
      'app',
      'app.ts',
      'cli',
      'main.ts',
    ],
    'src/cartography': [
      '.',
      ['classify', 'draw', 'sld', 'maplibre', 'qml'],
      ...['read-style.ts', 'convert-style.ts', 'map-style.ts', 'style-messages.ts'],
    ],
    'src/catalog': [
      ...['records.ts', 'versions', 'rows'],
      ...['files', 'connections', 'doors', 'cards', 'prepare.ts', 'catalog.ts'],
    ],
    'src/cli': ['.', 'manage', 'command-line.ts'],
    'src/db': ['migrations', '.'],
    'src/formats': [
      ...['.', 'text', 'xml', 'geojson', 'content-name.ts', '*'],
      ...['gdal', 'raster', 'registry.ts', 'file-names.ts'],
    ],
    'src/formats/geopackage': ['sqlite-pages', '.'],
    'src/geo': [
      'crs.ts',
      'schema.ts',
      'envelope.ts',
      'wkb.ts',
      'wkt-tokens.ts',
      'curves',
      'geometry-builder.ts',
      'validity',
      '.',
      ['crs-finding', 'postgres-copy'],
    ],
    'src/importer': [
      ...['model', 'live', 'records', 'worker', 'look', 'publish', 'uploads', 'kinds'],
      ['preview', 'rehearse', 'restore', 'edit', 'locate', 'keys'],
      ...['run', 'desk', '.'],
    ],
    'src/importer/kinds': [
      ...['kind.ts', 'describe-again.ts', 'no-load.ts', 'without-rows.ts', 'load'],
      ...['vector', 'table', 'served', 'mended', 'raster', 'mosaic'],
      '.',
    ],
    'src/http': [
      '.',
      ...[
        'auth',
        'catalog',
        'downloads',
        'importer',
        'uploads',
        'basemap',
        'tiles',
        'ogc',
        'monitoring',
        'overview',
        'exported',
        'pages',
        'about',
      ],
      ...['routes.ts', 'server'],
    ],
    'src/http/ogc': ['.', 'tilesets', 'routes.ts', 'ogc-area.ts'],
    'src/jobs': ['.', 'embedded'],
    'src/http/monitoring': ['.', ['watched', 'counted', 'checks'], 'routes.ts', 'monitoring-areas.ts'],
    'src/lib': ['.', 'values', 'text', ['files', 'network', 'secrets'], 'workers', 'postgres'],
    'src/maps': [
      ['sources', 'cache', 'pictures', 'background'],
      ['earlier', 'rasters'],
      '.',
      ['export', 'thumbnails'],
    ],
    'src/maps/rasters': ['tiff', '.'],
    'src/monitoring/collect': [
      ...['classify', 'service-collector.ts', 'shared-series.ts', 'exception-quota.ts', 'kept-json.ts'],
      ['access-log', 'geoserver', 'hosts', 'own'],
      '.',
    ],
    'src/monitoring/metrics': ['metric.ts', 'request-columns.ts', ['hosts', 'requests'], '.'],
    'src/monitoring/notify/channels': ['place.ts', 'channel.ts', '*', '.'],
    'src/monitoring/notify': [
      ...['model', 'comparisons'],
      ['channels', 'records'],
      ...['evaluate', ['configure', 'deliver'], '.'],
    ],
    'src/monitoring': [
      ...['model', 'metrics', 'services', 'series'],
      ['collect', 'notify', 'query'],
      ...['.', 'move-in'],
    ],
    'src/sources': ['.', 'archives', 'archive.ts', ['database', 'mosaic', 'remote']],
    'src/sources/database': ['.', 'postgres', 'registry.ts'],
    'src/sources/remote': ['.', '*', 'registry.ts', 'parse-location.ts', 'fetch-remote.ts'],
    'src/stores': ['.', '*', 'rasters', 'registry.ts', 'change-files', 'reading'],
    'src/stores/files': ['with-sidecars.ts', 'served-formats.ts', 'file-source.ts', 'index', '.'],
    'src/stores/postgis': [
      ...[
        '.',
        'compare',
        'apply',
        'run-load.ts',
        'states',
        'edit',
        'stage-load.ts',
        'postgis-store.ts',
        'description.ts',
      ],
    ],
    'src/stores/geopackage': [
      ...['sqlite-file', 'errors.ts', 'connections.ts', 'rtree-sql.ts', 'database-look.ts'],
      ...['own-writes.ts', 'file-access.ts'],
      ...['reading', '.', 'compare', 'upsert', 'states', ['load', 'edit']],
      ...['geopackage-store.ts', 'description.ts'],
    ],
    'src/tiles': ['tile-matrix-sets.ts', 'tile-units.ts', 'world.ts', 'protobuf.ts', 'thin', 'shape', '.'],
    'src/transforms': ['transform.ts', 'raster', '.'],
    web: [
      ...['assets.d.ts', 'lib', 'messages', 'wire', 'parts', 'session', 'map', 'pages', 'app', 'main.tsx'],
    ],
    'web/messages': ['counting.ts', 'en.ts', 'de.ts', 'messages.ts', '*'],
    'web/pages': ['*'],
    'web/pages/import': ['wire.ts', 'use-act.ts', 'sending', '.'],
  },
  doors: {
    'src/catalog': [
      ...['catalog.ts', 'records.ts'],
      ...['doors/workspaces.ts', 'doors/stores.ts', 'doors/layers.ts', 'doors/styles.ts'],
      'doors/versions.ts',
      'doors/inventory.ts',
      ...['cards/layer-cards.ts', 'cards/layer-card.ts', 'cards/card-order.ts', 'cards/choose-cards.ts'],
      'cards/store-looks.ts',
      ...['doors/transaction.ts', 'versions/contents.ts'],
    ],
    'src/cartography': [
      ...[
        'check-style.ts',
        'convert-style.ts',
        'background-style.ts',
        'default-styles.ts',
        'map-style.ts',
        'style-format.ts',
      ],
      'style-messages.ts',
      ...['model.ts', 'evaluate.ts', 'meets-condition.ts', 'read-style.ts', 'scale.ts'],
      ...['classify/classified-style.ts', 'classify/palettes.ts', 'classify/summary.ts'],
      ...['draw/legend-model.ts', 'draw/legend.ts', 'draw/legend-rasters.ts', 'draw/legend-svg.ts'],
      ...['draw/marks.ts', 'draw/paint.ts', 'draw/svg-text.ts'],
    ],
    'src/maps': [
      ...[
        'maps.ts',
        'sources/tile-sources.ts',
        'earlier/earlier-versions.ts',
        'earlier/version-changes.ts',
        'sources/side-tables.ts',
        'background/background-map.ts',
        'pictures/encode-picture.ts',
      ],
      ...['export/exports.ts', 'export/archive.ts'],
      ...['rasters/rasters.ts', 'rasters/time-wish.ts'],
      ...['pictures/pictures.ts', 'thumbnails/thumbnails.ts'],
    ],
    'src/accounts': ['accounts.ts', 'caller.ts', 'records.ts', 'secret-texts.ts'],
    'src/idempotency': ['idempotency-keys.ts', 'records.ts'],
    'src/importer': ['importer.ts', 'model/model.ts', 'uploads/uploads.ts'],
    'src/importer/desk': ['desk.ts'],
    'src/importer/kinds': ['kinds.ts'],
    'src/importer/live': ['live.ts'],
    'src/importer/look': ['look.ts'],
    'src/importer/model': ['model.ts', 'load-rules.ts'],
    'src/importer/preview': ['preview.ts'],
    'src/importer/keys': ['keys.ts'],
    'src/importer/locate': ['locate.ts'],
    'src/importer/publish': ['publish.ts'],
    'src/importer/records': ['records.ts'],
    'src/importer/rehearse': ['rehearse.ts'],
    'src/importer/run': ['run.ts'],
    'src/importer/uploads': ['uploads.ts'],
    'src/importer/worker': ['worker.ts', 'open-rows.ts', 'write-rows.ts', 'trusted-databases.ts'],
    'src/monitoring/metrics': [
      ...['metrics.ts', 'request-columns.ts', 'requests/request-metric.ts', 'hosts/host-reading.ts'],
    ],
    'src/monitoring/notify': [
      ...['create-notifications.ts', 'notifications.ts', 'evaluate/check-reads.ts'],
      ...['channels/channels.ts', 'comparisons/comparisons.ts'],
      ...['configure/checks.ts', 'configure/configuration.ts'],
      ...['configure/described-field.ts', 'configure/scope-parts.ts'],
      ...['model/model.ts', 'model/amount.ts', 'model/duration.ts', 'model/steps.ts'],
    ],
    'src/monitoring/notify/channels': ['channel.ts', 'channels.ts', 'open-channels.ts'],
    'src/monitoring/services': ['services.ts', 'autoconfigure.ts'],
    'src/stores/geopackage': ['description.ts'],
    'src/stores/postgis': ['description.ts'],
  },
  strangers: {
    'src/monitoring': [
      'src/formats',
      'src/sources',
      'src/transforms',
      'src/stores',
      'src/catalog',
      'src/importer',
      'src/importer/kinds',
    ],
  },
  unordered: [],
}
