const text = { type: 'string' }
const json = 'application/json'
const failure = {
  description: 'Problem document (RFC 9457)',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/exception' } } },
}
const failures = { 400: failure, 401: failure, 403: failure, 404: failure, 500: failure }
const style = {
  name: 'styleId',
  in: 'path',
  required: true,
  schema: text,
  description: 'Name of a global style, or `<workspace>:<name>`',
}
const sheets = [
  'application/vnd.mapbox.style+json',
  'application/vnd.ogc.sld+xml',
  'application/vnd.qgis.qml+xml',
]
const documents = Object.fromEntries(
  sheets.map((type) => [type, { schema: { type: type.endsWith('json') ? 'object' : 'string' } }]),
)
const page = {
  limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
  offset: { type: 'integer', minimum: 0, default: 0 },
}

function formatParameter(names: readonly string[]): object {
  const schema = { ...text, enum: names }
  return {
    name: 'f',
    in: 'query',
    required: false,
    schema,
    description: 'Format of the response; takes precedence over `Accept`',
  }
}

function read(operationId: string, summary: string, parameters: readonly object[], content?: object): object {
  const formats = content === undefined ? ['json', 'html'] : ['mapbox', 'sld10', 'sld11', 'qml', 'html']
  const response = content ?? { [json]: { schema: { type: 'object' } }, 'text/html': { schema: text } }
  return {
    operationId,
    summary,
    tags: ['styles'],
    parameters: [...parameters, formatParameter(formats)],
    responses: { 200: { description: summary, content: response }, ...failures, 406: failure },
  }
}

function write(
  operationId: string,
  summary: string,
  parameters: readonly object[],
  responses: object,
): object {
  return {
    operationId,
    summary,
    tags: ['styles'],
    parameters,
    requestBody: operationId === 'deleteStyle' ? undefined : { required: true, content: documents },
    responses: { ...responses, ...failures, 409: failure },
  }
}

function queryParameter(name: string, schema: object, description: string): object {
  return { name, in: 'query', required: false, schema, description }
}

/** Paths of the draft of OGC API Styles (OGC 20-009). */
export const stylePaths: Record<string, object> = {
  '/styles': {
    get: read('getStyles', 'Styles', [
      queryParameter('limit', page.limit, 'Styles per page'),
      queryParameter('offset', page.offset, 'Styles to skip'),
    ]),
    post: write(
      'addStyle',
      'Create a style',
      [queryParameter('id', text, 'Id of the new style: `<name>`, or `<workspace>:<name>`')],
      { 201: { description: 'The style was created', headers: { Location: { schema: text } } } },
    ),
  },
  '/styles/{styleId}': {
    get: read('getStyle', 'A style in one of its encodings', [style], {
      ...documents,
      'text/html': { schema: text },
    }),
    put: write('updateStyle', 'Replace a style, or create it', [style], {
      201: { description: 'The style was created' },
      204: { description: 'The style was replaced' },
    }),
    delete: write(
      'deleteStyle',
      'Delete a style',
      [
        style,
        queryParameter(
          'recurse',
          { type: 'boolean', default: false },
          'True to draw its layers by default styles',
        ),
      ],
      { 204: { description: 'The style was deleted' } },
    ),
  },
  '/styles/{styleId}/metadata': { get: read('getStyleMetadata', 'Metadata of a style', [style]) },
  '/collections/{collectionId}/styles': {
    get: read('getCollectionStyles', 'Styles of a layer', [{ $ref: '#/components/parameters/collectionId' }]),
  },
}
