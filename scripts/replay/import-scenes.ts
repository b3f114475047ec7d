import { postgis } from './places.ts'
import type { Step } from './request.ts'
import { ended, get, send } from './steps.ts'

/** Everything that an import shows, to each level and from each path. */
function lookAt(id: number, tasks: number): Step[] {
  const at = `/rest/imports/${id}`
  const levels = [0, 1, 2, 3].map((level) => get(`${at}?expand=${level}`))
  const each = Array.from({ length: tasks }, (_, task) =>
    [
      '',
      '?expand=2',
      '/data',
      '/data/files',
      '/layer',
      '/layer/style',
      '/target',
      '/transforms',
      '/progress',
      '/rejects',
      '/rejects?f=json',
    ].map((part) => get(`${at}/tasks/${task}${part}`)),
  ).flat()
  return [
    ...levels,
    get(`${at}/data`),
    get(`${at}/data/files`),
    get(`${at}/tasks`),
    get(`${at}/tasks?expand=3`),
    ...each,
  ]
}

function importOf(data: object, more: object = {}): object {
  return { import: { targetWorkspace: { workspace: { name: 'atlas' } }, data, ...more } }
}

const into = (store: string): object => ({ targetStore: { dataStore: { name: store } } })

/** Creates an import, reads it, runs it and reads it again. */
function wholeImport(id: number, body: object, tasks: number, between: Step[] = []): Step[] {
  return [
    send('POST', '/rest/imports', body),
    ...lookAt(id, tasks),
    ...between,
    send('POST', `/rest/imports/${id}`),
    get(`/rest/imports/${id}`, { until: ended }),
    ...lookAt(id, tasks),
    send('POST', `/rest/imports/${id}`),
  ]
}

const fixtures = 'tests/fixtures'
const folders = [
  'csv',
  'geojson',
  'shapefile',
  'kml',
  'gpx',
  'flatgeobuf',
  'geopackage',
  'geoparquet',
  'raster',
  'gdal',
  'archives',
]

function folderImports(first: number): Step[] {
  const tasks = 8
  return folders.flatMap((folder, index) => {
    const id = first + index * 2
    const data = { type: 'directory', location: `${fixtures}/${folder}` }
    return [
      ...wholeImport(id, importOf(data, into('file')), tasks),
      ...wholeImport(id + 1, importOf(data, into('pg')), tasks),
    ]
  })
}

/** Loads one table in each mode, with each kind of edit before. */
function edits(first: number): Step[] {
  const file = { type: 'file', file: `${fixtures}/csv/country-labels.csv` }
  return ['file', 'pg'].flatMap((store, at) =>
    ['CREATE', 'APPEND', 'REPLACE'].flatMap((mode, index) => {
      const id = first + at * 3 + index
      const task = `/rest/imports/${id}/tasks/0`
      return wholeImport(id, importOf(file, into(store)), 1, [
        send('PUT', `${task}/layer`, { layer: { srs: '4326' } }),
        send('PUT', `${task}/layer`, {
          layer: { srs: 'EPSG:4326', name: `labels_${store}`, title: 'Labels' },
        }),
        send('PUT', task, { task: { layer: { nativeName: `labels_${store}` } } }),
        send('POST', `${task}/transforms`, {
          type: 'AttributesToPointGeometryTransform',
          latField: 'lat',
          lngField: 'lon',
        }),
        send('POST', `${task}/transforms`, { type: 'AttributesToPointGeometryTransform' }),
        send('POST', `${task}/transforms`, { type: 'NoSuchTransform' }),
        send('POST', `${task}/transforms`, { type: 'ReprojectTransform', target: 'EPSG:3857' }),
        get(`${task}/transforms/1`),
        send('PUT', `${task}/transforms/1`, { type: 'ReprojectTransform', target: 'EPSG:3035' }),
        send('DELETE', `${task}/transforms/1`),
        send('POST', `${task}/transforms`, {
          type: 'AttributeRemapTransform',
          field: 'population',
          target: 'java.lang.Integer',
        }),
        send('PUT', task, { task: { updateMode: mode } }),
        send('PUT', task, { task: { updateMode: 'NEVER' } }),
        send('PUT', `${task}/target`, { dataStore: { name: store } }),
        get(task),
      ])
    }),
  )
}

const taskOf = (id: number): string => `/rest/imports/${id}/tasks/0`

/** Imports a file whose CRS is set before the run. */
function withoutCrs(id: number): Step[] {
  const data = { type: 'file', file: `${fixtures}/shapefile/blockgroups.shp` }
  return wholeImport(id, importOf(data, into('file')), 1, [
    send('POST', `/rest/imports/${id}`),
    send('PUT', `${taskOf(id)}/layer`, { layer: { srs: 'EPSG:999999' } }),
    send('PUT', `${taskOf(id)}/layer`, { layer: { srs: 'EPSG:4269' } }),
  ])
}

function uploads(id: number): Step[] {
  const tasks = `/rest/imports/${id}/tasks`
  const shapefile = ['shp', 'shx', 'dbf', 'prj', 'cpg'].map((ending) => `${fixtures}/shapefile/utf.${ending}`)
  return [
    send('POST', '/rest/imports', { import: { targetWorkspace: { workspace: { name: 'atlas' } } } }),
    send('POST', tasks, undefined, { files: [`${fixtures}/csv/country-labels.csv`] }),
    send('POST', tasks, undefined, { files: shapefile }),
    send('POST', `${tasks}?expand=3`, undefined, { files: [`${fixtures}/archives/utf.zip`] }),
    send('PUT', `${tasks}/points.geojson`, '{"type":"FeatureCollection","features":[]}'),
    send('POST', tasks, undefined, { files: [] }),
    ...lookAt(id, 4),
    send('DELETE', taskOf(id)),
    send('POST', `/rest/imports/${id}?async=true`),
    get(`/rest/imports/${id}`, { until: ended }),
    ...lookAt(id, 4),
  ]
}

function rasterTools(id: number): Step[] {
  const transform = (name: string, options: string[], more: object = {}): Step =>
    send('POST', `${taskOf(id)}/transforms`, { type: `Raster${name}Transform`, options, ...more })
  return wholeImport(id, importOf({ type: 'file', file: `${fixtures}/raster/RGB.byte.tif` }), 1, [
    transform('Warp', ['-t_srs', 'EPSG:3857', '-r', 'bilinear']),
    transform('Translate', ['-co', 'TILED=YES']),
    transform('Overview', ['-r', 'average'], { levels: [2, 4] }),
    transform('Warp', ['-cutline', '/srv/secret.shp']),
  ])
}

function mosaicAndServed(mosaic: number, direct: number): Step[] {
  const countries = { type: 'file', file: `${fixtures}/geojson/countries.geojson` }
  return [
    ...wholeImport(mosaic, importOf({ type: 'mosaic', location: `${fixtures}/mosaic` }), 1, [
      get(`${taskOf(mosaic)}/data/files/rgb1.tif`),
      send('PUT', `${taskOf(mosaic)}/data/files/rgb1.tif`, { timestamp: '2026-01-02T03:04:05Z' }),
    ]),
    ...wholeImport(direct, importOf(countries, { direct: true }), 1, [
      send('PUT', taskOf(direct), { task: { updateMode: 'CREATE', direct: true } }),
    ]),
  ]
}

function databases(id: number): Step[] {
  const data = { type: 'database', database: 'postgis', parameters: { ...postgis, dbtype: 'postgis' } }
  return [
    ...wholeImport(id, importOf(data), 3),
    send('POST', '/rest/database-imports', importOf(data, into('file'))),
  ]
}

/** Imports that are rejected, requested twice or deleted. */
const refusals: Step[] = [
  get('/rest/imports?expand=1'),
  send('POST', '/rest/imports', importOf({ type: 'file', file: 'none/of/these.shp' })),
  send('POST', '/rest/imports', importOf({ type: 'file', file: '../../etc/passwd' })),
  send('POST', '/rest/imports', importOf({ type: 'remote', location: 'http://169.254.169.254/latest' })),
  send('POST', '/rest/imports', importOf({ type: 'remote', location: 'http://127.0.0.1:1/none.zip' })),
  send(
    'POST',
    '/rest/imports?exec=true',
    importOf({ type: 'file', file: 'sample/natural-earth/ne_110m_populated_places.geojson' }),
  ),
  send('PUT', '/rest/imports/500', importOf({ type: 'file', file: `${fixtures}/csv/valid.csv` })),
  send('PUT', '/rest/imports/500?async=true', importOf({ type: 'file', file: `${fixtures}/csv/valid.csv` })),
  send('POST', '/rest/imports', { import: {} }, { headers: { 'idempotency-key': 'one' } }),
  send('POST', '/rest/imports', { import: {} }, { headers: { 'idempotency-key': 'one' } }),
  send(
    'POST',
    '/rest/imports',
    { import: { data: { type: 'x' } } },
    { headers: { 'idempotency-key': 'one' } },
  ),
  send('DELETE', '/rest/imports/500', undefined, { headers: { 'if-match': '"other"' } }),
  send('DELETE', '/rest/imports/500'),
  send('DELETE', '/rest/imports/500'),
  get('/rest/imports?state=complete,pending&limit=3&offset=1&expand=2'),
]

/** Imports of every kind into both stores, from the id 0 on. */
export function importScenes(): Step[] {
  const firstEdit = folders.length * 2
  const next = firstEdit + 6
  return [
    ...folderImports(0),
    ...edits(firstEdit),
    ...withoutCrs(next),
    ...uploads(next + 1),
    ...rasterTools(next + 2),
    ...mosaicAndServed(next + 3, next + 4),
    ...databases(next + 5),
    ...refusals,
  ]
}
