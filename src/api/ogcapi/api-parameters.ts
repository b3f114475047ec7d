import { filterLanguages } from '../../filters/filter-languages.ts'
import { crs84Uri } from '../crs-uris.ts'
import { editParameters } from './api-edits.ts'
import { defaultLimit, maxLimit } from './items-query.ts'

export const query = { in: 'query', required: false }
const text = { type: 'string' }
const uri = { type: 'string', format: 'uri' }
const list = { style: 'form', explode: false }

/** Names that clients expect: QGIS reads its page size from `limit`. */
export const parameters = {
  ...editParameters,
  collectionId: {
    name: 'collectionId',
    in: 'path',
    required: true,
    schema: text,
    description: 'Workspace and layer, such as `city:trees`',
  },
  collections: {
    name: 'collections',
    ...query,
    ...list,
    description: 'Collections of features, at most 20; default all, if these are at most 20',
    schema: { type: 'array', items: text, maxItems: 20 },
  },
  featureId: { name: 'featureId', in: 'path', required: true, schema: text, description: 'Id of a feature' },
  fileName: { name: 'fileName', in: 'path', required: true, schema: text, description: 'Name of a file' },
  limit: {
    name: 'limit',
    ...query,
    ...list,
    description: 'Features per page',
    schema: { type: 'integer', minimum: 1, maximum: maxLimit, default: defaultLimit },
  },
  // No style and no list: clients would take it for an attribute to filter by.
  offset: {
    name: 'offset',
    ...query,
    description: 'Features to skip',
    schema: { type: 'integer', minimum: 0, default: 0 },
  },
  bbox: {
    name: 'bbox',
    ...query,
    ...list,
    description: 'Four or six numbers; across the antimeridian the first is the larger',
    schema: { type: 'array', minItems: 4, maxItems: 6, items: { type: 'number' } },
  },
  'bbox-crs': {
    name: 'bbox-crs',
    ...query,
    ...list,
    description: 'CRS of bbox',
    schema: { ...uri, default: crs84Uri },
  },
  datetime: {
    name: 'datetime',
    ...query,
    ...list,
    description:
      'A date, a time, or an interval with `/`, open ends as `..`; one end may be a duration such as `P2D`',
    schema: text,
  },
  filter: { name: 'filter', ...query, description: 'Filter in the language of `filter-lang`', schema: text },
  'filter-lang': {
    name: 'filter-lang',
    ...query,
    description: 'Language of the filter',
    schema: {
      type: 'string',
      enum: filterLanguages.map(({ name }) => name),
      default: filterLanguages[0].name,
    },
  },
  'filter-crs': {
    name: 'filter-crs',
    ...query,
    description: 'CRS of geometries in the filter',
    schema: { ...uri, default: crs84Uri },
  },
  sortby: {
    name: 'sortby',
    ...query,
    description: 'Properties to sort by; `-` before a name sorts in descending order',
    explode: false,
    schema: { type: 'array', minItems: 1, items: { type: 'string' } },
  },
  properties: {
    name: 'properties',
    ...query,
    description: 'Properties of the features, including the geometry; default all',
    explode: false,
    schema: { type: 'array', minItems: 1, items: { type: 'string' } },
  },
  'exclude-properties': {
    name: 'exclude-properties',
    ...query,
    description: 'Excluded properties',
    explode: false,
    schema: { type: 'array', minItems: 1, items: { type: 'string' } },
  },
  position: {
    name: 'position',
    ...query,
    description: 'Start of the page, from the links `next` and `prev`',
    schema: text,
  },
  tileMatrixSetId: {
    name: 'tileMatrixSetId',
    in: 'path',
    required: true,
    description: 'Id of a tile matrix set',
    schema: { type: 'string', enum: ['WebMercatorQuad', 'WorldCRS84Quad'] },
  },
  tileMatrix: {
    name: 'tileMatrix',
    in: 'path',
    required: true,
    schema: text,
    description: 'Id of a tile matrix of the set, which is its zoom: `0` to `22`',
  },
  tileRow: {
    name: 'tileRow',
    in: 'path',
    required: true,
    schema: { type: 'integer', minimum: 0 },
    description: 'Row of the tile, from the north',
  },
  tileCol: {
    name: 'tileCol',
    in: 'path',
    required: true,
    schema: { type: 'integer', minimum: 0 },
    description: 'Column of the tile, from the west',
  },
  sentFor: {
    name: 'type',
    ...query,
    description: 'Operation for which the schema of a feature is requested',
    schema: { type: 'string', enum: ['create', 'replace', 'update'] },
  },
  crs: {
    name: 'crs',
    ...query,
    ...list,
    description: 'CRS of the answer, one that the collection lists',
    schema: { ...uri, default: crs84Uri },
  },
}

export type ParameterName = keyof typeof parameters
