import { escapeXml } from '../../../core/text/escape.ts'
import { gmlNamespaces } from '../../../formats/writing/index.ts'
import type { PagePart } from '../../../stores/index.ts'
import type { PageFrame } from '../../ogcapi/page-stream.ts'
import type { NamedCrs } from '../named-crs.ts'
import type { WfsVersion } from './wfs-version.ts'
import { wordsOfVersion } from './wfs-version.ts'

/** Attributes of a feature collection. */
export interface CollectionAbout {
  timeStamp: string
  numberMatched: number
  numberReturned: number
  next: string | undefined
  previous: string | undefined
  /** Lock of the features. */
  lockId?: string
}

/** Namespaces that members of a document use, by their prefixes, and where they are described. */
export interface MemberNamespaces {
  version: WfsVersion
  prefixes: ReadonlyMap<string, string>
  /** Each namespace, and behind it the address of its schema. */
  locations: readonly string[]
}

const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'

/** Root element of a GML document: features, or values of one of their properties. */
export type CollectionElement = 'wfs:FeatureCollection' | 'wfs:ValueCollection'

/** The root element of a collection, from the head of the document on. */
export function collectionRoot(
  element: CollectionElement,
  about: CollectionAbout,
  { version, prefixes, locations: described }: MemberNamespaces,
): string {
  const { wfs, wfsLocation, gml } = wordsOfVersion[version]
  const own = [...prefixes].map(([prefix, namespace]) => ` xmlns:${prefix}="${escapeXml(namespace)}"`)
  const locations = [wfs, wfsLocation, ...described]
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    `<${element} xmlns:wfs="${wfs}" xmlns:gml="${gmlNamespaces[gml]}"${own.join('')} ${xsi}`,
    ` xsi:schemaLocation="${escapeXml(locations.join(' '))}"`,
    ...numbersOf(version, about),
    about.lockId === undefined ? '' : ` lockId="${escapeXml(about.lockId)}"`,
    '>\n',
    // GML 2 requires the extent (OGC 02-069, section 2.4).
    version === '1.0.0' ? '<gml:boundedBy><gml:null>unknown</gml:null></gml:boundedBy>\n' : '',
  ].join('')
}

function numbersOf(version: WfsVersion, about: CollectionAbout): string[] {
  const { timeStamp, numberMatched, numberReturned, next, previous } = about
  if (version === '1.0.0') return []
  if (version === '1.1.0') return [` timeStamp="${timeStamp}" numberOfFeatures="${numberReturned}"`]
  return [
    ` timeStamp="${timeStamp}" numberMatched="${numberMatched}" numberReturned="${numberReturned}"`,
    previous === undefined ? '' : ` previous="${escapeXml(previous)}"`,
    next === undefined ? '' : ` next="${escapeXml(next)}"`,
  ]
}

/** A document of GML. */
export function gmlFrame(
  element: CollectionElement,
  about: CollectionAbout,
  namespaces: MemberNamespaces,
): PageFrame {
  return {
    head: Buffer.from(collectionRoot(element, about, namespaces)),
    tailOf: () => Buffer.from(`</${element}>\n`),
  }
}

/** A document that its features are all of. */
export const plainFrame: PageFrame = { head: Buffer.alloc(0), tailOf: () => Buffer.alloc(0) }

/** Returns the frame of a GeoJSON document, with GeoServer's additional members. */
export function jsonFrame(
  crs: NamedCrs | undefined,
  aboutOf: (last: PagePart) => CollectionAbout,
): PageFrame {
  return {
    head: Buffer.from('{"type":"FeatureCollection","features":['),
    tailOf: (last) => {
      const { numberMatched, numberReturned, timeStamp, next, previous } = aboutOf(last)
      const link = (rel: string, href: string | undefined): object[] =>
        href === undefined ? [] : [{ title: `${rel} page`, type: 'application/json', rel, href }]
      const links = [...link('previous', previous), ...link('next', next)]
      const rest = JSON.stringify({
        totalFeatures: numberMatched,
        numberMatched,
        numberReturned,
        timeStamp,
        links: links.length === 0 ? undefined : links,
        crs: crs === undefined ? null : { type: 'name', properties: { name: jsonName(crs) } },
      })
      return Buffer.from(`],${rest.slice(1)}`)
    },
  }
}

function jsonName({ srs, name }: NamedCrs): string {
  return name.startsWith('urn:') ? name : `urn:ogc:def:crs:${srs.replace(':', '::')}`
}
