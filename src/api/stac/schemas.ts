import { Type } from 'typebox'
import { media } from '../description.ts'
import { defaultItems, maxItems, maxNamed } from './search-request.ts'
import { geoJson } from './stac-links.ts'

/** Shapes of STAC 1.0.0 (catalog, collection and item specification) and of STAC API 1.0.0. */

const Link = Type.Object({
  rel: Type.String(),
  href: Type.String(),
  type: Type.Optional(Type.String()),
  title: Type.Optional(Type.String()),
  method: Type.Optional(Type.String({ description: '`POST` for the next page of a search by POST' })),
  body: Type.Optional(Type.Object({}, { additionalProperties: true })),
})
const links = Type.Array(Link)
const version = Type.Literal('1.0.0')
const extensions = Type.Optional(Type.Array(Type.String()))
const numbers = Type.Array(Type.Number())
const Bbox = Type.Array(Type.Number(), { minItems: 4, maxItems: 4 })

const Asset = Type.Object({
  href: Type.String(),
  type: Type.Optional(Type.String()),
  title: Type.Optional(Type.String()),
  roles: Type.Array(Type.String()),
  'file:size': Type.Optional(Type.Integer({ description: 'Bytes' })),
})
const assets = Type.Record(Type.String(), Asset)

export const StacCatalog = Type.Object({
  type: Type.Literal('Catalog'),
  stac_version: version,
  id: Type.String(),
  title: Type.String(),
  description: Type.String(),
  conformsTo: Type.Array(Type.String()),
  links,
})

const Provider = Type.Object({
  name: Type.String(),
  url: Type.Optional(Type.String()),
  roles: Type.Array(Type.String()),
})

export const StacCollection = Type.Object(
  {
    type: Type.Literal('Collection'),
    stac_version: version,
    stac_extensions: extensions,
    id: Type.String({ description: 'Workspace and layer, such as `city:heights`' }),
    title: Type.String(),
    description: Type.String(),
    keywords: Type.Optional(Type.Array(Type.String())),
    license: Type.String({ description: 'By the list of SPDX, or `proprietary`' }),
    providers: Type.Optional(Type.Array(Provider)),
    extent: Type.Object({
      spatial: Type.Object({ bbox: Type.Array(Bbox) }),
      temporal: Type.Object({ interval: Type.Array(Type.Array(Type.String())) }),
    }),
    summaries: Type.Object({ 'proj:epsg': Type.Array(Type.Union([Type.Integer(), Type.Null()])) }),
    assets,
    links,
  },
  { title: 'StacCollection' },
)

export const StacCollections = Type.Object({ collections: Type.Array(StacCollection), links })

const StacItem = Type.Object(
  {
    type: Type.Literal('Feature'),
    stac_version: version,
    stac_extensions: extensions,
    id: Type.String({ description: 'The layer, and of a mosaic the granule: `city:heights.3`' }),
    collection: Type.String(),
    geometry: Type.Union([
      Type.Object(
        { type: Type.Union([Type.Literal('Polygon'), Type.Literal('MultiPolygon')]) },
        { additionalProperties: true, description: 'Two polygons across the antimeridian' },
      ),
      Type.Null(),
    ]),
    bbox: Type.Optional(Bbox),
    properties: Type.Object({
      title: Type.String(),
      description: Type.Optional(Type.String()),
      datetime: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
      start_datetime: Type.Optional(Type.String({ format: 'date-time' })),
      end_datetime: Type.Optional(Type.String({ format: 'date-time' })),
      created: Type.String({ format: 'date-time' }),
      updated: Type.String({ format: 'date-time' }),
      license: Type.Optional(Type.String()),
      'proj:epsg': Type.Union([Type.Integer(), Type.Null()]),
      'proj:shape': Type.Optional(numbers),
      'proj:transform': Type.Optional(numbers),
      'proj:bbox': Type.Optional(numbers),
    }),
    links,
    assets,
  },
  { title: 'StacItem' },
)

export const ItemAnswer = media('An item', { [geoJson]: StacItem })
export const ItemsAnswer = media('A page of items', {
  [geoJson]: Type.Object({
    type: Type.Literal('FeatureCollection'),
    features: Type.Array(StacItem),
    numberMatched: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Absent for searches in many layers' }),
    ),
    numberReturned: Type.Integer({ minimum: 0 }),
    timeStamp: Type.String({ format: 'date-time' }),
    links,
  }),
})
export const OpenApiAnswer = media('An OpenAPI document', {
  'application/vnd.oai.openapi+json': Type.Object({}, { additionalProperties: true }),
})

const text = (description: string) => Type.Optional(Type.String({ description, maxLength: 100_000 }))
const token = text('Start of the page, from the link `next`')
const bbox = text('west,south,east,north in degrees; across the antimeridian west is the larger')
const datetime = text('A date, a time, or an interval with "/", open ends as ".."')
const limit = text(`Items per page: default ${defaultItems}, at most ${maxItems}; larger values are reduced`)

/** Parameters are validated as text, so that errors use the terms of the specification. */
export const ItemsQuery = Type.Object({ bbox, datetime, limit, token })
export const SearchQuery = Type.Object({
  bbox,
  datetime,
  limit,
  token,
  intersects: text('A GeoJSON geometry in degrees that items intersect; not together with bbox'),
  collections: text(`Collections separated by commas, at most ${maxNamed}`),
  ids: text(`Ids of items separated by commas, at most ${maxNamed}`),
})
export const CollectionsQuery = Type.Object({
  limit: text(`Collections per page: default ${defaultItems}, at most ${maxItems}`),
  token,
})

const names = (what: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 1000 }), { description: what, maxItems: maxNamed }))

export const SearchBodySchema = Type.Object(
  {
    bbox: Type.Optional(
      Type.Array(Type.Number(), { minItems: 4, maxItems: 6, description: 'Four or six numbers in degrees' }),
    ),
    datetime,
    collections: names('Collections to search'),
    ids: names('Ids of items'),
    intersects: Type.Optional(
      Type.Object(
        { type: Type.String() },
        { additionalProperties: true, description: 'A GeoJSON geometry in degrees' },
      ),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: `Items per page, at most ${maxItems}` })),
    token,
  },
  { description: 'The parameters of a search' },
)

const collectionId = Type.String({ description: 'Workspace and layer, such as `city:heights`' })
export const StacCollectionParams = Type.Object({ collectionId })
export const StacItemParams = Type.Object({
  collectionId,
  itemId: Type.String({ description: 'The layer, and of a mosaic the granule: `city:heights.3`' }),
})
