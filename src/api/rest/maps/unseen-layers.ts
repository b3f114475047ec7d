import type { MapLayer } from '../../../catalog/index.ts'

/**
 * Returns the new layers of a map with those of the previous ones that its editor could not see, each as far from
 * the bottom as before. A layer that was added again is there once.
 */
export function restoreUnseen(
  previous: readonly MapLayer[],
  seen: readonly MapLayer[],
  layers: readonly MapLayer[],
): MapLayer[] {
  const seenNames = new Set([...seen, ...layers].map(({ name }) => name))
  const restored = [...layers]
  previous.forEach((layer, index) => {
    if (!seenNames.has(layer.name)) restored.splice(Math.min(index, restored.length), 0, layer)
  })
  return restored
}
