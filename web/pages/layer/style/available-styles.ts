import type { StyleSpecification } from 'maplibre-gl'
import { type Call, call, callTagged, callText, Refusal } from '../../../api/client.ts'
import type { Calls } from '../../../api/openapi.d.ts'

export type LayerFacts = Calls['GET /rest/layers/{layer}']['answer']['layer']
export type Classes = Calls['GET /rest/layers/{layer}/classes']['answer']['classes']
export type Palette = Calls['GET /rest/palettes']['answer']['palettes'][number]
type StyleAnswer = Calls['PUT /rest/workspaces/{workspace}/styles/{style}']['answer']
export type StyleMessages = NonNullable<StyleAnswer['style']['messages']>

/** An available style of a layer: of its workspace, or global. */
export interface AvailableStyle {
  name: string
  isOwn: boolean
}

export interface StylesOfLayer {
  list: AvailableStyle[]
  /** `ETag` of the edited style. */
  tag?: string
  /** The edited style in MapLibre format. */
  document: { layers?: unknown }
  /** For rasters: the style in SLD, which can express everything that rasters need. */
  sld?: string
  /** With the addresses of tiles. */
  drawn: StyleSpecification
  /** West, south, east, north in degrees. */
  bounds?: [number, number, number, number]
}

export function stylePath(workspace: string, { name, isOwn }: AvailableStyle, ending = ''): string {
  const place = isOwn ? `/rest/workspaces/${encodeURIComponent(workspace)}/styles` : '/rest/styles'
  return `${place}/${encodeURIComponent(name)}${ending}`
}

/** Loads the style of a layer, and the list of others. */
export async function askStyles(
  id: string,
  { workspace, type }: LayerFacts,
  name: string,
  signal: AbortSignal,
): Promise<StylesOfLayer> {
  const [own, all, drawn, tiles] = await Promise.all([
    namesAt(`/rest/workspaces/${encodeURIComponent(workspace.name)}/styles`, signal),
    namesAt('/rest/styles', signal),
    call<StyleSpecification>(
      { path: `/tiles/${encodeURIComponent(id)}/style.json`, query: { style: name } },
      signal,
    ),
    call<{ bounds?: [number, number, number, number] }>({ path: `/tiles/${encodeURIComponent(id)}` }, signal),
  ])
  const list = [
    ...own.map((one) => ({ name: one, isOwn: true })),
    ...all.filter((one) => !own.includes(one)).map((one) => ({ name: one, isOwn: false })),
  ]
  const kept = list.find((one) => one.name === name)
  // Loads the tag first: then a newer document counts as changed, and an older one never counts as current.
  const tag = kept && (await callTagged({ path: stylePath(workspace.name, kept) }, signal)).tag
  const document = kept && (await documentOfStyle(workspace.name, kept, signal))
  const sld = kept && type === 'RASTER' ? await sldOfStyle(workspace.name, kept, signal) : undefined
  return { list, tag, document: document ?? {}, sld, drawn, bounds: tiles.bounds }
}

async function namesAt(path: string, signal: AbortSignal): Promise<string[]> {
  const { styles } = await call<Calls['GET /rest/styles']['answer']>({ path }, signal)
  return styles.style.map(({ name }) => name)
}

/** Undefined if MapLibre cannot express any of the style. */
async function documentOfStyle(
  workspace: string,
  kept: AvailableStyle,
  signal: AbortSignal,
): Promise<{ layers?: unknown } | undefined> {
  return orNone(call({ path: stylePath(workspace, kept, '.maplibre') }, signal))
}

async function sldOfStyle(
  workspace: string,
  kept: AvailableStyle,
  signal: AbortSignal,
): Promise<string | undefined> {
  return orNone(callText({ path: stylePath(workspace, kept, '.sld') }, signal))
}

async function orNone<T>(requested: Promise<T>): Promise<T | undefined> {
  try {
    return await requested
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return undefined
    throw error
  }
}

/**
 * Returns the request that saves a document under a style's name, or creates it: MapLibre as an object, SLD
 * as a text.
 */
export function keepCall(workspace: string, name: string, document: object | string, isNew: boolean): Call {
  const place = `/rest/workspaces/${encodeURIComponent(workspace)}/styles`
  const style = { format: typeof document === 'string' ? 'sld' : 'maplibre', document }
  if (isNew) return { method: 'POST', path: place, body: { style: { name, ...style } } }
  return { method: 'PUT', path: `${place}/${encodeURIComponent(name)}`, body: { style } }
}

/** The call by which a layer is drawn by another style. */
export function defaultCall(id: string, name: string): Call {
  return {
    method: 'PUT',
    path: `/rest/layers/${encodeURIComponent(id)}`,
    body: { layer: { defaultStyle: name } },
  }
}

/** A name that no style of the workspace has yet. */
export function freeName(requested: string, taken: readonly AvailableStyle[]): string {
  const names = new Set(taken.map(({ name }) => name))
  if (!names.has(requested)) return requested
  for (let number = 2; ; number += 1)
    if (!names.has(`${requested}-${number}`)) return `${requested}-${number}`
}
