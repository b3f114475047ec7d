import type { Step } from './request.ts'
import { get, send } from './steps.ts'

/** Users and a token. */
export const people: Step[] = [
  send('POST', '/rest/security/users', {
    user: { name: 'reader', password: 'reader-password', role: 'user' },
  }),
  send('POST', '/rest/security/users', {
    user: { name: 'editor', password: 'editor-password', role: 'staff' },
  }),
  send('POST', '/rest/security/users', {
    user: { name: 'editor', password: 'editor-password', role: 'staff' },
  }),
  send('POST', '/rest/security/tokens', { token: { name: 'script', role: 'staff' } }),
]

/** A store in the server's own database. */
export const postgis = {
  host: '{store.host}',
  port: '{store.port}',
  database: '{store.database}',
  user: '{store.user}',
  passwd: '{store.password}',
  schema: 'public',
}

/** Workspaces, stores and styles. */
export const replayPlaces: Step[] = [
  send('POST', '/rest/workspaces', { workspace: { name: 'atlas' } }),
  send('POST', '/rest/workspaces', { workspace: { name: 'atlas' } }),
  send('POST', '/rest/workspaces?default=true', { workspace: { name: 'öffentlich' } }),
  send('POST', '/rest/workspaces/atlas/datastores', { dataStore: { name: 'file', type: 'GeoPackage' } }),
  send('POST', '/rest/workspaces/atlas/datastores', {
    dataStore: { name: 'pg', type: 'PostGIS', connectionParameters: postgis },
  }),
  send('POST', '/rest/workspaces/atlas/datastores', { dataStore: { name: 'bad', type: 'Oracle' } }),
  send('PUT', '/rest/workspaces/atlas/datastores/pg', { dataStore: { description: 'a database' } }),
  send('POST', '/rest/workspaces/atlas/datastores', {
    dataStore: {
      name: 'entries',
      type: 'PostGIS',
      connectionParameters: {
        entry: Object.entries(postgis).map(([key, value]) => ({ '@key': key, $: value })),
      },
    },
  }),
  send('POST', '/rest/styles', { style: { name: 'empty' } }),
  send('POST', '/rest/workspaces/atlas/styles', { style: { name: 'own' } }),
  get('/rest/styles/point'),
  get('/rest/styles/point.sld'),
  get('/rest/styles/polygon', { headers: { accept: 'application/vnd.ogc.sld+xml' } }),
]
