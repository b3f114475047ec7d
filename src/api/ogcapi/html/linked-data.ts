import { doiAddress } from '../../doi.ts'
import type { CollectionDocument } from './documents.ts'
import { extentBounds } from './extent-text.ts'
import type { Shown } from './html-page.ts'

const context = 'https://schema.org/'

/** The list of layers as `DataCatalog` of schema.org. */
export function catalogueData(
  name: string,
  shown: Shown,
  collections: readonly CollectionDocument[] = [],
): object {
  const url = shown.link('/ogc/collections')
  return {
    '@context': context,
    '@type': 'DataCatalog',
    '@id': url,
    name,
    url,
    description: shown.texts.landing.description('Terrane'),
    inLanguage: shown.language,
    dataset:
      collections.length === 0
        ? undefined
        : collections.map((one) => ({ ...named(one), url: addressOf(one.id, shown) })),
  }
}

function addressOf(id: string, shown: Shown): string {
  return shown.link(`/ogc/collections/${encodeURIComponent(id)}`)
}

/** Search engines require a name, and a description of at least fifty characters. */
function named({ id, title, description }: CollectionDocument): object {
  const reported = [title, description].filter((one) => one !== undefined && one !== '').join('. ')
  const long = reported.length >= 50 ? reported : `${reported}. Layer ${id} of a Terrane server, by OGC API`
  return { '@type': 'Dataset', name: title, description: long.slice(0, 5000) }
}

/** A layer as `Dataset` of schema.org, as search engines for data read it. */
export function datasetData(collection: CollectionDocument, shown: Shown): object {
  const { id, extent, links } = collection
  const { licence, keywords, contact, attribution, owner, citation, doi } = shown.layer?.details ?? {}
  const url = addressOf(id, shown)
  const creator = attribution ?? contact
  return {
    '@context': context,
    '@id': url,
    ...named(collection),
    url,
    identifier: doi ? [id, doiAddress(doi)] : id,
    sameAs: doi ? doiAddress(doi) : undefined,
    citation: citation === '' ? undefined : citation,
    isAccessibleForFree: true,
    includedInDataCatalog: { '@type': 'DataCatalog', name: 'Terrane', url: shown.link('/ogc/collections') },
    keywords: keywords === undefined || keywords.length === 0 ? undefined : keywords,
    license: licence,
    creator: creator === undefined ? undefined : { '@type': 'Organization', name: creator },
    creditText: attribution,
    copyrightHolder: owner === undefined ? undefined : { '@type': 'Organization', name: owner },
    ...datesOf(shown),
    ...placeOf(collection),
    ...timesOf(extent),
    ...columnsOf(shown),
    distribution: links
      .filter(isLoaded)
      .map((one) => ({
        '@type': 'DataDownload',
        name: one.title ?? one.rel,
        contentUrl: withForm(one.href),
        encodingFormat: one.type,
      })),
  }
}

const loaded = /^(?:items|enclosure|granules)$|\/(?:tilesets-vector|map)$/

function isLoaded({ rel }: { rel: string }): boolean {
  return loaded.test(rel)
}

/** Programs that load it ask as browsers do. */
function withForm(href: string): string {
  return /\/items$|\/granules$|\/tiles$/.test(href) ? `${href}?f=json` : href
}

function datesOf({ layer }: Shown): object {
  return { dateCreated: layer?.createdAt, dateModified: layer?.updatedAt }
}

function placeOf({ extent }: CollectionDocument): object {
  const bounds = extentBounds(extent)
  if (bounds === undefined) return {}
  const [west, south, east, north] = bounds
  const box = `${south} ${west} ${north} ${east}`
  return { spatialCoverage: { '@type': 'Place', geo: { '@type': 'GeoShape', box } } }
}

function timesOf(extent: CollectionDocument['extent']): object {
  const [from, to] = extent?.temporal?.interval[0] ?? []
  if (from == null && to == null) return {}
  return { temporalCoverage: `${from ?? '..'}/${to ?? '..'}` }
}

const maxColumns = 100

function columnsOf({ layer }: Shown): object {
  const names = layer?.details.schema.attributes.map(({ name }) => name) ?? []
  return names.length === 0 ? {} : { variableMeasured: names.slice(0, maxColumns) }
}
