import type { LegendImageDeps } from '../../tiles/legend.ts'
import { sendLegendPicture } from '../../tiles/legend.ts'
import { requireLayers } from '../named-layers.ts'
import type { OwsDeps } from '../ows-deps.ts'
import { OwsFailure } from '../ows-failure.ts'
import type { WmsRequest } from './wms-request.ts'

/** Media types of legends. */
export const legendFormats = ['image/png']

/** The legend of a layer (OGC 05-078r4, section 12). */
export async function getLegendGraphic(
  deps: LegendImageDeps & Pick<OwsDeps, 'catalog'>,
  wmsRequest: WmsRequest,
): Promise<unknown> {
  const { values, request, reply, workspace } = wmsRequest
  const format = values.find('format') ?? 'image/png'
  if (!legendFormats.includes(format.toLowerCase().replace(/;.*/, '')))
    throw new OwsFailure('InvalidFormat', `FORMAT "${format}" is not image/png`, 'format')
  const name = values.require('layer')
  const [layer] = await requireLayers(deps.catalog, request, [name], { workspace, parameter: 'layer' })
  if (layer === undefined) throw new Error('One name selects one layer')
  return sendLegendPicture(deps, reply, layer, values.find('style'))
}
