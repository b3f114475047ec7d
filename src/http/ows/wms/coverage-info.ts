import type { LayerRecord } from '../../../catalog/records.ts'
import type { BandValue, RasterPosition } from '../../../maps/rasters/rasters.ts'
import type { TimeSelection } from '../../../maps/rasters/time-selection.ts'
import type { OwsDeps } from '../ows-deps.ts'
import type { LayerFeatureInfo } from './layer-feature-info.ts'

/** The values of a coverage at a place as a feature whose properties are its bands; none where it has no data there. */
export async function findValues(
  { rasters }: OwsDeps,
  layer: LayerRecord,
  { place, times }: { place: RasterPosition; times: readonly TimeSelection[] | undefined },
  signal: AbortSignal,
): Promise<LayerFeatureInfo> {
  const values = await rasters.values(layer, place, times, signal)
  return values === undefined ? { layer, text: '', count: 0 } : { layer, text: featureText(values), count: 1 }
}

function featureText(values: readonly BandValue[]): string {
  const properties = new Map<string, number | null>()
  for (const { name, value } of values) properties.set(freeName(properties, name), value)
  return JSON.stringify({ type: 'Feature', geometry: null, properties: Object.fromEntries(properties) })
}

/** Bands may be named alike. */
function freeName(taken: ReadonlyMap<string, unknown>, name: string): string {
  let free = name
  for (let number = 2; taken.has(free); number += 1) free = `${name} ${number}`
  return free
}
