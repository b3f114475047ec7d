import type { TSchema } from 'typebox'
import { Type } from 'typebox'
import { writtenFormats } from '../../formats/writing/index.ts'
import { Bytes } from '../description.ts'
import { asHtml } from './as-html.ts'
import type { Representation } from './representations.ts'

const json: Representation = { name: 'json', mediaType: 'application/json', title: 'JSON' }

/** Documents about the interface and its collections. */
export const offeredDocuments: readonly Representation[] = [json, asHtml]

/** JSON Schema. */
const jsonSchema: Representation = {
  name: 'json',
  mediaType: 'application/schema+json',
  title: 'JSON Schema',
  aliases: ['jsonschema'],
  acceptedAs: ['application/json'],
}

/** By what features are found and ordered. */
export const offeredQueryables: readonly Representation[] = [jsonSchema, asHtml]

/** Schemas of features: JSON Schema, and an XML schema for GML. */
export const offeredSchemas: readonly Representation[] = [
  jsonSchema,
  { name: 'gml', mediaType: 'application/gml+xml', title: 'GML application schema', schema: Type.String() },
  asHtml,
]

/** The description of the interface. */
export const offeredDescriptions: readonly Representation[] = [
  {
    name: 'json',
    mediaType: 'application/vnd.oai.openapi+json;version=3.0',
    title: 'OpenAPI 3.0',
    acceptedAs: ['application/openapi+json', 'application/json'],
  },
  asHtml,
]

/** GeoJSON, as clients of every age ask for it. */
const geoJson: Representation = {
  name: 'geojson',
  mediaType: 'application/geo+json',
  title: 'GeoJSON',
  aliases: ['json'],
  acceptedAs: ['application/json', 'application/vnd.geo+json'],
}

function shapeOf(mediaType: string, isText: boolean): TSchema {
  if (/json$/.test(mediaType)) return Type.Object({}, { additionalProperties: true })
  return isText ? Type.String() : Bytes
}

/** Features of layers. */
export const offeredItems: readonly Representation[] = [
  geoJson,
  asHtml,
  ...Object.entries(writtenFormats).map(([name, { mediaType, title, isText, acceptedAs = [] }]) => ({
    acceptedAs,
    name,
    title,
    mediaType: mediaType.split(';', 1).join(),
    schema: shapeOf(mediaType, isText),
  })),
]

/** Granules of mosaics. */
export const offeredGranules: readonly Representation[] = [geoJson, asHtml]

/** Cells of coverages. */
export const offeredCoverages: readonly Representation[] = [
  {
    name: 'geotiff',
    mediaType: 'image/tiff; application=geotiff',
    title: 'GeoTIFF',
    aliases: ['tif', 'tiff'],
  },
  {
    name: 'cog',
    mediaType: 'image/tiff; application=geotiff; profile=cloud-optimized',
    title: 'Cloud-optimized GeoTIFF',
  },
]
