import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Type } from 'typebox'
import { notFound } from '../../../core/errors/errors.ts'
import type { Importer, Running } from '../../../importer/index.ts'
import type { TileAddress } from '../../../tiles/tile-matrix-sets.ts'
import { getTileMatrixSet, isTileOf } from '../../../tiles/tile-matrix-sets.ts'
import { chooseEncoding } from '../../accepted-encodings.ts'
import type { FastifyReply } from '../../app-types.ts'
import { Bytes, empty, media } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { clientSignal } from '../../request-properties.ts'
import { toLeftOutResponse } from './layer-response.ts'
import { TaskParams } from './parameters.ts'
import { ColumnsReply, PreviewFeatures, ShownRows } from './preview-schemas.ts'
import { requireImport, requireTask } from './shown-imports.ts'

const tags = ['importer']
const mvt = 'application/vnd.mapbox-vector-tile'
const unzip = promisify(gunzip)

const srs = Type.Optional(
  Type.String({
    description:
      'CRS to assume for the data, such as `EPSG:25832`. `declared` is the CRS that the data declare',
  }),
)
const maxRows = 10_000
const limit = Type.Optional(Type.Integer({ minimum: 0, maximum: maxRows, default: 100 }))

async function runningOf(importer: Importer, params: { importId: string; taskId: string }): Promise<Running> {
  return { record: await requireImport(importer, params.importId), task: await requireTask(importer, params) }
}

/** Prevents caching: previews change with every edit. */
function keepNowhere(reply: FastifyReply): void {
  reply.header('cache-control', 'no-store')
}

/**
 * Sets the header that says which part of the rows a map shows, such as `rows=2000, whole=?0` (a dictionary
 * of RFC 9651).
 */
function tellPart(reply: FastifyReply, { rows, isWhole }: { rows: number; isWhole: boolean }): void {
  reply.header('terrane-preview', `rows=${rows}, whole=?${isWhole ? 1 : 0}`)
}

interface Part {
  bytes: Uint8Array
  isLast: boolean
}

/**
 * Streams parts between a head and an end that depends on the last part; awaits the first part, so that an
 * error can be reported.
 */
async function streamed<One extends Part>(
  parts: AsyncIterable<One>,
  head: string,
  endOf: (last: One) => string,
): Promise<Readable> {
  const reading = parts[Symbol.asyncIterator]()
  let part = await reading.next()
  async function* bytes(): AsyncGenerator<Uint8Array> {
    try {
      yield Buffer.from(head)
      for (; part.done !== true; part = await reading.next()) {
        yield part.value.bytes
        if (part.value.isLast) yield Buffer.from(endOf(part.value))
      }
    } finally {
      await reading.return?.()
    }
  }
  return Readable.from(bytes(), { objectMode: false })
}

/** The members of an object after others, with its end. */
function members(facts: object): string {
  return `,${JSON.stringify(facts).slice(1)}\n`
}

export const showRows = operation({
  isHeavy: true,
  summary: 'Get the rows as they would be loaded, as GeoJSON or CSV',
  description:
    'For a task that was not run yet: rows read from its data, filtered, transformed and repaired. GeoJSON has longitude and latitude if the CRS is known or given by `srs`, otherwise the coordinates of the data. CSV has the coordinates to be loaded, as WKT. Each raster is one row with its footprint.',
  tags,
  params: TaskParams,
  query: Type.Object({
    limit,
    offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
    f: Type.Optional(Type.String({ description: 'csv or geojson; default by `Accept`' })),
    srs,
  }),
  answers: { 200: media('The rows', { 'application/geo+json': ShownRows, 'text/csv': Type.String() }) },
  handle: async ({ importer }: { importer: Importer }, request, reply) => {
    const { query } = request
    const running = await runningOf(importer, request.params)
    const isCsv = /csv/i.test(query.f ?? request.headers.accept ?? '')
    const { limit: most = 100, offset = 0 } = query
    const queryValue = { limit: most, offset, form: isCsv ? 'csv' : 'geojson', srs: query.srs } as const
    const rows = importer.previews.rows(running, queryValue, clientSignal(reply))
    const head = isCsv ? '' : '{"type":"FeatureCollection","features":['
    const stream = await streamed(rows, head, ({ shown, rejected, hasMore }) =>
      isCsv ? '' : `]${members({ offset, numberReturned: shown, rejected, hasMore })}`,
    )
    keepNowhere(reply)
    return reply
      .header('vary', 'accept')
      .header('content-type', isCsv ? 'text/csv; charset=utf-8' : 'application/geo+json')
      .send(stream)
  },
})

export const showColumns = operation({
  isHeavy: true,
  summary: 'Show statistics of the columns',
  description:
    'For a task that was not run yet. The first request starts the count; each response has the counts so far. `rows.whole` is true when all rows are counted.',
  tags,
  params: TaskParams,
  query: Type.Object({
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 60,
        description: 'Maximum number of seconds to wait for the complete count',
      }),
    ),
    srs,
  }),
  answers: { 200: ColumnsReply },
  handle: async ({ importer }: { importer: Importer }, request, reply) => {
    const { wait = 0, srs: requested } = request.query
    const running = await runningOf(importer, request.params)
    const { columns, geometry, rows, rejected, total, isWhole } = await importer.previews.columns(
      running,
      { srs: requested, waitMs: wait * 1000 },
      clientSignal(reply),
    )
    keepNowhere(reply)
    const leftOut = toLeftOutResponse(running.task)
    return {
      columns,
      leftOut: leftOut.length === 0 ? undefined : leftOut,
      geometry: geometry ?? null,
      rows: { counted: rows, rejected, total: total ?? -1, whole: isWhole },
    }
  },
})

function parseTile({ z, x, y }: Record<keyof TileAddress, string>): TileAddress {
  const isPlain = [z, x, y].every((text) => /^(?:0|[1-9]\d{0,7})$/.test(text))
  const tile = { z: Number(z), x: Number(x), y: Number(y) }
  if (isPlain && isTileOf(getTileMatrixSet('WebMercatorQuad'), tile)) return tile
  throw notFound('unknown-tile', `There is no tile ${z}/${x}/${y} (zoom, column, row) by WebMercatorQuad`)
}

const shownPart =
  'The header `Terrane-Preview` tells how many rows the map shows so far and whether these are all: the first of them at once, all when they were read.'

export const showPreviewTile = operation({
  isHeavy: true,
  summary: 'Get a vector tile of the rows before they are loaded',
  description: `${shownPart} Rows without geometry have no tiles: a 404 with the code \`no-tiles\`. A task in NO_CRS needs \`srs\`.`,
  tags,
  isTile: true,
  params: Type.Object({ ...TaskParams.properties, z: Type.String(), x: Type.String(), y: Type.String() }),
  query: Type.Object({ srs }),
  answers: { 200: media('A Mapbox Vector Tile', { [mvt]: Bytes }), 204: empty('Nothing is there') },
  handle: async ({ importer }: { importer: Importer }, request, reply) => {
    const tile = parseTile(request.params)
    const running = await runningOf(importer, request.params)
    const requested = { tile, srs: request.query.srs }
    const made = await importer.previews.tile(running, requested, clientSignal(reply))
    tellPart(reply, made.part)
    keepNowhere(reply)
    const { bytes } = made.tile
    if (bytes.length === 0) return reply.code(204).send()
    reply.header('content-type', mvt).header('vary', 'accept-encoding')
    if (chooseEncoding(['gzip'], request.headers['accept-encoding']) === undefined)
      return reply.send(await unzip(bytes))
    return reply.header('content-encoding', 'gzip').send(Buffer.from(bytes))
  },
})

export const showPreviewFeatures = operation({
  isHeavy: true,
  summary: 'The first rows with their footprints, and the bounds of all rows',
  description: `GeoJSON with longitude and latitude. ${shownPart} A task in NO_CRS needs \`srs\`.`,
  tags,
  params: TaskParams,
  query: Type.Object({ limit, srs }),
  answers: { 200: media('Features', { 'application/geo+json': PreviewFeatures }) },
  handle: async ({ importer }: { importer: Importer }, request, reply) => {
    const running = await runningOf(importer, request.params)
    const { limit: most = 100, srs: requested } = request.query
    const shown = await importer.previews.features(
      running,
      { limit: most, srs: requested },
      clientSignal(reply),
    )
    const { rows, isWhole } = shown.part
    const head = `${JSON.stringify({ type: 'FeatureCollection', bbox: shown.bbox }).slice(0, -1)},"features":[`
    const stream = await streamed(
      shown.parts,
      head,
      ({ numberReturned }) => `]${members({ numberReturned, rows, whole: isWhole })}`,
    )
    tellPart(reply, shown.part)
    keepNowhere(reply)
    return reply.header('content-type', 'application/geo+json').send(stream)
  },
})
