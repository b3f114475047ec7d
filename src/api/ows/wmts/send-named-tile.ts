import type { LayerRecord } from '../../../catalog/index.ts'
import type { TileAddress, TileMatrixSetId } from '../../../tiles/tile-matrix-sets.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import { sendPictureTile } from '../../tiles/send-picture-tile.ts'
import { sendTile } from '../../tiles/send-tile.ts'
import { requireLayers } from '../named-layers.ts'
import type { OwsCatalog, ServiceTileDeps } from '../ows-deps.ts'
import { OwsFailure } from '../ows-failure.ts'
import type { TileFormat, WmtsRequest } from './tile-request.ts'

/** The layer that a request for tiles names; throws `OwsFailure`. */
export async function requireTileLayer(
  catalog: OwsCatalog,
  { request, workspace }: Pick<WmtsRequest, 'request' | 'workspace'>,
  name: string,
): Promise<LayerRecord> {
  const requested = { workspace, parameter: 'Layer' }
  const [layer] = await requireLayers(catalog, request, [name], requested).catch((error: unknown) => {
    if (error instanceof OwsFailure)
      throw new OwsFailure('InvalidParameterValue', error.message, error.locator, 400)
    throw error
  })
  if (layer === undefined) throw new Error('One name selects one layer')
  return layer
}

/** A tile to send. */
export interface SentTile {
  layer: LayerRecord
  set: TileMatrixSetId
  tile: TileAddress
  style: string | undefined
  time: string | undefined
  format: TileFormat
}

/** Sends a tile like `/tiles`; throws `OwsFailure` and `Failure`. */
export function sendLayerTile(
  deps: ServiceTileDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { layer, set, tile, style, time, format }: SentTile,
): Promise<unknown> {
  if (format !== 'mvt') {
    const picture = { layer, set, tile, style, time, format: 'png', scale: 1 } as const
    return sendPictureTile(deps, request, reply, { ...picture, isOpaque: format === 'jpeg' })
  }
  if (layer.details.kind === 'raster')
    throw new OwsFailure(
      'InvalidParameterValue',
      `Layer "${layer.workspace}:${layer.name}" is a coverage: its tiles are image/png or image/jpeg`,
      'Format',
    )
  return sendTile(deps, reply, [layer], { set, tile })
}
