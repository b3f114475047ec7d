import type { LegendImageDeps } from '../../tiles/legend.ts'
import { sendGroupLegend, sendLegendPicture } from '../../tiles/legend.ts'
import { requireLayersAndGroups } from '../named-layers.ts'
import type { OwsDeps } from '../ows-deps.ts'
import { OwsFailure } from '../ows-failure.ts'
import type { WmsRequest } from './wms-request.ts'

/** Media types of legends. */
export const legendFormats = ['image/png']

/** The legend of a layer or of the layers of a group (OGC 05-078r4, section 12). */
export async function getLegendGraphic(
  deps: LegendImageDeps & Pick<OwsDeps, 'catalog'>,
  wmsRequest: WmsRequest,
): Promise<unknown> {
  const { values, request, reply, workspace } = wmsRequest
  const format = values.find('format') ?? 'image/png'
  if (!legendFormats.includes(format.toLowerCase().replace(/;.*/, '')))
    throw new OwsFailure('InvalidFormat', `FORMAT "${format}" is not image/png`, 'format')
  const name = values.require('layer')
  const place = { workspace, parameter: 'layer' }
  const requested = await requireLayersAndGroups(deps.catalog, request, [name], place)
  const [first] = requested
  if (first === undefined) throw new Error('One name gives at least one layer')
  if (first.group !== undefined)
    return sendGroupLegend(
      deps,
      reply,
      requested.map(({ layer, style }) => ({ layer, style })),
    )
  return sendLegendPicture(deps, reply, first.layer, values.find('style'))
}
