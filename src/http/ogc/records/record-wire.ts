import type { LayerRecord } from '../../../catalog/records.ts'
import { defined } from '../../../lib/defined.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { layerSegment } from '../../tiles/layer-names.ts'
import { collectionId } from '../collection.ts'
import { crs84Uri } from '../crs-uris.ts'
import { readContact } from './record-contact.ts'
import { readLicence } from './record-licence.ts'
import type { Range } from './record-place.ts'
import { toBbox, toGeometry } from './record-place.ts'
import { recordType } from './record-search.ts'

export const catalogueRoot = '/ogc/catalogue'
/** The collection of all records. */
export const recordsId = 'layers'
export const recordsCollection = `${catalogueRoot}/collections/${recordsId}`
export const recordsPath = `${recordsCollection}/items`
const profiles = 'http://www.opengis.net/def/profile/OGC/0'
const relations = 'http://www.opengis.net/def/rel/ogc/1.0'

const recordProfile = { rel: 'profile', href: `${profiles}/ogc-record` }
export const catalogProfile = { rel: 'profile', href: `${profiles}/ogc-catalog` }

export interface RecordLink {
  rel: string
  href: string
  type?: string
  title?: string
}

function recordPath(layer: LayerRecord): string {
  return `${recordsPath}/${encodeURIComponent(collectionId(layer))}`
}

/** A layer as a record (OGC 20-004r1, sections 7.1 and 7.10); `range` is where it lies, undefined where that is not known. */
export function toRecord(request: FastifyRequest, layer: LayerRecord, range: Range | undefined): object {
  const { times } = layer.details
  const bbox = range && toBbox(range)
  const spatial = bbox && { bbox: [bbox], crs: crs84Uri }
  const temporal = times && { interval: [[times.from, times.to]] }
  return {
    id: collectionId(layer),
    type: 'Feature',
    conformsTo: ['http://www.opengis.net/spec/ogcapi-records-1/1.0/conf/record-core'],
    time: times === undefined ? null : { interval: [times.from, times.to] },
    geometry: range === undefined ? null : toGeometry(range),
    ...defined({ bbox }),
    extent: defined({ spatial, temporal }),
    properties: propertiesOf(layer),
    links: [...ownLinks(request, layer), ...resourceLinks(request, layer), ...licenceLinks(layer)],
  }
}

function propertiesOf(layer: LayerRecord): object {
  const { createdAt, updatedAt, details } = layer
  const { title, abstract, description, keywords = [], licence, attribution, contact } = details
  const { spdx, address } = licence === undefined ? {} : readLicence(licence)
  const isWords = licence !== undefined && spdx === undefined && address === undefined
  const rights = [isWords ? licence : undefined, attribution].filter((one) => one !== undefined)
  return {
    ...{ type: recordType, title, created: createdAt, updated: updatedAt },
    ...defined({ description: abstract ?? description }),
    ...(keywords.length === 0 ? {} : { keywords }),
    ...(spdx === undefined && address === undefined ? {} : { license: spdx ?? 'other' }),
    ...(rights.length === 0 ? {} : { rights: rights.join('\n') }),
    ...(contact === undefined ? {} : { contacts: [toContact(contact)] }),
    formats: formatsOf(layer),
  }
}

function toContact(text: string): object {
  const { name, email, address } = readContact(text)
  return {
    name,
    ...(email === undefined ? {} : { emails: [{ value: email }] }),
    ...(address === undefined ? {} : { links: [{ rel: 'about', type: 'text/html', href: address }] }),
    roles: ['pointOfContact'],
  }
}

function formatsOf({ details: { kind, schema } }: LayerRecord): object[] {
  if (kind === 'raster') return [{ name: 'PNG', mediaType: 'image/png' }]
  const items = { name: 'GeoJSON', mediaType: 'application/geo+json' }
  const tiles = { name: 'Mapbox Vector Tile', mediaType: 'application/vnd.mapbox-vector-tile' }
  return schema.geometry === undefined ? [items] : [items, tiles]
}

function ownLinks(request: FastifyRequest, layer: LayerRecord): RecordLink[] {
  const type = 'application/geo+json'
  return [
    { rel: 'self', type, title: 'This record', href: request.link(recordPath(layer)) },
    {
      ...{ rel: 'collection', type: 'application/ogc-catalog+json', title: 'The catalogue' },
      href: request.link(recordsCollection),
    },
    recordProfile,
  ]
}

/** Whether there are maps of a layer. */
function hasMaps({ details: { kind, schema, srs, crs } }: LayerRecord): boolean {
  return (kind === 'raster' || schema.geometry !== undefined) && (srs ?? crs) !== undefined
}

/** Where the layer itself is, in all its shapes. */
function resourceLinks(request: FastifyRequest, layer: LayerRecord): RecordLink[] {
  const collection = `/ogc/collections/${encodeURIComponent(collectionId(layer))}`
  const tiles = `/tiles/${layerSegment(layer)}`
  const link = (rel: string, type: string, title: string, path: string): RecordLink => ({
    ...{ rel, type, title, href: request.link(path) },
  })
  const isRaster = layer.details.kind === 'raster'
  const maps = [
    ...(isRaster
      ? []
      : [link(`${relations}/tilesets-vector`, 'application/json', 'Vector tiles', `${collection}/tiles`)]),
    link('stylesheet', 'application/json', 'MapLibre style', `${tiles}/style.json`),
    link('preview', 'image/png', 'Thumbnail', `${tiles}/thumbnail.png`),
  ]
  return [
    link('describes', 'application/json', 'The layer as a collection', collection),
    ...(isRaster
      ? []
      : [
          link('items', 'application/geo+json', 'Features', `${collection}/items`),
          link('describedby', 'application/schema+json', 'Schema', `${collection}/schema`),
        ]),
    ...(hasMaps(layer) ? maps : []),
    link('about', 'text/html', 'Page', `/app/layers/${encodeURIComponent(collectionId(layer))}`),
  ]
}

function licenceLinks({ details: { licence } }: LayerRecord): RecordLink[] {
  const { address } = licence === undefined ? {} : readLicence(licence)
  return address === undefined ? [] : [{ rel: 'license', href: address }]
}
