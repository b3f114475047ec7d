import type { Static } from 'typebox'
import { Type } from 'typebox'
import type { Catalog, LayerRecord } from '../../catalog/index.ts'
import { invalid } from '../../core/errors/errors.ts'
import {
  type DownloadFormat,
  type DownloadRequest,
  downloadFormats,
  formatsOfFiles,
} from '../../render/index.ts'
import { mosaicType } from '../../stores/index.ts'
import type { FastifyRequest } from '../app-types.ts'
import { parseCrsUri } from '../crs-uris.ts'
import { empty, media } from '../description.ts'
import { operation } from '../endpoint.ts'
import { readFilterQuery } from '../filter-query.ts'
import {
  DownloadReply,
  downloadPath,
  fileBodies,
  toDownloadResponse,
} from '../rest/downloads/download-response.ts'
import { parseVersion, requireLoginForVersions } from '../tiles/version-tiles.ts'
import { downloadableLayer } from './about-layer.ts'
import { collectionId } from './collection.ts'
import { sendDownload, waitForDownload } from './generated-download.ts'
import { readBox } from './items-query.ts'
import type { OgcDeps } from './ogc-deps.ts'
import { CollectionParams, selection } from './schemas.ts'

/** Layers of more rows are made in the background, unless something narrows them. */
const maxRowsAtOnce = 100_000
/** Default and maximum wait in seconds. */
const usualWaitSeconds = 15
const longestWaitSeconds = 60

const DownloadQuery = Type.Object({
  f: Type.Optional(
    Type.String({ description: `The format: ${downloadFormats.join(', ')}; default gpkg, of coverages tif` }),
  ),
  crs: Type.Optional(
    Type.String({
      description: 'Any CRS by its URI or code, for instance EPSG:25832; default that of the layer',
    }),
  ),
  properties: Type.Optional(
    Type.String({ description: 'Names of properties separated by commas; default all' }),
  ),
  ...selection,
})
type Parameters = Static<typeof DownloadQuery>

export const getDownload = operation({
  summary: 'Download a layer, or its filtered features, as a file',
  description:
    'Returns the file, or 202 and the URL of a download: with `Prefer: respond-async`, for large layers, and if it takes longer than `Prefer: wait` or 15 seconds. All rows belong to the same state of the layer.',
  tags: ['downloads'],
  isPublicRead: true,
  isHeavy: true,
  handlesHead: true,
  params: CollectionParams,
  query: DownloadQuery,
  answers: {
    200: media('The file; `Terrane-Losses` lists the differences from the layer', fileBodies),
    202: DownloadReply,
    206: media('The range of it that was asked for', fileBodies),
    304: empty('The client has it already'),
    416: empty('The file has no such range'),
  },
  handle: async ({ catalog, downloads }: Pick<OgcDeps, 'catalog' | 'downloads'>, request, reply) => {
    const layer = await downloadableLayer(catalog, request)
    await refuseMosaic(catalog, layer)
    const download = readDownloadRequest(layer, request.query)
    if (download.version !== undefined) {
      requireLoginForVersions(request)
      await catalog.versions.get({ ...layer, layer }, download.version)
    }
    const wait = waitSeconds(layer, download, request)
    const { name } = request.viewer ?? request.caller
    const record = await downloads.begin(layer, download, {
      user: name ?? '',
      owner: name ?? `anonymous ${request.ip}`,
      isBrief: wait > 0,
    })
    const made = await waitForDownload(downloads, record, wait, reply)
    request.usedFile = made.state === 'COMPLETE' && wait > 0
    if (request.usedFile) return sendDownload(downloads, made, request, reply)
    reply.code(202).header('location', request.link(downloadPath(record)))
    return toDownloadResponse(request, made)
  },
})

function readDownloadRequest(layer: LayerRecord, query: Parameters): DownloadRequest {
  const { schema, kind } = layer.details
  const format = readFormat(query.f ?? (kind === 'vector' ? 'gpkg' : 'tif'), kind)
  const crs = query.crs === undefined ? undefined : parseCrsUri('crs', query.crs)
  const { onlySrs, title, needsGeometry } = formatsOfFiles[format]
  if (crs !== undefined && onlySrs !== undefined && crs.srs !== onlySrs)
    throw invalid('unsupported-crs', `${title} is always in ${onlySrs}: leave crs out`)
  if (needsGeometry === true && schema.geometry === undefined)
    throw invalid('unknown-format', `${title} cannot store rows without geometry: request csv or gpkg`)
  const version = query.version === undefined ? undefined : parseVersion(query.version)
  if (version !== undefined && kind === 'raster')
    throw invalid(
      'invalid-parameter',
      'version applies to features only: restore the earlier version of the coverage instead',
    )
  const properties = readProperties(schema.attributes, query.properties)
  const srs = crs?.srs
  return { format, srs, version, properties, box: readBox(query), filter: readFilterQuery(query, schema) }
}

/** A mosaic is as large as all its files, and they are there already. */
async function refuseMosaic(catalog: Catalog, layer: LayerRecord): Promise<void> {
  if (layer.details.kind !== 'raster') return
  const { type } = await catalog.layers.storeOf(layer)
  if (type === mosaicType)
    throw invalid(
      'mosaic-not-downloaded',
      `Collection "${collectionId(layer)}" is a mosaic: follow its link "granules" to its files with their footprints and times`,
    )
}

function readFormat(text: string, kind: LayerRecord['details']['kind']): DownloadFormat {
  const requested = kind === 'vector' ? 'features' : 'coverage'
  const offered = downloadFormats.filter((one) => formatsOfFiles[one].of === requested)
  const found = offered.find((one) => one === text)
  if (found !== undefined) return found
  throw invalid(
    'unknown-format',
    `f "${text.slice(0, 60)}" is not available for this collection: expected ${offered.join(', ')}`,
  )
}

function readProperties(
  attributes: LayerRecord['details']['schema']['attributes'],
  text: string | undefined,
): string[] | undefined {
  if (text === undefined) return undefined
  const names = text === '' ? [] : text.split(',')
  const unknown = names.find((name) => !attributes.some((attribute) => attribute.name === name))
  if (unknown === undefined) return names
  throw invalid(
    'invalid-parameter',
    `properties names "${unknown.slice(0, 80)}", which does not exist in the collection`,
  )
}

/** Returns the client's preferred wait in seconds (RFC 7240, sections 4.1 and 4.3); 0: no wait. */
function waitSeconds(
  { details }: LayerRecord,
  { box, filter }: DownloadRequest,
  request: FastifyRequest,
): number {
  const prefer = [request.headers['prefer'] ?? ''].flat().join(',').toLowerCase()
  if (/(?:^|[,;\s])respond-async(?:$|[,;\s])/.test(prefer)) return 0
  const [, wait] = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})/.exec(prefer) ?? []
  if (wait !== undefined) return Math.min(Number(wait), longestWaitSeconds)
  const isLarge = (details.featureCount ?? 0) > maxRowsAtOnce && box === undefined && filter === undefined
  return isLarge ? 0 : usualWaitSeconds
}
