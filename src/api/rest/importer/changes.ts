import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Type } from 'typebox'
import { notFound } from '../../../core/errors/errors.ts'
import type { Importer } from '../../../importer/index.ts'
import type { TileAddress } from '../../../tiles/tile-matrix-sets.ts'
import { getTileMatrixSet, isTileOf } from '../../../tiles/tile-matrix-sets.ts'
import { chooseEncoding } from '../../accepted-encodings.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import { Bytes, empty, media } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { ChangeListReply, ChangesQuery, streamed } from '../../listed-changes.ts'
import { clientSignal } from '../../request-properties.ts'
import { TaskParams } from './parameters.ts'
import { requireTask } from './shown-imports.ts'

const tags = ['importer']
const unzip = promisify(gunzip)
const mvt = 'application/vnd.mapbox-vector-tile'

const answers = {
  200: media('Get the changes, removed rows first', {
    'application/geo+json': ChangeListReply,
    'text/csv': Type.String(),
  }),
}

interface ChangesParams {
  format?: string
  limit?: number
  offset?: number
}

async function send(
  importer: Importer,
  request: FastifyRequest,
  reply: FastifyReply,
  requested: ChangesParams & { params: { importId: string; taskId: string }; by: 'trial' | 'upsert' },
): Promise<FastifyReply> {
  const task = await requireTask(importer, requested.params)
  const { limit = Number.MAX_SAFE_INTEGER, offset = 0, by } = requested
  const isCsv = /csv/i.test(requested.format ?? request.headers.accept ?? '')
  const options = { format: isCsv ? 'csv' : 'geojson', limit, offset } as const
  const stream = await streamed(importer.changes.page(task, by, options, clientSignal(reply)))
  return reply
    .header('vary', 'accept')
    .header('cache-control', 'no-store')
    .header('content-type', isCsv ? 'text/csv; charset=utf-8' : 'application/geo+json')
    .send(stream)
}

export const listDryRunChanges = operation({
  summary: 'Show what a run would add, change and remove',
  description:
    'The first 100,000 changes of a dry run or of a stopped load; for CREATE and APPEND the first 1,000. GeoJSON has longitude and latitude. CSV has the old and the new value of each column, and geometries as GeoJSON in the CRS of the layer.',
  tags,
  params: TaskParams,
  query: ChangesQuery,
  answers,
  handle: async ({ importer }: { importer: Importer }, request, reply) =>
    send(importer, request, reply, { params: request.params, ...request.query, by: 'trial' }),
})

export const listChanges = operation({
  summary: 'Show what an UPSERT added, changed and removed',
  description: 'Every row, with old and new values. GeoJSON has longitude and latitude.',
  tags,
  params: TaskParams,
  query: ChangesQuery,
  answers,
  handle: async ({ importer }: { importer: Importer }, request, reply) =>
    send(importer, request, reply, { params: request.params, ...request.query, by: 'upsert' }),
})

function parseTile({ z, x, y }: Record<keyof TileAddress, string>): TileAddress {
  const isPlain = [z, x, y].every((text) => /^(?:0|[1-9]\d{0,7})$/.test(text))
  const tile = { z: Number(z), x: Number(x), y: Number(y) }
  if (isPlain && isTileOf(getTileMatrixSet('WebMercatorQuad'), tile)) return tile
  throw notFound('unknown-tile', `There is no tile ${z}/${x}/${y} (zoom, column, row) by WebMercatorQuad`)
}

export const showDryRunTile = operation({
  summary: 'Get a vector tile of the rows that a run would add, change and remove',
  description:
    'Features have `change` (added, changed, removed), `feature_id` and `key`; geometries are the new ones, of removed features the previous ones. The layer in the tile is `changes`.',
  tags,
  isTile: true,
  params: Type.Object({ ...TaskParams.properties, z: Type.String(), x: Type.String(), y: Type.String() }),
  answers: { 200: media('A Mapbox Vector Tile', { [mvt]: Bytes }), 204: empty('Nothing is there') },
  handle: async ({ importer }: { importer: Importer }, request, reply) => {
    const tile = parseTile(request.params)
    const task = await requireTask(importer, request.params)
    const { bytes } = await importer.changes.tile(task, tile, clientSignal(reply))
    reply.header('cache-control', 'no-store')
    if (bytes.length === 0) return reply.code(204).send()
    reply.header('content-type', mvt).header('vary', 'accept-encoding')
    if (chooseEncoding(['gzip'], request.headers['accept-encoding']) === undefined)
      return reply.send(await unzip(bytes))
    return reply.header('content-encoding', 'gzip').send(Buffer.from(bytes))
  },
})
