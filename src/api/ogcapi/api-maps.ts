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
    description:
      'CRS of the image: CRS84, EPSG:4326, EPSG:3857 or the CRS of the layer, which is the default',
  },
  { name: 'width', ...query, schema: { type: 'integer', minimum: 1 }, description: 'Pixels' },
  { name: 'height', ...query, schema: { type: 'integer', minimum: 1 }, description: 'Pixels' },
  {
    name: 'transparent',
    ...query,
    ...list,
    schema: { type: 'boolean', default: true },
    description: 'True for a transparent background; default `false` if bgcolor is given',
  },
  {
    name: 'bgcolor',
    ...query,
    ...list,
    schema: { ...text, default: '0xFFFFFF' },
    description: 'Background colour: hexadecimal, or a name',
  },
  {
    name: 'f',
    ...query,
    ...list,
    schema: { ...text, enum: ['png', 'webp', 'jpeg'] },
    description: 'Format; default by `Accept`',
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
    description: 'Problem document (RFC 9457)',
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
            'Content-Crs': { schema: text, description: 'CRS of the image; default CRS84' },
            'Content-Bbox': { schema: text, description: 'Area of the image' },
            'Content-Datetime': { schema: text, description: 'Times of a mosaic' },
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
