import type { RasterSourceSpecification } from 'maplibre-gl'
import { callBytes } from '../api/client.ts'
import { whenReady } from '../api/when-ready.ts'

/** Protocol of tile addresses with an unsaved style. */
export const unsavedStyleProtocol = 'trial'

interface UnsavedStyle {
  /** `workspace:name`. */
  layer: string
  style: { format: 'sld'; document: string }
}

const unsavedStyles = new Map<number, UnsavedStyle>()
const kept = 5
let last = 0

/** Request for one tile with an unsaved style. */
function unsavedStyleCall({ layer, style }: UnsavedStyle, [z, x, y]: readonly [number, number, number]) {
  const path = `/tiles/${encodeURIComponent(layer)}/${z}/${x}/${y}.png`
  return { method: 'POST' as const, path, body: { style } }
}

/** A source whose tiles are drawn by a style that is tried; of the latest few there are tiles. */
export function unsavedStyleSource(
  unsavedStyle: UnsavedStyle,
  published: RasterSourceSpecification,
): RasterSourceSpecification {
  last += 1
  unsavedStyles.set(last, unsavedStyle)
  unsavedStyles.delete(last - kept)
  const { url: _url, ...rest } = published
  return { ...rest, tiles: [`${unsavedStyleProtocol}://${last}/{z}/{x}/{y}`] }
}

/** Returns a tile by its address; empty for a discarded style. */
export async function unsavedStyleTile(address: string, signal: AbortSignal): Promise<ArrayBuffer> {
  const [number, z, x, y] = address
    .slice(unsavedStyleProtocol.length + 3)
    .split('/')
    .map(Number)
  const unsavedStyle = unsavedStyles.get(number ?? 0)
  if (unsavedStyle === undefined) return new ArrayBuffer(0)
  return whenReady(() => callBytes(unsavedStyleCall(unsavedStyle, [z ?? 0, x ?? 0, y ?? 0]), signal), signal)
}
