const text = { type: 'string' }
const header = { in: 'header', required: false, schema: text }

/** Headers of requests that change features. */
export const editParameters = {
  contentCrs: {
    name: 'Content-Crs',
    ...header,
    description: 'CRS of the coordinates that are sent, one that the collection lists; default CRS84',
  },
  ifMatch: {
    name: 'If-Match',
    ...header,
    description: '`ETag` of the feature; 412 if the feature was changed meanwhile',
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    ...header,
    description: 'The same request with the same key is carried out once within 24 hours',
  },
}

type EditParameter = keyof typeof editParameters

const featureSchema = { $ref: '#/components/schemas/featureGeoJSON' }
const failure = {
  description: 'Problem document (RFC 9457)',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/exception' } } },
}
const failures = { 400: failure, 401: failure, 403: failure, 404: failure, 405: failure, 409: failure }
const etag = { ETag: { description: 'The state of the feature', schema: text } }

interface Edit {
  id: string
  summary: string
  path: string[]
  headers: EditParameter[]
  /** Media types of what is sent, with their schemas. */
  body?: Record<string, object>
  answers: object
}

function toOperation({ id, summary, path, headers, body, answers }: Edit): object {
  const content =
    body && Object.fromEntries(Object.entries(body).map(([type, schema]) => [type, { schema }] as const))
  return {
    operationId: id,
    summary,
    tags: ['features'],
    parameters: [...path, ...headers].map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: content === undefined ? undefined : { required: true, content },
    responses: { ...answers, ...failures, 503: failure },
    security: [{ basic: [] }, { token: [] }],
  }
}

const collection = ['collectionId']
const feature = ['collectionId', 'featureId']
const sent = { 'application/geo+json': featureSchema, 'application/json': featureSchema }
const done = { 204: { description: 'Done', headers: etag } }
const conditional = { 412: failure, 415: failure }

const allowed = {
  200: {
    description: 'Rights of the caller',
    headers: { Allow: { description: 'The methods', schema: text } },
  },
}

/** Operations that change features (OGC 20-002), by path and method. */
export const editPaths: Record<string, Record<string, object>> = {
  '/collections/{collectionId}/items': {
    options: toOperation({
      id: 'describeFeatures',
      summary: 'List the methods allowed for the features of a layer',
      path: collection,
      headers: [],
      answers: allowed,
    }),
    post: toOperation({
      id: 'createFeature',
      summary: 'Add a feature',
      path: collection,
      body: sent,
      headers: ['contentCrs', 'idempotencyKey'],
      answers: {
        201: {
          description: 'The feature as it is now',
          headers: { ...etag, Location: { description: 'Where it is', schema: text } },
          content: { 'application/geo+json': { schema: featureSchema } },
        },
        415: failure,
      },
    }),
  },
  '/collections/{collectionId}/items/{featureId}': {
    options: toOperation({
      id: 'describeFeature',
      summary: 'List the methods allowed for a feature',
      path: feature,
      headers: [],
      answers: allowed,
    }),
    put: toOperation({
      id: 'replaceFeature',
      summary: 'Replace a feature',
      path: feature,
      body: sent,
      headers: ['contentCrs', 'ifMatch'],
      answers: { ...done, ...conditional },
    }),
    patch: toOperation({
      id: 'updateFeature',
      summary: 'Change some properties of a feature',
      path: feature,
      body: { 'application/merge-patch+json': { type: 'object' }, 'application/json': { type: 'object' } },
      headers: ['contentCrs', 'ifMatch'],
      answers: { ...done, ...conditional },
    }),
    delete: toOperation({
      id: 'deleteFeature',
      summary: 'Remove a feature',
      path: feature,
      headers: ['ifMatch'],
      answers: { 204: { description: 'Done' }, 412: failure },
    }),
  },
}
