import { groupText, type LayerRecord } from '../../../catalog/index.ts'
import type { TileAddress, TileMatrixSetId } from '../../../tiles/tile-matrix-sets.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import { sendGroupTile, sendPictureTile } from '../../tiles/send-picture-tile.ts'
import { sendTile } from '../../tiles/send-tile.ts'
import { type RequestedLayer, requireLayersAndGroups } from '../named-layers.ts'
import type { OwsCatalog, ServiceTileDeps } from '../ows-deps.ts'
import { OwsFailure } from '../ows-failure.ts'
import { groupStyle } from '../wms/get-map.ts'
import type { TileFormat, WmtsRequest } from './tile-request.ts'

/**
 * The layers that a request for tiles names: one, or those of a group that the caller may read; throws
 * `OwsFailure`.
 */
export async function requireTileLayers(
  catalog: OwsCatalog,
  { request, workspace }: Pick<WmtsRequest, 'request' | 'workspace'>,
  name: string,
): Promise<RequestedLayer[]> {
  const requested = { workspace, parameter: 'Layer' }
  return requireLayersAndGroups(catalog, request, [name], requested).catch((error: unknown) => {
    if (error instanceof OwsFailure)
      throw new OwsFailure('InvalidParameterValue', error.message, error.locator, 400)
    throw error
  })
}

/** Returns the name of requested layers in all services: that of their group, or of the only one. */
export function requestedName([first]: readonly RequestedLayer[]): string {
  if (first === undefined) throw new Error('A name gives at least one layer')
  return groupText(first.group ?? first.layer)
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

/** Sends a tile of a layer like `/tiles`, or an image of the layers of a group; throws `OwsFailure` and `Failure`. */
export function sendNamedTile(
  deps: ServiceTileDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { requested, ...tile }: Omit<SentTile, 'layer'> & { requested: readonly RequestedLayer[] },
): Promise<unknown> {
  const [first] = requested
  if (first === undefined) throw new Error('A name gives at least one layer')
  if (first.group === undefined) return sendLayerTile(deps, request, reply, { ...tile, layer: first.layer })
  const { set, format, style } = tile
  const name = groupText(first.group)
  if (format === 'mvt')
    throw new OwsFailure(
      'InvalidParameterValue',
      `"${name}" is a group: its tiles are image/png or image/jpeg here, and vector tiles below /tiles`,
      'Format',
    )
  if (style !== undefined && style !== '' && style !== groupStyle)
    throw new OwsFailure(
      'InvalidParameterValue',
      `Group "${name}" has only the style "${groupStyle}"`,
      'Style',
    )
  const members = requested.map((one) => ({ layer: one.layer, style: one.style }))
  return sendGroupTile(deps, request, reply, { members, set, tile: tile.tile, isOpaque: format === 'jpeg' })
}

function sendLayerTile(
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
