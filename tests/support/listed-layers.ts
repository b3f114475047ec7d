import assert from 'node:assert/strict'
import type { LayerDetails } from '../../src/catalog/records.ts'
import { publishNewLayer } from '../../src/catalog/rows/publication.ts'
import { without } from '../../src/core/values/defined.ts'
import type { TestApp } from './app.ts'

/** Layer that exists only in the catalogue, without data. */
export interface ListedLayer {
  workspace: string
  name: string
  isPublic?: boolean
  details?: Partial<LayerDetails>
  rows?: number
}

/** Publishes layers over tables that are not there. */
export async function listLayers(server: TestApp, layers: readonly ListedLayer[]): Promise<void> {
  const stores = new Map<string, number>()
  for (const { workspace } of layers) {
    if (stores.has(workspace)) continue
    if ((await server.catalog.workspaces.find(workspace)) === undefined)
      await server.catalog.workspaces.create({ name: workspace, isPublic: false, isDefault: false })
    stores.set(workspace, (await server.catalog.stores.getDefault(workspace)).id)
  }
  await server.database.transaction(async (db) => {
    for (const { workspace, name, details, rows } of layers) {
      const place = { workspace, name, storeId: stores.get(workspace) ?? 0, nativeName: name }
      const at = server.clock.now().toISOString()
      const how = { mode: 'CREATE', ...(rows === undefined ? {} : { rowsLoaded: rows }) }
      await publishNewLayer(db, { ...place, details: detailsOf(name, details) }, at, how)
    }
  })
  for (const { workspace, name, isPublic } of layers) {
    if (isPublic === undefined) continue
    const layer = await server.catalog.layers.get(workspace, name)
    await server.catalog.layers.change(layer, { isPublic })
  }
}

const geometry = { name: 'geometry', type: 'Point', hasZ: false, hasM: false, crs: undefined } as const

/** A layer without geometry has no place. */
function detailsOf(name: string, details: Partial<LayerDetails> = {}): LayerDetails {
  const whole = { ...pointDetails(name), ...details }
  return whole.schema.geometry === undefined ? without(whole, 'srs', 'envelope') : whole
}

function pointDetails(name: string): LayerDetails {
  return {
    kind: 'vector',
    title: name,
    originalName: name,
    srs: 'EPSG:4326',
    envelope: { minX: 1, minY: 2, maxX: 3, maxY: 4 },
    schema: { attributes: [], geometry },
    style: 'point',
  }
}

/** A layer as lists show it. */
export interface Listed {
  name: string
  workspace: string
  title: string
  kind: string
  rows?: number
  public: boolean
  version: number
  bounds?: number[]
  thumbnail?: string
  style?: string
  problem?: { code: string }
  requests?: { total: number; days: number[] }
}

/** One page of a list. */
export interface Page {
  layers: Listed[]
  total: number
  offset: number
  next?: string
  revision: string
  counts: {
    workspaces: { name: string; public: boolean; layers: number }[]
    kinds: Record<string, number>
    public: number
    notPublic: number
    problems?: number
  }
}

/** Requests a list by a query, or by the URL of a next page. */
export async function ask(server: TestApp, query: string, headers: Record<string, string> = server.admin) {
  const url = query.startsWith('http') ? query : `/rest/catalogue/layers?${query}`
  const reply = await server.app.inject({ url: url.replace(/^http:\/\/[^/]+/, ''), headers })
  return { status: reply.statusCode, body: reply.body, page: reply.json<Page>(), headers: reply.headers }
}

export async function namesOf(
  server: TestApp,
  query: string,
  headers?: Record<string, string>,
): Promise<string[]> {
  const { status, page, body } = await ask(server, query, headers)
  assert.equal(status, 200, body)
  return page.layers.map(({ name }) => name)
}
