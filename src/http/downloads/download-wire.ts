import type { Static } from 'typebox'
import { Type } from 'typebox'
import { invalid } from '../../lib/errors.ts'
import { exportFormats } from '../../maps/export/archive.ts'
import type { ExportRecord, ExportWish } from '../../maps/export/exports.ts'
import { exportStates } from '../../maps/export/exports.ts'
import type { FastifyRequest } from '../app-types.ts'

const deepest = 22
const usualZoom = 14
const Zoom = Type.Integer({ minimum: 0, maximum: deepest })

/** What an export is asked for with. */
export const ExportBody = Type.Object({
  export: Type.Object({
    format: Type.Enum([...exportFormats]),
    version: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'The tiles that the layer had at a version; default the present one',
      }),
    ),
    minZoom: Type.Optional(Zoom),
    maxZoom: Type.Optional(Zoom),
    bbox: Type.Optional(
      Type.Array(Type.Number(), {
        minItems: 4,
        maxItems: 4,
        description: 'West, south, east, north in degrees; west is greater than east across the antimeridian',
      }),
    ),
  }),
})

/** A file that is made, or was made. */
export const DownloadReply = Type.Object(
  {
    download: Type.Object({
      id: Type.String(),
      state: Type.Enum([...exportStates]),
      progress: Type.Integer({ description: 'Tiles that were looked at' }),
      total: Type.Integer({ description: 'Tiles that are known to be looked at; grows from zoom to zoom' }),
      sizeBytes: Type.Optional(Type.Integer()),
      href: Type.Optional(Type.String({ description: 'The file, once it is there' })),
      expires: Type.String(),
      layer: Type.String(),
      version: Type.Optional(Type.Integer({ description: 'Where it is not the present one' })),
      format: Type.String(),
      message: Type.Optional(Type.String({ description: 'Why there is no file' })),
    }),
  },
  { title: 'Download' },
)

export function downloadPath({ id }: Pick<ExportRecord, 'id'>): string {
  return `/rest/downloads/${id}`
}

/** The name that a client is to save the file under. */
export function fileNameOf({ workspace, layer, version, format }: ExportRecord): string {
  return `${workspace}-${layer}${version === undefined ? '' : `-v${version}`}.${format}`
}

export function fromWireExport({ export: wanted }: Static<typeof ExportBody>): ExportWish {
  const { format, minZoom = 0, maxZoom = Math.max(minZoom, usualZoom), bbox, version } = wanted
  const of = version === undefined ? {} : { version }
  if (minZoom > maxZoom) throw invalid('invalid-body', `minZoom ${minZoom} is deeper than maxZoom ${maxZoom}`)
  if (bbox === undefined) return { format, minZoom, maxZoom, ...of }
  const [west = 0, south = 0, east = 0, north = 0] = bbox
  const isBox =
    [west, east].every((one) => Math.abs(one) <= 180) && [south, north].every((one) => Math.abs(one) <= 90)
  if (!isBox || south > north)
    throw invalid('invalid-body', `bbox is west,south,east,north in degrees, found ${bbox.join(',')}`)
  return { format, minZoom, maxZoom, bbox: [west, south, east, north], ...of }
}

export function toWireDownload(request: FastifyRequest, record: ExportRecord): Static<typeof DownloadReply> {
  const { id, state, progress, total, sizeBytes, expiresAt, workspace, layer, version, format, message } =
    record
  return {
    download: {
      ...{ id, state, progress, total },
      ...(sizeBytes === undefined ? {} : { sizeBytes }),
      ...(state === 'COMPLETE' ? { href: request.link(`${downloadPath(record)}/file`) } : {}),
      ...{ expires: expiresAt, layer: `${workspace}:${layer}`, format },
      ...(version === undefined ? {} : { version }),
      ...(message === undefined ? {} : { message }),
    },
  }
}
