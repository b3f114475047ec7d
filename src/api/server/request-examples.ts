const feature = {
  type: 'Feature',
  geometry: { type: 'Point', coordinates: [13.4, 52.5] },
  properties: { name: 'an oak', height: 21 },
}
const postgis = { host: 'db.example.org', port: '5432', database: 'city', user: 'reader', passwd: 'secret' }
const maplibre = {
  version: 8,
  layers: [{ id: 'trees', type: 'circle', paint: { 'circle-color': '#2b6cb0' } }],
}
const style = { style: { name: 'trees', format: 'maplibre', document: maplibre } }
const check = { name: 'Slow maps', description: 'Maps take too long', severity: 'warning' }

/** JSON bodies as people send them, by the names of operations. */
export const requestExamples: Record<string, unknown> = {
  createUser: {
    user: { name: 'editor', password: 'long-enough', role: 'staff', email: 'editor@example.org' },
  },
  changeUser: { user: { password: 'another-long-one', keepTokens: true } },
  changeOwnPassword: { currentPassword: 'long-enough', newPassword: 'another-long-one' },
  createToken: { token: { name: 'nightly-load', expires: '2030-01-31T00:00:00Z' } },
  logIn: { session: { name: 'editor', password: 'long-enough' } },
  createFeature: feature,
  replaceFeature: feature,
  updateFeature: { properties: { height: 22 } },
  drawUnsavedStyleTile: { style: { format: 'maplibre', document: maplibre } },
  createExport: { export: { format: 'pmtiles', maxZoom: 10 } },
  createWorkspace: { workspace: { name: 'city', public: true } },
  changeDefaultWorkspace: { workspace: { name: 'city' } },
  changeWorkspace: { workspace: { public: false } },
  createDataStore: { dataStore: { name: 'trees', type: 'PostGIS', connectionParameters: postgis } },
  changeDataStore: { dataStore: { description: 'Trees of the city', enabled: true } },
  checkNewDataStore: { dataStore: { name: 'trees', type: 'PostGIS', connectionParameters: postgis } },
  createCoverageStore: {
    coverageStore: { name: 'relief', type: 'GeoTIFF', url: 'file:incoming/relief.tif' },
  },
  changeCoverageStore: { coverageStore: { description: 'Relief of the city' } },
  changeLayer: {
    layer: { title: 'Trees', keywords: ['trees', 'streets'], licence: 'CC0-1.0', public: true },
  },
  changeVersion: { pinned: true },
  restoreVersion: { what: ['data'] },
  createStyle: style,
  changeStyle: style,
  createStyleOfWorkspace: style,
  changeStyleOfWorkspace: style,
  createSource: {
    source: {
      name: 'trees',
      data: { type: 'remote', location: 'https://data.example.org/trees.gpkg' },
      target: { workspace: 'city', layer: 'trees' },
      updateMode: 'UPSERT',
      keys: ['gid'],
      schedule: { cron: '0 3 * * *', timeZone: 'Europe/Berlin' },
    },
  },
  changeSource: { source: { enabled: false } },
  runSource: { complete: true },
  acceptSourceRun: { stopped: ['removed'] },
  createImport: { import: { data: { type: 'directory', location: 'monday' } } },
  createImportWithId: { import: { targetWorkspace: { workspace: { name: 'city' } } } },
  changeTask: { task: { updateMode: 'UPSERT', keys: ['gid'] } },
  acceptStopped: { stopped: ['removed'] },
  changeTaskLayer: { layer: { srs: 'EPSG:25833' } },
  changeTaskTarget: { dataStore: { name: 'trees' } },
  createTransform: { type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' },
  createHost: { name: 'maps', ip: '192.0.2.1' },
  changeHost: { ip: '192.0.2.2' },
  createCheck: {
    ...check,
    user_thresholds: [
      [
        'response.time',
        'max_value',
        true,
        true,
        false,
        true,
        100,
        60_000,
        null,
        'Response time is higher than',
      ],
    ],
  },
}
