const text = { type: 'string' }
const query = { in: 'query', required: false }
const list = { style: 'form', explode: false }
const picture = { schema: { type: 'string', format: 'binary' } }

/** Parameters of maps (OGC 20-058). */
const parameters = [
  { $ref: '#/components/parameters/collectionId' },
  { $ref: '#/components/parameters/bbox' },
  { $ref: '#/components/parameters/bbox-crs' },
  { $ref: '#/components/parameters/datetime' },
  {
    name: 'crs',
    ...query,
    schema: { ...text, format: 'uri' },
    description: 'CRS of the picture: that of the layer where none is named, CRS84, EPSG:4326, EPSG:3857',
  },
  { name: 'width', ...query, schema: { type: 'integer', minimum: 1 }, description: 'Pixels' },
  { name: 'height', ...query, schema: { type: 'integer', minimum: 1 }, description: 'Pixels' },
  {
    name: 'transparent',
    ...query,
    ...list,
    schema: { type: 'boolean', default: true },
    description: 'Whether there is nothing below the data; `false` where a bgcolor is given',
  },
  {
    name: 'bgcolor',
    ...query,
    ...list,
    schema: { ...text, default: '0xFFFFFF' },
    description: 'What is below the data: hexadecimal, or a name',
  },
  {
    name: 'f',
    ...query,
    ...list,
    schema: { ...text, enum: ['png', 'webp', 'jpeg'] },
    description: 'Format; `Accept` where it is absent',
  },
]
const style = {
  name: 'styleId',
  in: 'path',
  required: true,
  schema: text,
  description: 'A style of the layer',
}

function toOperation(operationId: string, summary: string, ofPath: readonly object[]): object {
  const failure = {
    description: 'What is wrong (RFC 9457)',
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/exception' } } },
  }
  return {
    get: {
      operationId,
      summary,
      tags: ['maps'],
      parameters: [...ofPath, ...parameters],
      responses: {
        200: {
          description: 'A picture',
          headers: {
            'Content-Crs': { schema: text, description: 'CRS of the picture; CRS84 where it is absent' },
            'Content-Bbox': { schema: text, description: 'What the picture shows' },
            'Content-Datetime': { schema: text, description: 'When, of a mosaic' },
          },
          content: { 'image/png': picture, 'image/webp': picture, 'image/jpeg': picture },
        },
        400: failure,
        401: failure,
        404: failure,
        406: failure,
        500: failure,
        503: failure,
      },
    },
  }
}

/**
 * Suffixes of operation ids identify operations for clients (OGC 20-058, /req/api-operations/operation-id).
 */
export const mapPaths: Record<string, object> = {
  '/collections/{collectionId}/map': toOperation(
    'terrane.collection.getMap',
    'A picture of a coverage or mosaic',
    [],
  ),
  '/collections/{collectionId}/styles/{styleId}/map': toOperation(
    'terrane.collection.style.getMap',
    'A picture of a coverage or mosaic by one of its styles',
    [style],
  ),
}
