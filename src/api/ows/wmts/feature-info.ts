import { getTileMatrixSet, tileEnvelope } from '../../../tiles/tile-matrix-sets.ts'
import { KeyValues } from '../key-values.ts'
import type { FeatureInfoDeps } from '../ows-deps.ts'
import { OwsFailure } from '../ows-failure.ts'
import { getFeatureInfo as getMapFeatureInfo, infoFormats, isInfoFormat } from '../wms/feature-info.ts'
import { readTile, requireMatrixSet } from './matrix-sets.ts'
import { requestedName, requireTileLayers } from './send-named-tile.ts'
import type { NamedTile, WmtsRequest } from './tile-request.ts'

const tileCells = 256

/** Cell of a tile for a feature query: column and row. */
export interface TilePoint {
  i: string
  j: string
  format: string
  /** Parameters that may contain BUFFER or RADIUS: tolerance in cells for points and lines. */
  values: KeyValues
}

/** Sends the features at a cell of a tile (OGC 07-057r7, section 7.3), in the formats of WMS. */
export async function getFeatureInfo(
  deps: FeatureInfoDeps,
  wmtsRequest: WmtsRequest,
  named: NamedTile,
  { i, j, format, values: given }: TilePoint,
): Promise<unknown> {
  const { workspace, request, reply } = wmtsRequest
  const queried = requestedName(await requireTileLayers(deps.catalog, wmtsRequest, named.layer))
  const { set } = requireMatrixSet(named.matrixSet)
  const tile = readTile(requireMatrixSet(named.matrixSet), named)
  const matrix = getTileMatrixSet(set)
  const { minX, minY, maxX, maxY } = tileEnvelope(matrix, tile)
  for (const [locator, text] of [['I', i] as const, ['J', j] as const])
    if (!/^\d{1,3}$/.test(text) || Number(text) >= tileCells)
      throw new OwsFailure('PointIJOutOfRange', `${locator} is not a whole number from 0 to 255`, locator)
  if (!isInfoFormat(format))
    throw new OwsFailure(
      'InvalidParameterValue',
      `INFOFORMAT "${format.slice(0, 100)}" is not one of ${infoFormats.join(', ')}`,
      'InfoFormat',
    )
  const values = new KeyValues([
    ['srs', matrix.srs],
    ['bbox', [minX, minY, maxX, maxY].join(',')],

    ['width', String(tileCells)],
    ['height', String(tileCells)],
    ['x', i],
    ['y', j],

    ['query_layers', queried],
    ['info_format', format],
    ['feature_count', '50'],
    ...(['buffer', 'radius'] as const).map((key) => [key, given.find(key) ?? ''] as const),
  ])
  return getMapFeatureInfo(deps, { request, reply, values, version: '1.1.1', workspace })
}
