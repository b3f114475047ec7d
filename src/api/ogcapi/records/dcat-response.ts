import type { LayerRecord } from '../../../catalog/index.ts'
import type { ServiceContact } from '../../../core/config/service-settings.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { toCrsUri } from '../../crs-uris.ts'
import { doiAddress } from '../../doi.ts'
import { collectionId } from '../collection.ts'
import type { Resource } from './layer-resources.ts'
import { readContact } from './record-contact.ts'
import { readLicence } from './record-licence.ts'
import type { Range } from './record-location.ts'
import { toWkt } from './record-location.ts'
import { catalogueRoot } from './record-response.ts'
import type { RecordTimes } from './record-times.ts'
import { momentsOf } from './record-times.ts'

/** Included in each document, so that no client has to fetch it. */
const dcatContext = {
  dcat: 'http://www.w3.org/ns/dcat#',
  dct: 'http://purl.org/dc/terms/',
  foaf: 'http://xmlns.com/foaf/0.1/',
  vcard: 'http://www.w3.org/2006/vcard/ns#',
  locn: 'http://www.w3.org/ns/locn#',
  geo: 'http://www.opengis.net/ont/geosparql#',
  adms: 'http://www.w3.org/ns/adms#',
  skos: 'http://www.w3.org/2004/02/skos/core#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
}

const vocabulary = 'http://publications.europa.eu/resource/authority'
/** File types of the EU vocabulary by media type. */
const fileTypes = new Map([
  ['application/geo+json', 'file-type/GEOJSON'],
  ['application/json', 'file-type/JSON'],
  ['text/csv', 'file-type/CSV'],
  ['application/gml+xml', 'file-type/GML'],
  ['application/geopackage+sqlite3', 'file-type/GPKG'],
  ['application/vnd.google-earth.kml+xml', 'file-type/KML'],
  ['image/tiff', 'file-type/TIFF'],
  ['image/png', 'file-type/PNG'],
])

/** Something that is named by its address. */
function thing(address: string, type?: string): object {
  return type === undefined ? { '@id': address } : { '@id': address, '@type': type }
}

function moment(text: string): object {
  return { '@type': 'xsd:dateTime', '@value': text }
}

/** Returns the publisher: the contact in the settings, otherwise the server. */
function publisherOf(request: FastifyRequest, { organisation, email, phone, url }: ServiceContact): object {
  const home = request.link('/')
  if (organisation === undefined)
    return {
      '@id': home,
      '@type': 'foaf:Agent',
      'foaf:name': new URL(home).host,
      'foaf:homepage': thing(home),
    }
  return {
    '@id': url ?? home,
    '@type': ['foaf:Agent', 'foaf:Organization'],
    'foaf:name': organisation,
    'foaf:homepage': thing(url ?? home),
    'foaf:mbox': email === undefined ? undefined : thing(`mailto:${encodeURI(email)}`),
    'foaf:phone':
      phone === undefined ? undefined : thing(`tel:${encodeURIComponent(phone.replaceAll(' ', '-'))}`),
  }
}

/** Properties of a catalogue. */
interface CatalogueFacts {
  workspaces: string | undefined
  changedAt: string | undefined
  publisher: ServiceContact
}

/** A catalogue without its data sets (DCAT-AP 3.0, class Catalogue). */
export function toDcatCatalogue(
  request: FastifyRequest,
  { workspaces, changedAt, publisher }: CatalogueFacts,
): object {
  const query = workspaces === undefined ? '' : `?workspace=${encodeURIComponent(workspaces)}`
  const what = workspaces === undefined ? 'all workspaces' : workspaces
  return {
    '@context': dcatContext,
    '@id': request.link(`${catalogueRoot}/dcat${query}`),
    '@type': 'dcat:Catalog',
    'dct:title': `Layers of ${what}`,
    'dct:description': `Rights to read ${what} on this server`,
    'dct:publisher': publisherOf(request, publisher),
    'foaf:homepage': thing(request.link('/')),
    'dct:modified': changedAt === undefined ? undefined : moment(changedAt),
    'dcat:service': serviceOf(request),
  }
}

function serviceOf(request: FastifyRequest): object {
  return {
    ...thing(request.link('/ogc'), 'dcat:DataService'),
    'dct:title': 'OGC API Features and Tiles',
    'dcat:endpointURL': thing(request.link('/ogc')),
    'dcat:endpointDescription': thing(request.link('/ogc/api')),
    'dct:conformsTo': thing('http://www.opengis.net/def/interface/ogcapi-features', 'dct:Standard'),
  }
}

/** Properties of a layer besides its record. */
export interface DatasetFacts {
  range: Range | undefined
  resources: readonly Resource[]
  isPublic: boolean
  times: RecordTimes | undefined
  publisher: ServiceContact
}

/** A layer as a data set (DCAT-AP 3.0, class Dataset). */
export function toDataset(request: FastifyRequest, layer: LayerRecord, facts: DatasetFacts): object {
  const { details, createdAt, updatedAt, version } = layer
  const {
    title,
    abstract,
    description,
    keywords = [],
    contact,
    owner,
    attribution,
    citation,
    doi,
    srs,
  } = details
  const times = facts.times && momentsOf(facts.times)
  const id = collectionId(layer)
  const page = facts.resources.find(({ rel }) => rel === 'about')
  return {
    '@id': request.link(`/ogc/collections/${encodeURIComponent(id)}`),
    '@type': 'dcat:Dataset',
    'dct:identifier': id,
    'dct:title': title === '' ? id : title,
    'dct:description': abstract ?? description ?? (title === '' ? id : title),
    'dcat:keyword': keywords.length === 0 ? undefined : keywords,
    'dct:issued': moment(createdAt),
    'dct:modified': moment(updatedAt),
    'dcat:version': String(version),
    'dct:publisher': publisherOf(request, facts.publisher),
    'dct:accessRights': accessRights(facts.isPublic),
    'dcat:contactPoint': contact === undefined ? undefined : toVcard(contact),
    'dct:rightsHolder': owner === undefined ? undefined : { '@type': 'foaf:Agent', 'foaf:name': owner },
    'dct:bibliographicCitation': citation === '' ? undefined : citation,
    'adms:identifier': doi ? toIdentifier(doiAddress(doi)) : undefined,
    'dct:rights': attribution === undefined ? undefined : statement(attribution),
    'dct:conformsTo': srs === undefined ? undefined : thing(toCrsUri(srs), 'dct:Standard'),
    'dct:spatial': facts.range === undefined ? undefined : toLocation(facts.range),
    'dct:temporal':
      times === undefined
        ? undefined
        : {
            '@type': 'dct:PeriodOfTime',
            'dcat:startDate': moment(times.from),
            'dcat:endDate': moment(times.to),
          },
    'dcat:landingPage': page === undefined ? undefined : thing(page.href, 'foaf:Document'),
    'dcat:distribution': facts.resources.flatMap((one) => toDistribution(one, details.licence)),
  }
}

function accessRights(isPublic: boolean): object {
  return thing(`${vocabulary}/access-right/${isPublic ? 'PUBLIC' : 'RESTRICTED'}`, 'dct:RightsStatement')
}

function toIdentifier(address: string): object {
  return { '@type': 'adms:Identifier', 'skos:notation': { '@type': 'xsd:anyURI', '@value': address } }
}

function statement(text: string): object {
  return { '@type': 'dct:RightsStatement', 'rdfs:label': text }
}

function toVcard(text: string): object {
  const { name, email, address } = readContact(text)
  const page = address === undefined || !URL.canParse(address) ? undefined : thing(new URL(address).href)
  return {
    '@type': 'vcard:Kind',
    'vcard:fn': name,
    'vcard:hasEmail': email === undefined ? undefined : thing(`mailto:${encodeURI(email)}`),
    'vcard:hasURL': page,
  }
}

function toLocation(range: Range): object {
  const text = { '@type': 'geo:wktLiteral', '@value': toWkt(range) }
  return { '@type': 'dct:Location', 'dcat:bbox': text, 'locn:geometry': text }
}

/** Returns the data in one format as a distribution; none for descriptive resources. */
function toDistribution({ gives, title, href, type, length }: Resource, licence?: string): object[] {
  if (gives === undefined) return []
  const name = fileTypes.get(type)
  return [
    {
      '@type': 'dcat:Distribution',
      'dct:title': title,
      'dcat:accessURL': thing(href),
      'dcat:downloadURL': gives === 'file' ? thing(href) : undefined,
      'dcat:mediaType': thing(`https://www.iana.org/assignments/media-types/${type}`, 'dct:MediaType'),
      'dct:format': name === undefined ? undefined : thing(`${vocabulary}/${name}`, 'dct:MediaTypeOrExtent'),
      'dcat:byteSize':
        length === undefined ? undefined : { '@type': 'xsd:nonNegativeInteger', '@value': String(length) },
      'dct:license': licence === undefined ? undefined : toLicence(licence),
    },
  ]
}

function toLicence(text: string): object {
  const { address, spdx } = readLicence(text)
  if (address !== undefined && URL.canParse(address))
    return thing(new URL(address).href, 'dct:LicenseDocument')
  if (spdx !== undefined) return thing(`https://spdx.org/licenses/${spdx}`, 'dct:LicenseDocument')
  return { '@type': 'dct:LicenseDocument', 'rdfs:label': text }
}
