import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { notFound } from '../../../../core/errors/errors.ts'
import type { Clock } from '../../../../core/time/clock.ts'
import { ZoneDays } from '../../../../core/values/zone-days.ts'
import type { DemandCellSum, SeriesReader } from '../../../../monitoring/query/index.ts'
import type { ReportSettings } from '../../../../monitoring/report/index.ts'
import { countedZone, spanOf } from '../../../../monitoring/report/index.ts'
import { type PaletteColor, writeIndexedPng } from '../../../../render/index.ts'
import { cellInTile, encodeSquareTile } from '../../../../tiles/square-tile.ts'
import type { FastifyReply, FastifyRequest } from '../../../app-types.ts'
import { keepPrivately } from '../../../caching.ts'
import type { MonitoringNames } from '../../../compat/geonode-monitoring.ts'
import { Bytes, empty, media } from '../../../description.ts'
import { operation } from '../../../endpoint.ts'
import { entityTags } from '../../../etag.ts'
import { clientSignal, requestOwner } from '../../../request-properties.ts'
import type { SeriesReads } from '../metrics/reader-thread.ts'
import { describeFields, queryFields } from '../parameters.ts'
import type { ReportCatalog } from './report-audience.ts'
import { reportAudience } from './report-audience.ts'
import { readPeriod } from './report-query.ts'

/** Zoom level of the counted cells. */
const cellZoom = 8
const columns = 2 ** cellZoom
/** A cell that fewer people looked at could tell about one of them. */
const minVisitors = 3
const maxZoom = 22
const pictureSide = 256
const tileType = 'application/vnd.mapbox-vector-tile'

/** Dependencies of the demand map. */
export interface DemandDeps {
  series: Pick<SeriesReader<SeriesReads>, 'read'>
  catalog: ReportCatalog
  settings: ReportSettings
  wire: Pick<MonitoringNames, 'dialect'>
  clock: Clock
}

const Params = Type.Object({
  layer: Type.String({ description: 'Workspace and layer, such as `city:trees`' }),
  z: Type.String({ description: `Zoom, 0 to ${maxZoom}` }),
  x: Type.String({ description: 'Column from the west' }),
  y: Type.String({ description: 'Row from the north' }),
})
const query = describeFields({
  from: 'First month or day, such as 2026-10 or 2026-10-05; default: the last month',
  to: 'Last month or day, which is included; default: the first one',
})
const description = `Requests of a layer by cells of zoom ${cellZoom} of WebMercatorQuad. A cell is shown if at least ${minVisitors} different visitors requested it on the same day; visitors cannot be identified across days.`

export const getDemandTile = operation({
  summary: 'Get a vector tile of the requested areas',
  description: `${description} The layer \`demand\` has squares with \`requests\` and \`visits\`.`,
  tags: ['monitoring'],
  hidesFromOthers: true,
  params: Params,
  query,
  answers: {
    200: media('A Mapbox Vector Tile', { [tileType]: Bytes }),
    204: empty('No requests in this tile'),
  },
  handle: async (deps: DemandDeps, request, reply) => {
    const { tile, cells } = await readDemand(deps, request, reply)
    const squares = cells.map(({ cell, requests, visits }) => ({
      ...placeOf(cell),
      values: { requests, visits },
    }))
    const bytes = encodeSquareTile('demand', cellZoom, squares, tile)
    return bytes.length === 0 ? reply.code(204).send() : sendBytes(request, reply, bytes, tileType)
  },
})

export const getDemandPicture = operation({
  summary: 'Draw a tile of the requested areas',
  description: `${description} Darker cells have more requests; a class has ten times the requests of the one below.`,
  tags: ['monitoring'],
  hidesFromOthers: true,
  params: Params,
  query,
  answers: { 200: media('An image, transparent where nothing was requested', { 'image/png': Bytes }) },
  handle: async (deps: DemandDeps, request, reply) => {
    const { tile, cells } = await readDemand(deps, request, reply)
    return sendBytes(request, reply, drawCells(cells, tile), 'image/png')
  },
})

interface Tile {
  z: number
  x: number
  y: number
}

async function readDemand(
  { series, catalog, settings, wire, clock }: DemandDeps,
  request: FastifyRequest<{ Params: Record<'layer' | 'z' | 'x' | 'y', string> }>,
  reply: FastifyReply,
): Promise<{ tile: Tile; cells: DemandCellSum[] }> {
  const { layer } = request.params
  const tile = parseTile(request.params)
  const zone = countedZone(settings)
  const fields = queryFields(request, wire.dialect)
  const period = readPeriod(fields, zone, { clock })
  fields.finish()
  const { layers } = await reportAudience(catalog, await request.rights())
  if (!layers.has(layer)) throw notFound('unknown-layer', `Layer "${layer.slice(0, 100)}" does not exist`)
  const zoneDays = new ZoneDays(zone)
  const span = spanOf(zoneDays, period)
  const days: number[] = []
  for (let at = span.from; at < span.to; at = zoneDays.dayOf(at).end) days.push(at)
  const options = { owner: requestOwner(request), signal: clientSignal(reply) }
  const { cells } = await series.read('layerDemand', { layer, zone, days }, options)
  return { tile, cells: cells.filter(({ maxVisitors }) => maxVisitors >= minVisitors) }
}

function parseTile({ z, x, y }: Record<'z' | 'x' | 'y', string>): Tile {
  const [zoom, column, row] = [z, x, y].map((text) =>
    /^\d{1,8}$/.test(text) ? Number(text) : Number.NaN,
  ) as [number, number, number]
  const isInside = zoom <= maxZoom && column < 2 ** zoom && row < 2 ** zoom
  if (!isInside)
    throw notFound('unknown-tile', `There is no tile ${z.slice(0, 20)}/${x.slice(0, 20)}/${y.slice(0, 20)}`)
  return { z: zoom, x: column, y: row }
}

function placeOf(cell: number): { column: number; row: number } {
  return { column: cell % columns, row: Math.floor(cell / columns) }
}

/** The colour of the pages with growing opacity, each for ten times the requests; the first one is transparent. */
const palette: readonly PaletteColor[] = [0, 70, 110, 150, 190, 225].map((opacity) => [11, 110, 117, opacity])

function drawCells(cells: readonly DemandCellSum[], tile: Tile): Uint8Array {
  const pixels = new Uint8Array(pictureSide * pictureSide)
  for (const { cell, requests } of cells) {
    const edges = cellInTile(placeOf(cell), cellZoom, tile, { size: pictureSide, margin: 0 })
    if (edges === undefined) continue
    const [west, north, east, south] = edges
    const color = Math.min(palette.length - 1, 1 + Math.floor(Math.log10(Math.max(1, requests))))
    for (let row = north; row < south; row += 1)
      pixels.fill(color, row * pictureSide + west, row * pictureSide + east)
  }
  return writeIndexedPng(pixels, { width: pictureSide, palette })
}

function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  bytes: Uint8Array,
  type: string,
): FastifyReply {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  keepPrivately(reply)
  reply.header('etag', etag)
  if (entityTags(request.headers['if-none-match']).includes(etag)) return reply.code(304).send()
  return reply.type(type).send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
}
