import { Type } from 'typebox'
import { media } from '../../description.ts'
import { defaultRecords, maxRecords } from './record-search.ts'

/** Shapes of OGC API Records (OGC 20-004r1, `recordGeoJSON.yaml` and `catalog.yaml`). */

const Link = Type.Object({
  rel: Type.String(),
  href: Type.String(),
  type: Type.Optional(Type.String()),
  title: Type.Optional(Type.String()),
  length: Type.Optional(Type.Integer({ description: 'Bytes' })),
})
const links = Type.Array(Link)
const bboxNumbers = Type.Array(Type.Number(), { minItems: 4, maxItems: 4 })
const Extent = Type.Object({
  spatial: Type.Optional(Type.Object({ bbox: Type.Array(bboxNumbers), crs: Type.String() })),
  temporal: Type.Optional(Type.Object({ interval: Type.Array(Type.Array(Type.String())) })),
})

const Contact = Type.Object({
  name: Type.Optional(Type.String()),
  organization: Type.Optional(Type.String()),
  emails: Type.Optional(Type.Array(Type.Object({ value: Type.String() }))),
  links: Type.Optional(links),
  roles: Type.Array(Type.String()),
})

const RecordShape = Type.Object(
  {
    id: Type.String({ description: 'Workspace and layer, such as `city:trees`' }),
    type: Type.Literal('Feature'),
    conformsTo: Type.Array(Type.String()),
    time: Type.Union([
      Type.Object({ interval: Type.Array(Type.String(), { minItems: 2, maxItems: 2 }) }),
      Type.Null(),
    ]),
    geometry: Type.Union([
      Type.Object(
        { type: Type.Union([Type.Literal('Polygon'), Type.Literal('MultiPolygon')]) },
        { additionalProperties: true, description: 'The box of the layer in degrees' },
      ),
      Type.Null(),
    ]),
    bbox: Type.Optional(bboxNumbers),
    extent: Extent,
    properties: Type.Object({
      type: Type.String(),
      title: Type.String(),
      created: Type.String({ format: 'date-time' }),
      updated: Type.String({ format: 'date-time' }),
      description: Type.Optional(Type.String()),
      keywords: Type.Optional(Type.Array(Type.String())),
      license: Type.Optional(Type.String({ description: 'By the list of SPDX, or `other` with a link' })),
      rights: Type.Optional(Type.String()),
      contacts: Type.Optional(Type.Array(Contact)),
      citation: Type.Optional(Type.String({ description: 'How to cite the data' })),
      externalIds: Type.Optional(
        Type.Array(Type.Object({ scheme: Type.String(), value: Type.String() }), {
          description: 'The DOI of the data',
        }),
      ),
      formats: Type.Array(Type.Object({ name: Type.String(), mediaType: Type.String() })),
    }),
    links,
  },
  { description: 'A layer as a record', title: 'LayerAsRecord' },
)

export const RecordAnswer = media('A record', { 'application/geo+json': RecordShape })
export const RecordsAnswer = media('A page of records', {
  'application/geo+json': Type.Object({
    type: Type.Literal('FeatureCollection'),
    features: Type.Array(RecordShape),
    numberMatched: Type.Integer({ minimum: 0 }),
    numberReturned: Type.Integer({ minimum: 0 }),
    timeStamp: Type.String({ format: 'date-time' }),
    links,
  }),
})

const catalogue = {
  id: Type.String(),
  type: Type.Literal('Collection'),
  itemType: Type.Literal('record'),
  title: Type.String(),
  description: Type.String(),
  updated: Type.Optional(Type.String({ format: 'date-time' })),
  conformsTo: Type.Array(Type.String()),
  extent: Extent,
  crs: Type.Array(Type.String()),
  defaultSortOrder: Type.Array(Type.Object({ field: Type.String(), direction: Type.String() })),
  links,
}
const CatalogueShape = Type.Object(catalogue, { title: 'CatalogueOfLayers' })
const type = 'application/ogc-catalog+json'
export const CatalogueAnswer = media('The collection of records', {
  [type]: CatalogueShape,
  'application/json': CatalogueShape,
})
export const CataloguesAnswer = Type.Object({
  description: Type.Optional(Type.String()),
  links,
  collections: Type.Array(CatalogueShape),
})
export const CatalogueLanding = Type.Object({ title: Type.String(), description: Type.String(), links })

export const SortablesAnswer = media('JSON Schema of what records can be ordered by', {
  'application/schema+json': Type.Object(
    {
      title: Type.String(),
      type: Type.Literal('object'),
      properties: Type.Record(Type.String(), Type.Object({}, { additionalProperties: true })),
    },
    { additionalProperties: Type.Unknown() },
  ),
})

const text = (description: string) => Type.Optional(Type.String({ description, maxLength: 4000 }))

/** Parameters are validated as text, so that errors use the terms of the standard. */
export const RecordsQuery = Type.Object({
  q: text(
    'Words to search in name, title, keywords, columns and abstract. Words separated by spaces must occur in this order; of terms separated by commas, one is enough',
  ),
  bbox: text('west,south,east,north in degrees; across the antimeridian west is the larger'),
  datetime: text('A date, a time, or an interval with "/", open ends as ".."'),
  type: text('Types separated by commas: all are `dataset`'),
  ids: text('Ids of records separated by commas'),
  externalIds: text('Identifiers that others have given; there are none'),
  workspace: text('Names of workspaces separated by commas'),
  sortby: text('`id`, `title`, `updated`, separated by commas; `-` sorts in descending order'),
  limit: text(`Records per page: default ${defaultRecords}, maximum ${maxRecords}`),
  offset: text('Records to skip'),
  after: text('Value from the link of the next page'),
})
export const RecordParams = Type.Object({
  recordId: Type.String({ description: 'Workspace and layer, such as `city:trees`' }),
})
export const OpenApiAnswer = media('An OpenAPI document', {
  'application/vnd.oai.openapi+json': Type.Object({}, { additionalProperties: true }),
})
