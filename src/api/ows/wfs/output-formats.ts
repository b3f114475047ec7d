import { OwsFailure } from '../ows-failure.ts'
import type { WfsVersion } from './wfs-version.ts'

/** In what features are written. */
type OutputName = 'gml32' | 'gml31' | 'gml21' | 'json' | 'csv' | 'shape-zip'

interface OutputFormat {
  name: OutputName
  mediaType: string
  /** Names in capabilities, the preferred one first. */
  listed: readonly string[]
  /** Further names that clients use. */
  others: readonly string[]
}

const gml32: OutputFormat = {
  name: 'gml32',
  mediaType: 'application/gml+xml; version=3.2',
  listed: ['application/gml+xml; version=3.2', 'text/xml; subtype=gml/3.2', 'gml32'],
  others: [
    'application/gml+xml; version=3.2.1',
    'text/xml; subtype=gml/3.2.1',
    'application/gml+xml',
    'gml3.2',
  ],
}
const gml31: OutputFormat = {
  name: 'gml31',
  mediaType: 'text/xml; subtype=gml/3.1.1',
  listed: ['text/xml; subtype=gml/3.1.1', 'GML3'],
  others: [
    'text/xml; subtype=gml/3.1',
    'application/gml+xml; version=3.1',
    'gml31',
    'text/gml; subtype=gml/3.1.1',
  ],
}
const gml21: OutputFormat = {
  name: 'gml21',
  mediaType: 'text/xml; subtype=gml/2.1.2',
  listed: ['GML2'],
  others: ['text/xml; subtype=gml/2.1.2', 'gml/2.1.2', 'gml21', 'XMLSCHEMA'],
}
const others: readonly OutputFormat[] = [
  {
    name: 'json',
    mediaType: 'application/json; charset=utf-8',
    listed: ['application/json', 'json'],
    others: ['application/geo+json', 'application/vnd.geo+json', 'geojson', 'text/json'],
  },
  {
    name: 'csv',
    mediaType: 'text/csv; charset=utf-8; header=present',
    listed: ['csv', 'text/csv'],
    others: ['text/csv; header=present'],
  },
  {
    name: 'shape-zip',
    mediaType: 'application/zip',
    listed: ['SHAPE-ZIP'],
    others: ['shapezip', 'shapefile', 'application/zip', 'application/x-shapefile'],
  },
]

/** Formats of a version; the first is the default. */
const offered: Record<WfsVersion, readonly OutputFormat[]> = {
  '2.0.0': [gml32, gml31, ...others],
  '1.1.0': [gml31, gml32, ...others],
  '1.0.0': [gml21, gml31, ...others],
}

/** The formats as capabilities name them. */
export function listedFormats(version: WfsVersion): string[] {
  return offered[version].flatMap(({ listed }) => listed)
}

/** An unescaped `+` in a URL was decoded as a space. */
function plainForm(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/^(application\/(?:gml|geo|vnd\.geo)) (?=xml|json)/, '$1+')
    .replace(/["\s]/g, '')
}

/** Returns the requested format; throws `OwsFailure` (`InvalidParameterValue`). */
export function readOutputFormat(text: string | undefined, version: WfsVersion): OutputFormat {
  const formats = offered[version]
  const [usual] = formats
  if (usual === undefined) throw new Error('A version that does not list formats')
  if (text === undefined || /^(?:text|application)\/xml$/i.test(text)) return usual
  const requested = plainForm(text)
  const found = formats.find(({ listed, others: aliases }) =>
    [...listed, ...aliases].some((one) => plainForm(one) === requested),
  )
  if (found !== undefined) return found
  throw new OwsFailure(
    'InvalidParameterValue',
    `OUTPUTFORMAT "${text.slice(0, 100)}" is not offered here: ask for one of ${listedFormats(version).join(', ')}`,
    'outputformat',
  )
}
