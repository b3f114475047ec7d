import type { Static } from 'typebox'
import { Type } from 'typebox'
import { invalid } from '../../../core/errors/errors.ts'
import type { GeneratedFile } from '../../../core/jobs/files/generated-file.ts'
import { fileStates } from '../../../core/jobs/files/generated-file.ts'
import { ownValue } from '../../../core/values/record-keys.ts'
import {
  type DownloadRecord,
  type ExportRequest,
  exportFormats,
  formatsOfFiles,
} from '../../../render/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { Bytes } from '../../description.ts'

const deepest = 22
const usualZoom = 14
const Zoom = Type.Integer({ minimum: 0, maximum: deepest })

/** Body of an export request. */
export const ExportBody = Type.Object({
  export: Type.Object({
    format: Type.Enum([...exportFormats]),
    version: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Version of the layer; default the current one' }),
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
      state: Type.Enum([...fileStates]),
      progress: Type.Integer({ description: 'Number of tiles checked, or of rows read' }),
      total: Type.Integer({ description: 'Completed amount; never decreases' }),
      sizeBytes: Type.Optional(Type.Integer()),
      href: Type.Optional(Type.String({ description: 'URL of the file when it is complete' })),
      expires: Type.String(),
      layer: Type.String(),
      version: Type.Optional(Type.Integer({ description: 'Only if it is not the current one' })),
      format: Type.String(),
      srs: Type.Optional(Type.String({ description: 'Unit of the coordinates of the file' })),
      losses: Type.Optional(
        Type.Array(Type.String(), { description: 'Differences between the file and the layer' }),
      ),
      attribution: Type.Optional(Type.String()),
      licence: Type.Optional(Type.String()),
      contact: Type.Optional(Type.String()),
      owner: Type.Optional(Type.String()),
      citation: Type.Optional(Type.String()),
      doi: Type.Optional(Type.String()),
      message: Type.Optional(Type.String({ description: 'Reason why there is no file' })),
    }),
  },
  { title: 'Download' },
)

/** Media types of feature files, for descriptions of responses. */
export const fileBodies = Object.fromEntries(
  Object.values(formatsOfFiles).map(({ mediaType }) => {
    const [type = ''] = mediaType.split(';')
    return [type, /json/.test(type) ? Type.Unknown() : Bytes]
  }),
)

/** A file record, with the additional fields of feature files. */
export type AnyDownload = GeneratedFile &
  Pick<
    DownloadRecord,
    'srs' | 'losses' | 'attribution' | 'licence' | 'contact' | 'owner' | 'citation' | 'doi'
  >

export function downloadPath({ id }: Pick<GeneratedFile, 'id'>): string {
  return `/rest/downloads/${id}`
}

/** The name that a client is to save the file under. */
export function fileNameOf({ workspace, layer, version, format }: GeneratedFile): string {
  const extension = ownValue(formatsOfFiles, format)?.extension ?? format
  return `${workspace}-${layer}${version === undefined ? '' : `-v${version}`}.${extension}`
}

/** The value of `Content-Disposition` (RFC 6266, RFC 8187). */
export function dispositionOf(record: GeneratedFile): string {
  const name = fileNameOf(record)
  const plain = name.replaceAll(/[^\w.-]/g, '_')
  const whole = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`
}

export function readExportBody({ export: requested }: Static<typeof ExportBody>): ExportRequest {
  const { format, minZoom = 0, maxZoom = Math.max(minZoom, usualZoom), bbox, version } = requested
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

export function toDownloadResponse(
  request: FastifyRequest,
  record: AnyDownload,
): Static<typeof DownloadReply> {
  const { id, state, progress, total, sizeBytes, expiresAt, workspace, layer, format } = record
  const { version, srs, losses, attribution, licence, contact, owner, citation, doi, message } = record
  const href = state === 'COMPLETE' ? request.link(`${downloadPath(record)}/file`) : undefined
  return {
    download: {
      id,
      state,
      progress,
      total,
      sizeBytes,
      href,
      expires: expiresAt,
      layer: `${workspace}:${layer}`,
      format,
      version,
      srs,
      losses,
      attribution,
      licence,
      contact,
      owner,
      citation,
      doi,
      message,
    },
  }
}
