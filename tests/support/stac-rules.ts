// Rules of STAC 1.0.0 (catalog, collection and item specification; projection extension 1.1.0) as assertions. Each names the
// field of the specification; the JSON schemas of the specification express the same rules.

import assert from 'node:assert/strict'

interface StacLink {
  rel: string
  href: string
  type?: string
  title?: string
  method?: string
  body?: object
}

export interface StacDocument {
  type: string
  stac_version: string
  stac_extensions?: string[]
  id: string
  title?: string
  description?: string
  conformsTo?: string[]
  links: StacLink[]
}

interface StacAsset {
  href: string
  type?: string
  title?: string
  roles?: string[]
  'file:size'?: number
}

export interface StacCollection extends StacDocument {
  license: string
  keywords?: string[]
  providers?: { name: string; roles?: string[]; url?: string }[]
  extent: { spatial: { bbox: number[][] }; temporal: { interval: (string | null)[][] } }
  summaries?: Record<string, unknown>
  assets?: Record<string, StacAsset>
}

export interface StacItem extends StacDocument {
  collection?: string
  geometry: { type: string; coordinates: unknown } | null
  bbox?: number[]
  properties: { datetime: string | null; [name: string]: unknown }
  assets: Record<string, StacAsset>
}

export interface StacPage {
  type: string
  features: StacItem[]
  numberMatched?: number
  numberReturned: number
  links: StacLink[]
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/
const providerRoles = ['producer', 'licensor', 'processor', 'host']

function checkDocument(document: StacDocument, type: string): void {
  assert.equal(document.type, type)
  assert.equal(document.stac_version, '1.0.0')
  assert.match(document.id, /./)
  const extensions = document.stac_extensions ?? []
  assert.equal(new Set(extensions).size, extensions.length, 'stac_extensions are unique')
  for (const one of extensions) assert.ok(URL.canParse(one), one)
  for (const { rel, href, type: mediaType, title } of document.links) {
    assert.match(rel, /./, 'links: rel')
    assert.ok(URL.canParse(href), `links: href ${href}`)
    assert.ok(['string', 'undefined'].includes(typeof mediaType), 'links: type')
    assert.ok(['string', 'undefined'].includes(typeof title), 'links: title')
  }
  for (const rel of ['self', 'root'])
    assert.equal(document.links.filter((one) => one.rel === rel).length, 1, rel)
}

function checkAssets(assets: Record<string, StacAsset>): void {
  for (const [name, { href, type, roles = [] }] of Object.entries(assets)) {
    assert.ok(URL.canParse(href), `assets.${name}.href`)
    assert.match(String(type), /^[\w.+-]+\/[\w.+-]+/, `assets.${name}.type`)
    assert.ok(roles.length > 0 && roles.every((one) => typeof one === 'string'), `assets.${name}.roles`)
  }
}

function checkBox(box: number[]): void {
  const [west = Number.NaN, south = Number.NaN, east = Number.NaN, north = Number.NaN] = box
  assert.equal(box.length, 4, 'bbox has four numbers')
  for (const one of [west, east]) assert.ok(one >= -180 && one <= 180, `bbox ${box}`)
  assert.ok(south >= -90 && south <= north && north <= 90, `bbox ${box}`)
}

export function checkCatalog(document: StacDocument): void {
  checkDocument(document, 'Catalog')
  assert.match(String(document.description), /./)
  assert.ok(document.conformsTo !== undefined && document.conformsTo.length > 0)
  for (const rel of ['service-desc', 'service-doc', 'conformance', 'data', 'search'])
    assert.ok(
      document.links.some((one) => one.rel === rel),
      rel,
    )
}

export function checkCollection(document: StacCollection): void {
  checkDocument(document, 'Collection')
  const {
    description,
    license,
    extent,
    providers = [],
    keywords = [],
    summaries = {},
    assets = {},
  } = document
  assert.match(String(description), /./)
  assert.match(license, /^[\w\-.+]+$/, 'license')
  assert.ok(extent.spatial.bbox.length > 0)
  for (const box of extent.spatial.bbox) checkBox(box)
  assert.ok(extent.temporal.interval.length > 0)
  for (const interval of extent.temporal.interval) {
    assert.equal(interval.length, 2)
    for (const one of interval) assert.ok(one === null || time.test(one), String(one))
  }
  for (const { name, roles = [] } of providers) {
    assert.match(name, /./)
    for (const role of roles) assert.ok(providerRoles.includes(role), role)
  }
  for (const word of keywords) assert.equal(typeof word, 'string')
  for (const [name, values] of Object.entries(summaries))
    assert.ok(Array.isArray(values) && values.length > 0, name)
  checkAssets(assets)
  for (const rel of ['parent', 'items'])
    assert.ok(
      document.links.some((one) => one.rel === rel),
      rel,
    )
}

export function checkItem(item: StacItem): void {
  checkDocument(item, 'Feature')
  checkAssets(item.assets)
  checkTimes(item)
  checkGeometry(item)
  checkProjection(item)
  const { collection, links } = item
  assert.equal(typeof collection, 'string')
  for (const rel of ['parent', 'collection'])
    assert.equal(links.filter((one) => one.rel === rel).length, 1, rel)
  const parent = links.find(({ rel }) => rel === 'collection')?.href ?? ''
  assert.equal(decodeURIComponent(parent.split('/').at(-1) ?? ''), collection)
}

/** `datetime` is required; if it is null, both ends of a period are. */
function checkTimes({ properties }: StacItem): void {
  const { datetime, start_datetime: start, end_datetime: end, created, updated } = properties
  if (datetime === null) for (const one of [start, end]) assert.match(String(one), time)
  else assert.match(datetime, time)
  for (const one of [created, updated]) assert.match(String(one), time)
}

/** A box belongs to a geometry; rings are closed and counterclockwise, and do not cross the antimeridian. */
function checkGeometry({ geometry, bbox }: StacItem): void {
  assert.equal(geometry === null, bbox === undefined)
  if (geometry === null || bbox === undefined) return
  checkBox(bbox)
  const polygons = (
    geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates
  ) as number[][][][]
  const [west = 0, south = 0, east = 0, north = 0] = bbox
  for (const [ring = []] of polygons) {
    assert.ok(ring.length >= 4)
    assert.deepEqual(ring[0], ring.at(-1))
    for (const [x = 0, y = 0] of ring) {
      assert.ok(x >= -180 && x <= 180 && y >= south && y <= north, `${x} ${y}`)
      assert.ok(west <= east ? x >= west && x <= east : x >= west || x <= east, `${x} ${bbox}`)
    }
    const xs = ring.map(([x = 0]) => x)
    assert.ok(west <= east || Math.max(...xs) - Math.min(...xs) < 180)
  }
}

function checkProjection({ properties, stac_extensions: extensions = [] }: StacItem): void {
  const { 'proj:epsg': epsg, 'proj:shape': shape, 'proj:transform': transform, 'proj:bbox': box } = properties
  assert.ok(extensions.includes('https://stac-extensions.github.io/projection/v1.1.0/schema.json'))
  assert.ok(epsg === null || Number.isInteger(epsg), 'proj:epsg')
  for (const [name, numbers, length] of [
    ['proj:shape', shape, 2],
    ['proj:transform', transform, 6],
    ['proj:bbox', box, 4],
  ] as const) {
    if (numbers === undefined) continue
    assert.ok(Array.isArray(numbers) && numbers.length === length && numbers.every(Number.isFinite), name)
  }
}
