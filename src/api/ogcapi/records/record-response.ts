import type { LayerRecord } from '../../../catalog/index.ts'
import type { ServiceContact } from '../../../core/config/service-settings.ts'
import { without } from '../../../core/values/defined.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { crs84Uri } from '../../crs-uris.ts'
import { doiLinks } from '../../doi.ts'
import { collectionId } from '../collection.ts'
import type { Resource } from './layer-resources.ts'
import { readContact } from './record-contact.ts'
import { readLicence } from './record-licence.ts'
import type { Range } from './record-location.ts'
import { toBbox, toGeometry } from './record-location.ts'
import { recordType } from './record-search.ts'
import type { RecordTimes } from './record-times.ts'
import { momentsOf } from './record-times.ts'

export const catalogueRoot = '/ogc/catalogue'
/** The collection of all records. */
export const recordsId = 'layers'
export const recordsCollection = `${catalogueRoot}/collections/${recordsId}`
export const recordsPath = `${recordsCollection}/items`
const profiles = 'http://www.opengis.net/def/profile/OGC/0'

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

/** Properties of a layer besides its record. */
interface RecordFacts {
  /** Extent, undefined if unknown. */
  range: Range | undefined
  resources: readonly Resource[]
  times: RecordTimes | undefined
  /** Publisher of the server. */
  publisher: ServiceContact
}

/** A layer as a record (OGC 20-004r1, sections 7.1 and 7.10). */
export function toRecord(
  request: FastifyRequest,
  layer: LayerRecord,
  { range, resources, times, publisher }: RecordFacts,
): object {
  const bbox = range && toBbox(range)
  const spatial = bbox && { bbox: [bbox], crs: crs84Uri }
  const moments = times && momentsOf(times)
  const temporal = moments && { interval: [[moments.from, moments.to]] }
  return {
    id: collectionId(layer),
    type: 'Feature',
    conformsTo: ['http://www.opengis.net/spec/ogcapi-records-1/1.0/conf/record-core'],
    time: times === undefined ? null : { interval: [times.from, times.to] },
    geometry: range === undefined ? null : toGeometry(range),
    bbox,
    extent: { spatial, temporal },
    properties: propertiesOf(layer, resources, publisher),
    links: [
      ...ownLinks(request, layer),
      ...resources.map((one) => without(one, 'gives')),
      ...licenceLinks(layer),
      ...doiLinks(layer.details),
    ],
  }
}

function propertiesOf(layer: LayerRecord, resources: readonly Resource[], publisher: ServiceContact): object {
  const { createdAt, updatedAt, details } = layer
  const {
    title,
    abstract,
    description,
    keywords = [],
    licence,
    attribution,
    contact,
    owner,
    citation,
    doi,
  } = details
  const { spdx, address } = licence === undefined ? {} : readLicence(licence)
  const isWords = licence !== undefined && spdx === undefined && address === undefined
  const contacts = [
    ...(contact === undefined ? [] : [toContact(contact, 'pointOfContact')]),
    ...(owner === undefined ? [] : [toContact(owner, 'owner')]),
    ...toPublisher(publisher),
  ]
  const rights = [isWords ? licence : undefined, attribution].filter((one) => one !== undefined)
  return {
    type: recordType,
    title,
    created: createdAt,
    updated: updatedAt,
    description: abstract ?? description,
    keywords: keywords.length === 0 ? undefined : keywords,
    license: spdx === undefined && address === undefined ? undefined : (spdx ?? 'other'),
    rights: rights.length === 0 ? undefined : rights.join('\n'),
    citation: citation === '' ? undefined : citation,
    externalIds: doi ? [{ scheme: 'https://doi.org', value: doi }] : undefined,
    contacts: contacts.length === 0 ? undefined : contacts,
    formats: formatsOf(resources),
  }
}

function toContact(text: string, role: string): object {
  const { name, email, address } = readContact(text)
  return {
    name,
    emails: email === undefined ? undefined : [{ value: email }],
    links: address === undefined ? undefined : [{ rel: 'about', type: 'text/html', href: address }],
    roles: [role],
  }
}

function toPublisher({ organisation, email, url }: ServiceContact): object[] {
  if (organisation === undefined) return []
  return [
    {
      organization: organisation,
      emails: email === undefined ? undefined : [{ value: email }],
      links: url === undefined ? undefined : [{ rel: 'about', type: 'text/html', href: url }],
      roles: ['publisher'],
    },
  ]
}

function formatsOf(resources: readonly Resource[]): object[] {
  const given = resources.filter(({ gives, type }) => gives !== undefined && type !== 'application/json')
  return given.map(({ title, type }) => ({ name: title, mediaType: type }))
}

function ownLinks(request: FastifyRequest, layer: LayerRecord): RecordLink[] {
  const type = 'application/geo+json'
  return [
    { rel: 'self', type, title: 'This record', href: request.link(recordPath(layer)) },
    {
      rel: 'collection',
      type: 'application/ogc-catalog+json',
      title: 'The catalogue',
      href: request.link(recordsCollection),
    },
    recordProfile,
  ]
}

function licenceLinks({ details: { licence } }: LayerRecord): RecordLink[] {
  const { address } = licence === undefined ? {} : readLicence(licence)
  return address === undefined ? [] : [{ rel: 'license', href: address }]
}
