import type { LayerSpecification, StyleSpecification } from 'maplibre-gl'
import { call } from '../../api/client.ts'
import type { DataStyle } from '../../map/combined-style.ts'
import { styleCall } from '../../map/combined-style.ts'
import type { LayerExtras, MapLayer } from '../../map/map-state.ts'

/** A published layer. */
export interface Published {
  id: string
  title: string
  style: StyleSpecification
  bounds?: Bounds
}

type Bounds = [number, number, number, number]

/** Loads each layer separately: one that fails does not affect the others. */
export async function askLayer(
  id: string,
  { style: name, filter }: LayerExtras,
  signal: AbortSignal,
): Promise<Published> {
  const [style, { name: title, bounds }] = await Promise.all([
    call<StyleSpecification>({ ...styleCall([id]), query: { style: name } }, signal),
    call<{ name?: string; bounds?: Bounds }>({ path: `/tiles/${encodeURIComponent(id)}` }, signal),
  ])
  return { id, title: style.name ?? title ?? id, style: withFilter(style, filter), bounds }
}

/** Lets the server filter the features of vector tiles. */
function withFilter(style: StyleSpecification, filter: string | undefined): StyleSpecification {
  if (filter === undefined) return style
  const sources = Object.entries(style.sources).map(([name, source]) => {
    if (source.type !== 'vector' || source.url === undefined) return [name, source] as const
    const separator = source.url.includes('?') ? '&' : '?'
    return [
      name,
      { ...source, url: `${source.url}${separator}filter=${encodeURIComponent(filter)}` },
    ] as const
  })
  return { ...style, sources: Object.fromEntries(sources) }
}

/** Returns the common extent. */
export function boundsOfAll(published: readonly Published[]): Bounds | undefined {
  const all = published.flatMap(({ bounds }) => (bounds === undefined ? [] : [bounds]))
  if (all.length === 0) return undefined
  const side = (at: 0 | 1 | 2 | 3): number[] => all.map((one) => one[at])
  return [Math.min(...side(0)), Math.min(...side(1)), Math.max(...side(2)), Math.max(...side(3))]
}

/** Returns the layers on top of each other with their opacities; sources have unique names. */
export function drawnTogether(layers: readonly MapLayer[], published: readonly Published[]): DataStyle {
  const shown = layers.flatMap((layer) => {
    const found = published.find(({ id }) => id === layer.id)
    return found === undefined || layer.isHidden ? [] : [{ layer, style: found.style }]
  })
  const nameOf = (id: string, source: string): string => `${id} ${source}`
  return {
    sources: Object.fromEntries(
      shown.flatMap(({ layer, style }) =>
        Object.entries(style.sources).map(([name, source]) => [nameOf(layer.id, name), source]),
      ),
    ),
    layers: shown.flatMap(({ layer, style }) =>
      style.layers.map((one) => {
        const faded = fadedBy(one, layer.opacity)
        return 'source' in faded ? { ...faded, source: nameOf(layer.id, String(faded.source)) } : faded
      }),
    ),
  }
}

const opacities: Record<string, readonly string[]> = {
  fill: ['fill-opacity'],
  line: ['line-opacity'],
  circle: ['circle-opacity', 'circle-stroke-opacity'],
  symbol: ['text-opacity', 'icon-opacity'],
  raster: ['raster-opacity'],
}

function fadedBy(layer: LayerSpecification, opacity: number): LayerSpecification {
  if (opacity === 1) return layer
  const paint: Record<string, unknown> = { ...('paint' in layer ? layer.paint : {}) }
  for (const name of opacities[layer.type] ?? []) {
    const own = paint[name] ?? 1
    paint[name] = typeof own === 'number' ? own * opacity : (faded(own, opacity) ?? own)
  }
  return { ...layer, paint } as LayerSpecification
}

/** Zoom expressions must be outermost: applies the opacity to the values of their stops. */
function faded(value: unknown, opacity: number): unknown {
  if (typeof value === 'number') return value * opacity
  if (!Array.isArray(value)) return undefined
  const isByZoom = JSON.stringify(value).includes('["zoom"]')
  return isByZoom ? undefined : ['*', opacity, value]
}
