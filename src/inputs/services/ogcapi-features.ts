import { join } from 'node:path'
import { findCrs } from '../../geo/crs-database.ts'
import {
  checkCount,
  FeatureFile,
  isJson,
  type Json,
  parseJson,
  SchemaWatch,
  SeenIds,
} from './read-features.ts'
import type { ServiceData, ServiceRead, ServiceReader, ServiceReadOptions } from './service.ts'
import { ServiceClient, serviceFailure } from './service-client.ts'

const pageSize = 1000
/** Changes of the last minute may not be visible yet. */
const overlapMs = 60_000

interface Collection {
  items: URL
  /** CRS of the coordinates; absent for longitude and latitude. */
  crs?: { uri: string; srs: string }
}

/** Reads OGC API Features (17-069): pages by `next` links, coordinates in the storage CRS if known. */
export const ogcApiFeatures: ServiceReader = {
  kind: 'ogcapi-features',
  read: async (data, options) => {
    const startedAt = new Date(Date.now() - overlapMs).toISOString()
    const client = new ServiceClient(data.location, options)
    await client.prepare()
    const file = await FeatureFile.create(join(options.folder, 'features.geojson'))
    try {
      const collection = await describe(client, data)
      await file.frame(`{"type":"FeatureCollection",${crsMember(collection)}"features":[\n`)
      await readPages(client, file, firstPage(collection, data, options.since), options)
      await file.frame(']}\n')
      return { ...(await file.finish()), newest: startedAt, messages: [] } satisfies ServiceRead
    } finally {
      await file.close()
      client.close()
    }
  },
}

async function describe(client: ServiceClient, { location, layer }: ServiceData): Promise<Collection> {
  const base = new URL(location.endsWith('/') ? location : `${location}/`)
  const url = new URL(`collections/${encodeURIComponent(layer)}`, base)
  url.search = base.search
  url.searchParams.set('f', 'json')
  const found = parseJson(await client.describe(url), url.href)
  const links = Array.isArray(found.links) ? found.links.filter(isJson) : []
  const link = links.find(({ rel, type }) => rel === 'items' && type === 'application/geo+json')
  const fallback = new URL(`collections/${encodeURIComponent(layer)}/items?f=json`, base)
  const href = link?.href
  const items = typeof href === 'string' ? new URL(href, url) : fallback
  return { items, crs: storageCrs(found) }
}

/** Returns the storage CRS, if the service supports it as output CRS and its x axis comes first. */
function storageCrs({ storageCrs: uri, crs }: Json): Collection['crs'] {
  if (typeof uri !== 'string' || !Array.isArray(crs) || !crs.includes(uri)) return undefined
  const [, authority, code] = /\/def\/crs\/([a-z]+)\/[^/]+\/(\w+)$/i.exec(uri) ?? []
  if (authority === undefined || authority === 'OGC') return undefined
  const srs = `${authority}:${code}`
  return findCrs(srs)?.axisOrder === 'xy' ? { uri, srs } : undefined
}

function crsMember({ crs }: Collection): string {
  if (crs === undefined) return ''
  const [authority, code] = crs.srs.split(':')
  const name = `urn:ogc:def:crs:${authority}::${code}`
  return `"crs":{"type":"name","properties":{"name":"${name}"}},`
}

function firstPage({ items, crs }: Collection, { where }: ServiceData, since: string | undefined): URL {
  const url = new URL(items)
  url.searchParams.set('limit', String(pageSize))
  if (crs !== undefined) url.searchParams.set('crs', crs.uri)
  if (since !== undefined) url.searchParams.set('datetime', `${since}/..`)
  if (where !== undefined) {
    url.searchParams.set('filter', where)
    url.searchParams.set('filter-lang', 'cql2-text')
  }
  return url
}

async function readPages(
  client: ServiceClient,
  file: FeatureFile,
  first: URL,
  { onRows }: ServiceReadOptions,
): Promise<void> {
  const ids = new SeenIds()
  const schema = new SchemaWatch()
  let stated: number | undefined
  let separator = ''
  for (let url: URL | undefined = first; url !== undefined; ) {
    const page = await client.page(url)
    const found = parseJson(page.text, page.url)
    const features = featuresOf(found, page.url)
    schema.check(features.map(({ properties }) => (isJson(properties) ? properties : {})))
    for (const { id } of features) if (typeof id === 'string' || typeof id === 'number') ids.add(String(id))
    const lines = features.map((feature) => JSON.stringify(feature))
    if (lines.length > 0) await file.add(`${separator}${lines.join(',\n')}`, lines.length)
    if (lines.length > 0) separator = ',\n'
    onRows?.(file.rows)
    if (typeof found.numberMatched === 'number') stated = found.numberMatched
    url = nextPage(found, page.url, features.length)
  }
  checkCount(file.rows, stated)
}

function featuresOf({ type, features }: Json, url: string): Json[] {
  if (type !== 'FeatureCollection' || !Array.isArray(features) || !features.every(isJson))
    throw serviceFailure(`The service answers no GeoJSON feature collection: ${url}`)
  return features
}

function nextPage({ links }: Json, url: string, rows: number): URL | undefined {
  const all: unknown[] = Array.isArray(links) ? links : []
  const next = all.filter(isJson).find(({ rel }) => rel === 'next')
  if (typeof next?.href !== 'string') return undefined
  if (rows === 0) throw serviceFailure(`The service links from an empty page to a next one: ${url}`)
  return new URL(next.href, url)
}
