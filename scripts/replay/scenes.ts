import { importScenes } from './import-scenes.ts'
import { watching } from './monitoring-scenes.ts'
import { people, replayPlaces } from './places.ts'
import type { Step } from './request.ts'
import { get, send } from './steps.ts'

const layers = [
  'countries',
  'labels_file',
  'labels_pg',
  'utf',
  'stations',
  'blockgroups',
  'RGB.byte',
  'mosaic',
  'trek',
]

const reading: Step[] = [
  get('/rest/layers'),
  get('/rest/workspaces/atlas/layers'),
  get('/rest/workspaces/atlas/datastores/file/featuretypes'),
  ...layers.flatMap((layer) => {
    const at = `/ogc/collections/atlas:${layer}`
    return [
      get(`/rest/layers/atlas:${layer}`),
      get(at),
      get(`${at}/schema`),
      get(`${at}/items?limit=3`),
      get(`${at}/items?limit=2&offset=1&crs=http://www.opengis.net/def/crs/EPSG/0/3857`),
      get(`${at}/items?bbox=-10,40,20,60&limit=2`),
      get(`${at}/items?bbox=20,40,-10,60&limit=2`),
      get(`${at}/items?datetime=2020-01-01T00:00:00Z/..`),
      get(`${at}/items?limit=0`),
      get(`${at}/items?limit=1`, { headers: { accept: 'text/html' } }),
      get(`${at}/items?nothing=1`),
      get(`${at}/items/1`),
      get(`${at}/items/none`),
      get(`${at}/granules?limit=2`),
      get(`${at}/granules/1`),
      get(`${at}/items?limit=1`, { as: 'nobody' }),
      send('POST', `/rest/layers/atlas:${layer}/refresh`),
    ]
  }),
  send('PUT', '/rest/layers/atlas:countries', {
    layer: { title: 'Countries', abstract: 'Of the world', isPublic: true },
  }),
  send('PUT', '/rest/layers/atlas:countries', { layer: { public: true } }),
  get('/ogc/collections/atlas:countries/items?limit=1', { as: 'nobody' }),
  send('PUT', '/rest/layers/atlas:countries', { layer: { defaultStyle: { name: 'none' } } }),
  send('PUT', '/rest/workspaces/atlas', { workspace: { public: true } }),
  get('/ogc/collections', { as: 'nobody' }),
]

const endings: Step[] = [
  get('/rest/layers', { as: 'wrong' }),
  send('DELETE', '/rest/layers/atlas:utf'),
  send('DELETE', '/rest/layers/atlas:countries?recurse=true'),
  send('DELETE', '/rest/styles/point'),
  send('DELETE', '/rest/styles/empty'),
  send('DELETE', '/rest/workspaces/atlas/datastores/file'),
  send('DELETE', '/rest/workspaces/atlas'),
  send('DELETE', '/rest/workspaces/atlas?recurse=true'),
  send('DELETE', '/rest/imports/0'),
  send('DELETE', '/rest/security/users/editor'),
  send('DELETE', '/rest/security/users/admin'),
  get('/rest/layers'),
  get('/rest/imports'),
  get(`/monitoring/api/services/`),
]

/** Returns the requests to send before and after every operation is tried. */
export function scenes(): { before: Step[]; after: Step[] } {
  return { before: [...people, ...replayPlaces, ...importScenes(), ...reading, ...watching], after: endings }
}
