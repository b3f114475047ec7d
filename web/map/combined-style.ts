import type { LayerSpecification, StyleSpecification } from 'maplibre-gl'
import { type Call, call } from '../api/client.ts'

interface Basemap {
  kind: 'own' | 'other' | 'off'
  light: string
  dark: string
  dataBefore?: string
}

/** Style of a map: the base map with data on top, below its labels. */
export interface CombinedStyle {
  style: StyleSpecification
  /** Ids of the data's layers, bottom first. */
  dataIds: string[]
  /** Attributions to show. */
  attributions: string[]
}

/** Data of a map: each has sources and layers, and the first is lowest. */
export type DataStyle = Pick<StyleSpecification, 'sources' | 'layers'> &
  Partial<StyleSpecification> & {
    /** Drawn above the labels of the background. */
    onTop?: LayerSpecification[]
  }

interface Background extends Pick<Basemap, 'dataBefore'> {
  style: StyleSpecification
}

/** Returns the request for the style of published layers, or of an earlier version. */
export function styleCall(layers: readonly string[], version?: number): Call {
  return {
    path: `/tiles/${layers.map(encodeURIComponent).join(',')}/style.json`,
    ...(version !== undefined && { query: { version } }),
  }
}

/** Loads the base map of this server, or the external one. */
export async function backgroundStyle(
  { isDark, language }: { isDark: boolean; language: string },
  signal: AbortSignal,
): Promise<Background> {
  const { basemap } = await call<{ basemap: Basemap }>({ path: '/assets/basemap.json' }, signal)
  const theme = isDark ? 'dark' : 'light'
  if (basemap.kind !== 'other') {
    const style = await call<StyleSpecification>(
      { path: `/assets/basemap/${theme}.json`, query: { language } },
      signal,
    )
    return { ...basemap, style }
  }
  const reply = await fetch(basemap[theme], { signal })
  return { ...basemap, style: (await reply.json()) as StyleSpecification }
}

/** Inserts data into a base map. Renames the later one of two parts with the same name. */
export function combine({ style, dataBefore }: Background, data: readonly DataStyle[]): CombinedStyle {
  const place = style.layers.findIndex(({ id }) => id === dataBefore)
  const at = place < 0 ? style.layers.length : place
  const taken = new Set(style.layers.map(({ id }) => id))
  const added = data.flatMap(({ layers }) => layers.flatMap((one) => withOwnId(one, taken)))
  const sprite = style.sprite ?? data.find((one) => one.sprite !== undefined)?.sprite
  const glyphs = style.glyphs ?? data.find((one) => one.glyphs !== undefined)?.glyphs
  const sources = Object.assign({}, style.sources, ...data.map((one) => one.sources))
  return {
    style: {
      ...style,
      ...(sprite !== undefined && { sprite }),
      ...(glyphs !== undefined && { glyphs }),
      sources,
      layers: [
        ...style.layers.slice(0, at),
        ...added,
        ...style.layers.slice(at),
        ...data.flatMap(({ onTop = [] }) => onTop),
      ],
    },
    dataIds: added.map(({ id }) => id),
    attributions: attributionsOf([style, ...data]),
  }
}

function withOwnId(layer: LayerSpecification, taken: Set<string>): LayerSpecification[] {
  if (layer.type === 'background') return []
  let id = layer.id
  for (let number = 2; taken.has(id); number += 1) id = `${layer.id}-${number}`
  taken.add(id)
  return [{ ...layer, id }]
}

/** Escaped: a layer's attribution must not be executed. */
function attributionsOf(data: readonly DataStyle[]): string[] {
  const output = data.flatMap(({ sources }) =>
    Object.values(sources).flatMap((source) =>
      'attribution' in source && typeof source.attribution === 'string' ? [source.attribution] : [],
    ),
  )
  return [...new Set(output.map(plainText).filter((text) => text !== ''))]
}

/** Markup is read without being shown or run. */
function plainText(markup: string): string {
  return new DOMParser().parseFromString(markup, 'text/html').body.textContent?.trim() ?? ''
}
