import { Type } from 'typebox'
import { Bytes, empty, media } from '../description.ts'
import { mvt } from '../tiles/send-tile.ts'

const wms = {
  'image/png': Bytes,
  'image/jpeg': Bytes,
  'image/webp': Bytes,
  'image/gif': Bytes,
  'image/tiff': Bytes,
  'text/xml': Type.String(),
  'application/vnd.ogc.wms_xml': Type.String(),
  'text/plain': Type.String(),
  'text/html': Type.String(),
  'application/json': Type.Unknown(),
  'application/geo+json': Type.Unknown(),
  'application/vnd.ogc.gml': Type.String(),
  'application/gml+xml': Type.String(),
}
const wfs = {
  'application/xml': Type.String(),
  'text/xml': Type.String(),
  'application/gml+xml': Type.String(),
  'application/json': Type.Unknown(),
  'text/csv': Type.String(),
  'application/zip': Bytes,
}
const wcs = { 'application/xml': Type.String(), 'image/tiff': Bytes, 'image/png': Bytes, 'image/jpeg': Bytes }

const what = 'Requested options'

/** All services: SERVICE may name any of them at the address of another. */
export const serviceAnswers = {
  200: media(what, { ...wms, ...wfs, ...wcs, [mvt]: Bytes }),
  204: empty('No features are in the vector tile'),
}
