import type { ServiceTileDeps } from '../ows-deps.ts'
import { readTile, requireMatrixSet } from './matrix-sets.ts'
import { requireTileLayers, sendNamedTile } from './send-named-tile.ts'
import type { NamedTile, WmtsRequest } from './tile-request.ts'
import { readTileFormat } from './tile-request.ts'

/** A tile (OGC 07-057r7, section 7.2). */
export async function getTile(
  deps: ServiceTileDeps,
  wmtsRequest: WmtsRequest,
  named: NamedTile,
  { format, time }: { format: string; time: string | undefined },
): Promise<unknown> {
  const { request, reply } = wmtsRequest
  const requested = await requireTileLayers(deps.catalog, wmtsRequest, named.layer)
  const matrixSet = requireMatrixSet(named.matrixSet)
  const tile = readTile(matrixSet, named)
  const { style } = named
  return sendNamedTile(deps, request, reply, {
    requested,
    set: matrixSet.set,
    tile,
    style,
    time: /^(?:default|current)?$/i.test(time?.trim() ?? '') ? undefined : time,
    format: readTileFormat(format),
  })
}
