import type { RasterSourceSpecification } from 'maplibre-gl'
import { callBytes } from '../api/client.ts'
import { whenReady } from '../api/when-ready.ts'

/** Protocol of tile addresses with an unsaved style. */
export const trialProtocol = 'trial'

interface Trial {
  /** `workspace:name`. */
  layer: string
  style: { format: 'sld'; document: string }
}

const trials = new Map<number, Trial>()
const kept = 5
let last = 0

/** Request for one tile with an unsaved style. */
function trialCall({ layer, style }: Trial, [z, x, y]: readonly [number, number, number]) {
  const path = `/tiles/${encodeURIComponent(layer)}/${z}/${x}/${y}.png`
  return { method: 'POST' as const, path, body: { style } }
}

/** A source whose tiles are drawn by a style that is tried; of the latest few there are tiles. */
export function trialSource(trial: Trial, published: RasterSourceSpecification): RasterSourceSpecification {
  last += 1
  trials.set(last, trial)
  trials.delete(last - kept)
  const { url: _url, ...rest } = published
  return { ...rest, tiles: [`${trialProtocol}://${last}/{z}/{x}/{y}`] }
}

/** Returns a tile by its address; empty for a discarded style. */
export async function trialTile(address: string, signal: AbortSignal): Promise<ArrayBuffer> {
  const [number, z, x, y] = address
    .slice(trialProtocol.length + 3)
    .split('/')
    .map(Number)
  const trial = trials.get(number ?? 0)
  if (trial === undefined) return new ArrayBuffer(0)
  return whenReady(() => callBytes(trialCall(trial, [z ?? 0, x ?? 0, y ?? 0]), signal), signal)
}
