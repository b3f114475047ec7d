const text = { type: 'string' }
const uri = { type: 'string', format: 'uri' }

const link = {
  type: 'object',
  required: ['href'],
  properties: {
    href: text,
    rel: text,
    type: text,
    title: text,
    length: { type: 'integer' },
    templated: { type: 'boolean' },
  },
}
const links = { type: 'array', items: { $ref: '#/components/schemas/link' } }
const feature = {
  type: 'object',
  required: ['type', 'geometry', 'properties'],
  properties: {
    type: { type: 'string', enum: ['Feature'] },
    id: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    geometry: { type: 'object', nullable: true },
    properties: { type: 'object', nullable: true },
    links,
  },
}
/** Response schemas below `/ogc`, in OpenAPI 3.0. */
export const schemas = {
  link,
  functions: {
    type: 'object',
    required: ['functions'],
    properties: { functions: { type: 'array', items: { type: 'object', required: ['name', 'returns'] } } },
  },
  landingPage: { type: 'object', required: ['links'], properties: { title: text, description: text, links } },
  confClasses: {
    type: 'object',
    required: ['conformsTo'],
    properties: { conformsTo: { type: 'array', items: text } },
  },
  collection: {
    type: 'object',
    required: ['id', 'links'],
    properties: {
      id: text,
      title: text,
      description: text,
      itemType: text,
      extent: { type: 'object' },
      links,
      crs: { type: 'array', items: text },
      storageCrs: text,
    },
  },
  collections: {
    type: 'object',
    required: ['links', 'collections'],
    properties: {
      links,
      description: text,
      crs: { type: 'array', items: text },
      collections: { type: 'array', items: { $ref: '#/components/schemas/collection' } },
    },
  },
  featureGeoJSON: feature,
  featureCollectionGeoJSON: {
    type: 'object',
    required: ['type', 'features'],
    properties: {
      type: { type: 'string', enum: ['FeatureCollection'] },
      features: { type: 'array', items: { $ref: '#/components/schemas/featureGeoJSON' } },
      links,
      timeStamp: { type: 'string', format: 'date-time' },
      numberMatched: { type: 'integer', minimum: 0 },
      numberReturned: { type: 'integer', minimum: 0 },
    },
  },
  tileMatrixSets: {
    type: 'object',
    required: ['tileMatrixSets'],
    properties: {
      tileMatrixSets: {
        type: 'array',
        items: { type: 'object', properties: { id: text, title: text, uri, crs: text, links } },
      },
    },
  },
  tileMatrixSet: {
    type: 'object',
    required: ['id', 'crs', 'tileMatrices'],
    properties: {
      id: text,
      title: text,
      uri,
      crs: text,
      orderedAxes: { type: 'array', items: text },
      wellKnownScaleSet: uri,
      tileMatrices: { type: 'array', items: { type: 'object' } },
    },
  },
  tileSets: {
    type: 'object',
    required: ['tilesets'],
    properties: { links, tilesets: { type: 'array', items: { $ref: '#/components/schemas/tileSet' } } },
  },
  tileSet: {
    type: 'object',
    required: ['dataType', 'crs', 'links'],
    properties: {
      title: text,
      description: text,
      dataType: text,
      crs: text,
      tileMatrixSetURI: uri,
      links,
      version: text,
      attribution: text,
      license: text,
      pointOfContact: text,
      mediaTypes: { type: 'array', items: text },
      tileMatrixSetLimits: { type: 'array', items: { type: 'object' } },
      boundingBox: { type: 'object' },
      centerPoint: { type: 'object' },
      layers: { type: 'array', items: { type: 'object' } },
    },
  },
  exception: {
    type: 'object',
    required: ['code'],
    properties: {
      type: text,
      title: text,
      status: { type: 'integer' },
      detail: text,
      code: text,
      errors: { type: 'array', items: text },
    },
  },
}
