import type { LayerSpecification, StyleSpecification } from 'maplibre-gl'
import { type Call, call } from '../wire/client.ts'

interface Basemap {
  kind: 'own' | 'other' | 'off'
  light: string
  dark: string
  dataBefore?: string
}

/** What a map is drawn by: the background with the layers on it, below its labels. */
export interface CombinedStyle {
  style: StyleSpecification
  /** Of the layers' own parts, the lowest first. */
  dataIds: string[]
}

interface Wanted {
  /** As `workspace:name`, the first lowest. */
  layers: readonly string[]
  isDark: boolean
  language: string
}

/** The call that gives the style of layers as they are published. */
export function styleCall(layers: readonly string[]): Call {
  return { path: `/tiles/${layers.map(encodeURIComponent).join(',')}/style.json` }
}

/** Asks for the background and the layers, and puts them together. */
export async function combinedStyle(
  { layers, isDark, language }: Wanted,
  signal: AbortSignal,
): Promise<CombinedStyle> {
  const { basemap } = await call<{ basemap: Basemap }>({ path: '/assets/basemap.json' }, signal)
  const [background, data] = await Promise.all([
    backgroundOf(basemap, isDark, language, signal),
    layers.length === 0 ? undefined : call<StyleSpecification>(styleCall(layers), signal),
  ])
  return combine(background, data, basemap.dataBefore)
}

async function backgroundOf(
  { kind, light, dark }: Basemap,
  isDark: boolean,
  language: string,
  signal: AbortSignal,
): Promise<StyleSpecification> {
  const theme = isDark ? 'dark' : 'light'
  if (kind !== 'other') return call({ path: `/assets/basemap/${theme}.json`, query: { language } }, signal)
  const reply = await fetch(isDark ? dark : light, { signal })
  return (await reply.json()) as StyleSpecification
}

function combine(
  background: StyleSpecification,
  data: StyleSpecification | undefined,
  before: string | undefined,
): CombinedStyle {
  const added: LayerSpecification[] = (data?.layers ?? []).filter(({ type }) => type !== 'background')
  const place = background.layers.findIndex(({ id }) => id === before)
  const at = place < 0 ? background.layers.length : place
  const sprite = background.sprite ?? data?.sprite
  const style: StyleSpecification = {
    ...background,
    ...(sprite === undefined ? {} : { sprite }),
    ...(data?.center === undefined ? {} : { center: data.center }),
    ...(data?.zoom === undefined ? {} : { zoom: data.zoom }),
    sources: { ...background.sources, ...data?.sources },
    layers: [...background.layers.slice(0, at), ...added, ...background.layers.slice(at)],
  }
  return { style, dataIds: added.map(({ id }) => id) }
}
