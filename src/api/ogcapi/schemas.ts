import { Type } from 'typebox'
import { fileMediaTypes } from '../../stores/index.ts'
import { Bytes, media } from '../description.ts'
import { filterLanguageNames } from '../filter-query.ts'
import { defaultLimit, maxLimit } from './items-query.ts'

/** Shapes of OGC API Features (OGC 17-069r4, annex B and section 7; 18-058r1, section 6). */

const Link = Type.Object({
  href: Type.String(),
  rel: Type.String(),
  type: Type.Optional(Type.String()),
  title: Type.Optional(Type.String()),
  length: Type.Optional(Type.Integer({ description: 'Bytes' })),
})
const links = Type.Array(Link)

export const LandingPage = Type.Object({ title: Type.String(), description: Type.String(), links })
export const ConfClasses = Type.Object({ conformsTo: Type.Array(Type.String()) })

const Extent = Type.Object({
  spatial: Type.Optional(
    Type.Object({
      bbox: Type.Array(Type.Array(Type.Number(), { minItems: 4, maxItems: 4 })),
      crs: Type.String(),
    }),
  ),
  temporal: Type.Optional(
    Type.Object({
      interval: Type.Array(Type.Array(Type.String(), { minItems: 2, maxItems: 2 })),
      trs: Type.String(),
      grid: Type.Optional(Type.Object({ cellsCount: Type.Integer() }, { description: 'Of a mosaic' })),
      values: Type.Optional(
        Type.Array(Type.String(), {
          description: 'All times of a mosaic, unless there are too many; not in lists of collections',
        }),
      ),
    }),
  ),
})

const Band = Type.Object({
  name: Type.String(),
  type: Type.String(),
  noData: Type.Optional(
    Type.Union([Type.Number(), Type.String()], {
      description: 'A number, or "NaN", "Infinity" or "-Infinity"',
    }),
  ),
  color: Type.Optional(Type.String()),
})
const Size = Type.Object({ width: Type.Integer(), height: Type.Integer() })

/** Schema of a raster collection's cells. */
const cells = {
  size: Type.Optional(Size),
  resolution: Type.Optional(Type.Object({ x: Type.Number(), y: Type.Number() })),
  geoTransform: Type.Optional(Type.Array(Type.Number(), { minItems: 6, maxItems: 6 })),
  bands: Type.Optional(Type.Array(Band)),
  overviews: Type.Optional(Type.Array(Size)),
  granuleCount: Type.Optional(Type.Integer({ description: 'Of a mosaic' })),
}

export const Collection = Type.Object({
  id: Type.String({ description: 'Workspace and layer, such as `city:trees`' }),
  title: Type.String(),
  description: Type.Optional(Type.String()),
  itemType: Type.Union([Type.Literal('feature'), Type.Literal('coverage')]),
  extent: Extent,
  crs: Type.Optional(Type.Array(Type.String())),
  storageCrs: Type.Optional(Type.String()),
  ...cells,
  links,
})

export const CollectionsQuery = Type.Object({
  offset: Type.Optional(
    Type.String({ description: 'HTML only: offset of the first layer. Other formats contain all layers' }),
  ),
})

export const Collections = Type.Object({
  links,
  description: Type.Optional(Type.String()),
  crs: Type.Array(Type.String()),
  collections: Type.Array(Collection),
})

const Property = Type.Object({
  title: Type.Optional(Type.String()),
  maxLength: Type.Optional(Type.Integer()),
  type: Type.Optional(Type.String()),
  format: Type.Optional(Type.String()),
  contentEncoding: Type.Optional(Type.String()),
  'x-ogc-propertySeq': Type.Optional(Type.Integer()),
  'x-ogc-role': Type.Optional(Type.String()),
  const: Type.Optional(Type.String()),
  enum: Type.Optional(
    Type.Array(Type.Union([Type.String(), Type.Number()]), {
      description: 'Queryables only: all values, if there are few',
    }),
  ),
  minimum: Type.Optional(Type.Number({ description: 'Queryables only: the minimum value' })),
  maximum: Type.Optional(Type.Number()),
  formatMinimum: Type.Optional(Type.String({ description: 'Queryables only: the first date or time' })),
  formatMaximum: Type.Optional(Type.String()),
  anyOf: Type.Optional(Type.Array(Type.Unknown())),
  properties: Type.Optional(Type.Unknown()),
  additionalProperties: Type.Optional(Type.Boolean()),
})

export const SchemaAnswer = media('JSON Schema of the features (OGC API Features part 5)', {
  'application/schema+json': Type.Object(
    { title: Type.String(), type: Type.Literal('object'), properties: Type.Record(Type.String(), Property) },
    // As properties of a description these would be read as its own.
    {
      additionalProperties: Type.Unknown(),
      description: 'With `$schema` and `$id`, which are URIs, `additionalProperties` and `required`',
    },
  ),
})

const Geometry = Type.Object(
  {
    type: Type.Union(
      [
        'Point',
        'MultiPoint',
        'LineString',
        'MultiLineString',
        'Polygon',
        'MultiPolygon',
        'GeometryCollection',
      ].map((type) => Type.Literal(type)),
    ),
  },
  { additionalProperties: true, description: 'GeoJSON (RFC 7946, section 3.1)' },
)

const feature = {
  type: Type.Literal('Feature'),
  id: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
  geometry: Type.Union([Geometry, Type.Null()]),
  properties: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
}
export const Feature = Type.Object(
  { ...feature, links: Type.Optional(links) },
  { description: 'GeoJSON (RFC 7946, section 3.2)' },
)

/** Changes of a feature. */
export const FeaturePatch = Type.Object(
  {
    type: Type.Optional(feature.type),
    id: feature.id,
    geometry: Type.Optional(feature.geometry),
    properties: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { description: 'JSON Merge Patch (RFC 7396) of a feature: null empties a property' },
)

export const FeatureAnswer = media('One feature', { 'application/geo+json': Feature })
export const FeaturesAnswer = media('A page of features', {
  'application/geo+json': Type.Object({
    type: Type.Literal('FeatureCollection'),
    features: Type.Array(Feature),
    numberMatched: Type.Integer({ minimum: 0 }),
    numberReturned: Type.Integer({ minimum: 0 }),
    timeStamp: Type.String({ format: 'date-time' }),
    links,
  }),
})

/** A raster file, or a range of it. */
export const FileAnswer = media(
  'The file, or a range of it',
  Object.fromEntries(fileMediaTypes.map((type) => [type, Bytes])),
)

/** A coverage as GeoTIFF, or a range of it. */
export const CoverageAnswer = media('The coverage, or a range of it', { 'image/tiff': Bytes })

const bbox = Type.Optional(
  Type.String({ description: 'minx,miny,maxx,maxy; across the antimeridian minx is the larger' }),
)
const datetime = Type.Optional(
  Type.String({ description: 'A date, a time, or an interval with "/", open ends as ".."' }),
)
const crs = Type.Optional(
  Type.String({ description: 'URI of the CRS of the answer, one that the collection lists' }),
)
const bboxCrs = Type.Optional(Type.String({ description: 'URI of the CRS of bbox; default CRS84' }))

const version = Type.Optional(
  Type.String({ description: 'Version of the layer; only for users who are logged in' }),
)

const filters = {
  filter: Type.Optional(Type.String({ description: 'Filter in the language of `filter-lang`' })),
  'filter-lang': Type.Optional(
    Type.String({ description: `Language of the filter: ${filterLanguageNames}` }),
  ),
  'filter-crs': Type.Optional(
    Type.String({ description: 'URI of the CRS of geometries in the filter; default CRS84' }),
  ),
}

const naming = {
  sortby: Type.Optional(
    Type.String({ description: 'Properties to sort by; `-` before a name sorts in descending order' }),
  ),
  properties: Type.Optional(Type.String({ description: 'Included properties, separated by commas' })),
  'exclude-properties': Type.Optional(
    Type.String({ description: 'Excluded properties, separated by commas' }),
  ),
  position: Type.Optional(
    Type.String({ description: 'Start of the page, from the links `next` and `prev`' }),
  ),
}

/** Parameters are validated as text, so that errors use the terms of the standard. */
export const ItemsQuery = Type.Object({
  limit: Type.Optional(
    Type.String({ description: `Features per page: default ${defaultLimit}, maximum ${maxLimit}` }),
  ),
  offset: Type.Optional(Type.String({ description: 'Features to skip' })),
  bbox,
  'bbox-crs': bboxCrs,
  datetime,
  crs,
  version,
  ...filters,
  ...naming,
})
/** The same with the types that are meant. */
export const DocumentedItemsQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: defaultLimit,
      description: `Features per page; larger values are reduced to ${maxLimit}`,
    }),
  ),
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: 'Features to skip' })),
  bbox,
  'bbox-crs': bboxCrs,
  datetime,
  crs,
  version,
  ...filters,
  ...naming,
})
/** By what a part of a layer is chosen, at whatever time. */
export const selection = { bbox, 'bbox-crs': bboxCrs, ...filters, version }
export const ItemQuery = Type.Object({ crs, version })
export const SchemaQuery = Type.Object({
  type: Type.Optional(
    Type.Union([Type.Literal('create'), Type.Literal('replace'), Type.Literal('update')], {
      description:
        'Operation for which the feature is sent: the response is the schema of the expected GeoJSON',
    }),
  ),
})

const collectionId = Type.String({ description: 'Workspace and layer, such as `city:trees`' })
const featureId = Type.String({ description: 'Id of a feature' })
const fileName = Type.String({ description: 'Name of a file' })
export const CollectionParams = Type.Object({ collectionId })
export const CollectionFileParams = Type.Object({ collectionId, fileName })
export const ItemParams = Type.Object({ collectionId, featureId })
export const GranuleFileParams = Type.Object({ collectionId, featureId, fileName })
