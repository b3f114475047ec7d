import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ModelPermission } from '../access-model.ts'
import type { Json } from '../importer-client.ts'
import type { TestServer } from '../server.ts'
import { until } from '../until.ts'
import type { MatrixCaller, MatrixLayer, MatrixWorld } from './expected-outcome.ts'

const password = 'matrix-caller-password'

/** Settings of a server of the matrix: clients of the matrix have an address each, so that refusals do not slow down others. */
export const matrixSettings = {
  TERRANE_DEFAULT_READ: 'granted',
  TERRANE_STAFF_SCOPE: 'open',
  TERRANE_TRUSTED_PROXIES: '127.0.0.1',
  TERRANE_MONITORING: 'off',
}

/** Text in each feature of layers that most callers may not read. */
export const secretText = 'classifiedvalue'

export const matrixLayers = {
  /** Readable by users with a permission for the layer. */
  trees: { workspace: 'town', layer: 'trees', isPublic: false },
  /** Nobody has a permission for this layer; some have one for its workspace. */
  hidden: { workspace: 'town', layer: 'zzhidden', isPublic: false },
  open: { workspace: 'town', layer: 'square', isPublic: true },
  /** A workspace without permissions. */
  wells: { workspace: 'county', layer: 'zzwells', isPublic: false },
  relief: { workspace: 'town', layer: 'relief', isPublic: false },
  hiddenRelief: { workspace: 'town', layer: 'zzrelief', isPublic: false },
} as const satisfies Record<string, MatrixLayer>

const permissions: ModelPermission[] = [
  ...(['read', 'download', 'edit', 'import', 'manage'] as const).flatMap((action) =>
    ['trees', 'relief'].map((layer) => ({
      subject: { user: `layer-${action}` },
      resource: `town:${layer}`,
      actions: [action],
    })),
  ),
  ...(['read', 'download', 'edit', 'import', 'manage'] as const).map((action) => ({
    subject: { group: `group-${action}` },
    resource: 'town',
    actions: [action],
  })),
]

export const matrixModelWorld: MatrixWorld = {
  layers: Object.values(matrixLayers),
  permissions,
  defaultRead: 'granted',
  staffScope: 'open',
}

/** A caller with the headers of its requests. */
export interface HeaderedCaller extends MatrixCaller {
  headers: Record<string, string>
}

/** Objects of the world that have ids. */
export interface MatrixIds {
  townImport: number
  countyImport: number
  treesFile: string
  hiddenFile: string
}

async function done(server: TestServer, method: string, path: string, body?: unknown): Promise<Json> {
  const reply = await server.call(method, path, body)
  assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`)
  return reply.json
}

const authorizationOf = (name: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

async function importFile(
  server: TestServer,
  workspace: string,
  name: string,
  content: string | Buffer,
): Promise<number> {
  const target = { targetWorkspace: { workspace: { name: workspace } } }
  const created = await done(server, 'POST', '/rest/imports', { import: target })
  const id = Number(created.import?.id)
  const form = new FormData()
  form.append('filedata', new Blob([new Uint8Array(Buffer.from(content))]), name)
  const authorization = await adminAuthorization(server)
  const uploaded = await fetch(`${server.url}/rest/imports/${id}/tasks`, {
    method: 'POST',
    headers: { authorization },
    body: form,
  })
  assert.equal(uploaded.status, 201, await uploaded.text())
  const { tasks } = await done(server, 'GET', `/rest/imports/${id}?expand=3`).then((one) => one.import ?? {})
  if (String(tasks?.[0]?.state) === 'NO_CRS')
    await done(server, 'PUT', `/rest/imports/${id}/tasks/0/layer`, { layer: { srs: 'EPSG:32633' } })
  await done(server, 'POST', `/rest/imports/${id}`)
  await server.importIn(id, ['COMPLETE'])
  return id
}

/** `TestServer.call` has the administrator's headers; forms need them too. */
async function adminAuthorization(server: TestServer): Promise<string> {
  const known = adminHeaders.get(server)
  if (known !== undefined) return known
  const { user } = await done(server, 'POST', '/rest/security/users', {
    user: { name: 'matrix-admin', password, role: 'admin' },
  })
  assert.ok(user)
  adminHeaders.set(server, authorizationOf('matrix-admin'))
  return authorizationOf('matrix-admin')
}
const adminHeaders = new WeakMap<TestServer, string>()

function points(text: string): string {
  const features = [1, 2].map((place) => ({
    type: 'Feature',
    properties: { name: `${text}${place}` },
    geometry: { type: 'Point', coordinates: [place, place] },
  }))
  return JSON.stringify({ type: 'FeatureCollection', features })
}

async function makeLayers(server: TestServer): Promise<MatrixIds> {
  for (const name of ['town', 'county'])
    await done(server, 'POST', '/rest/workspaces', { workspace: { name } })
  const raster = readFileSync(join(import.meta.dirname, '../../fixtures/raster/world.byte.tif'))
  const { trees, hidden, open, wells, relief, hiddenRelief } = matrixLayers
  const townImport = await importFile(server, 'town', `${trees.layer}.geojson`, points('tree'))
  await importFile(server, 'town', `${hidden.layer}.geojson`, points(secretText))
  await importFile(server, 'town', `${open.layer}.geojson`, points('bench'))
  const countyImport = await importFile(server, 'county', `${wells.layer}.geojson`, points(secretText))
  await importFile(server, 'town', `${relief.layer}.tif`, raster)
  await importFile(server, 'town', `${hiddenRelief.layer}.tif`, raster)
  await done(server, 'PUT', `/rest/layers/town:${open.layer}`, { layer: { public: true } })
  const exportOf = async (layer: string): Promise<string> => {
    const made = await done(server, 'POST', `/rest/layers/town:${layer}/exports`, {
      export: { format: 'pmtiles' },
    })
    const { id } = Object(made['download'] ?? Object.values(made)[0])
    await until(async () => (await server.call('GET', `/rest/downloads/${id}/file`)).status === 200)
    return String(id)
  }
  const treesFile = await exportOf(trees.layer)
  const hiddenFile = await exportOf(hidden.layer)
  await done(server, 'POST', '/rest/maps', {
    map: { name: 'plan', layers: [{ name: `town:${trees.layer}` }], public: false },
  })
  for (const place of ['', '/workspaces/town'])
    await done(server, 'POST', `/rest${place}/layergroups`, {
      layerGroup: { name: 'grove', publishables: { published: { name: `town:${trees.layer}` } } },
    })
  return { townImport, countyImport, treesFile, hiddenFile }
}

async function makeUsers(server: TestServer): Promise<void> {
  const names = new Set(permissions.map(({ subject }) => String(Object.values(subject)[0])))
  const roles: Record<string, string> = {
    nobody: 'user',
    staff: 'staff',
    disabled: 'admin',
    expiring: 'admin',
  }
  for (const name of names) roles[name] = 'user'
  for (const [name, role] of Object.entries(roles))
    await done(server, 'POST', '/rest/security/users', { user: { name, password, role } })
  for (const name of names)
    if (name.startsWith('group-'))
      await done(server, 'POST', '/rest/security/groups', { group: { name, members: [name] } })
  await done(server, 'POST', '/rest/security/permissions', { permissions })
}

async function sendToken(
  server: TestServer,
  user: string,
  limits: object,
): Promise<{ status: number; made: Json }> {
  const reply = await fetch(`${server.url}/rest/security/tokens`, {
    method: 'POST',
    headers: { authorization: authorizationOf(user), 'content-type': 'application/json' },
    body: JSON.stringify({ token: { name: 'matrix', ...limits } }),
  })
  return { status: reply.status, made: (await reply.json()) as Json }
}

async function makeToken(server: TestServer, user: string, limits: object): Promise<string> {
  const { status, made } = await sendToken(server, user, limits)
  assert.equal(status, 201, JSON.stringify(made))
  return `Bearer ${made.token?.value}`
}

/** A token whose end is in the past on arrival is refused: the next one gets more time. */
async function makeExpired(server: TestServer): Promise<string> {
  for (let seconds = 1; ; seconds *= 2) {
    const expires = new Date(Date.now() + seconds * 1000).toISOString()
    const { status, made } = await sendToken(server, 'expiring', { expires })
    if (status === 400) continue
    assert.equal(status, 201, JSON.stringify(made))
    const authorization = `Bearer ${made.token?.value}`
    await until(async () => {
      const reply = await fetch(`${server.url}/rest/security/self/sessions`, { headers: { authorization } })
      return reply.status === 401
    })
    return authorization
  }
}

async function makeCallers(server: TestServer): Promise<HeaderedCaller[]> {
  const base = { groups: [] as readonly string[], isValid: true }
  const user = (id: string, extra: Partial<HeaderedCaller> = {}): HeaderedCaller => ({
    ...base,
    id,
    user: id,
    role: 'user',
    headers: { authorization: authorizationOf(id) },
    ...extra,
  })
  const token = async (
    of: HeaderedCaller,
    limits: { scope?: 'read' | 'import' | 'manage'; workspace?: string },
  ) => {
    const { scope, workspace } = limits
    const authorization = await makeToken(server, String(of.user), {
      ...(scope === undefined ? {} : { scopes: [scope] }),
      ...(workspace === undefined ? {} : { workspace }),
    })
    const id = `${of.id} by token ${scope ?? ''} ${workspace ?? ''}`
    return { ...of, id, token: limits, headers: { authorization } }
  }
  const actions = ['read', 'download', 'edit', 'import', 'manage'] as const
  const members = actions.map((action) => user(`group-${action}`, { groups: [`group-${action}`] }))
  const manager = members.at(-1) ?? assert.fail()
  const admin = user('matrix-admin', { role: 'admin' })
  const disabled = user('disabled', { role: 'admin', isValid: false })
  const disabledToken = await makeToken(server, 'disabled', {})
  await done(server, 'PUT', '/rest/security/users/disabled', { user: { enabled: false } })
  return [
    { ...base, id: 'anonymous', role: 'anonymous', headers: {} },
    user('nobody'),
    ...actions.map((action) => user(`layer-${action}`)),
    ...members,
    await token(manager, { scope: 'read' }),
    await token(manager, { scope: 'import' }),
    await token(manager, { scope: 'manage' }),
    await token(admin, { scope: 'import' }),
    await token(admin, { workspace: 'town' }),
    await token(admin, { workspace: 'county', scope: 'import' }),
    disabled,
    { ...disabled, id: 'token of a disabled user', headers: { authorization: disabledToken } },
    user('expired', { role: 'admin', isValid: false, headers: { authorization: await makeExpired(server) } }),
    user('staff', { role: 'staff' }),
    admin,
  ]
}

/** Makes workspaces, layers, users, groups, permissions and tokens on a new server. */
export async function makeMatrixWorld(
  server: TestServer,
): Promise<{ callers: HeaderedCaller[]; ids: MatrixIds }> {
  const ids = await makeLayers(server)
  await makeUsers(server)
  return { callers: await makeCallers(server), ids }
}
