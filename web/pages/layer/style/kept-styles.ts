import type { StyleSpecification } from 'maplibre-gl'
import { type Call, call, callTagged, callText, Refusal } from '../../../wire/client.ts'
import type { Calls } from '../../../wire/openapi.d.ts'

export type LayerFacts = Calls['GET /rest/layers/{layer}']['answer']['layer']
export type Classes = Calls['GET /rest/layers/{layer}/classes']['answer']['classes']
export type Palette = Calls['GET /rest/palettes']['answer']['palettes'][number]
type StyleAnswer = Calls['PUT /rest/workspaces/{workspace}/styles/{style}']['answer']
export type StyleMessages = NonNullable<StyleAnswer['style']['messages']>

/** A style that a layer can be drawn by: of its workspace, or one that every workspace has. */
export interface KeptStyle {
  name: string
  isOwn: boolean
}

export interface StylesOfLayer {
  list: KeptStyle[]
  /** Tells the state of the style that is looked at from later ones. */
  tag?: string
  /** Of the style that is looked at, in MapLibre. */
  document: { layers?: unknown }
  /** Of a raster: the style in SLD, which says all that a raster can be drawn by. */
  sld?: string
  /** With the addresses of tiles. */
  drawn: StyleSpecification
  /** West, south, east, north in degrees. */
  bounds?: [number, number, number, number]
}

export function stylePath(workspace: string, { name, isOwn }: KeptStyle, ending = ''): string {
  const place = isOwn ? `/rest/workspaces/${encodeURIComponent(workspace)}/styles` : '/rest/styles'
  return `${place}/${encodeURIComponent(name)}${ending}`
}

/** What is known of a style of a layer, and which others there are. */
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
  // The tag first: a document that is newer than its tag is taken for changed, never an older one for the present one.
  const tag = kept && (await callTagged({ path: stylePath(workspace.name, kept) }, signal)).tag
  const document = kept && (await documentOfStyle(workspace.name, kept, signal))
  const sld = kept && type === 'RASTER' ? await sldOfStyle(workspace.name, kept, signal) : undefined
  return {
    list,
    ...(tag !== undefined && { tag }),
    document: document ?? {},
    ...(sld !== undefined && { sld }),
    drawn,
    ...(tiles.bounds !== undefined && { bounds: tiles.bounds }),
  }
}

async function namesAt(path: string, signal: AbortSignal): Promise<string[]> {
  const { styles } = await call<Calls['GET /rest/styles']['answer']>({ path }, signal)
  return styles.style.map(({ name }) => name)
}

/** Undefined where the style has nothing that MapLibre could say. */
async function documentOfStyle(
  workspace: string,
  kept: KeptStyle,
  signal: AbortSignal,
): Promise<{ layers?: unknown } | undefined> {
  return orNone(call({ path: stylePath(workspace, kept, '.maplibre') }, signal))
}

async function sldOfStyle(
  workspace: string,
  kept: KeptStyle,
  signal: AbortSignal,
): Promise<string | undefined> {
  return orNone(callText({ path: stylePath(workspace, kept, '.sld') }, signal))
}

async function orNone<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return undefined
    throw error
  }
}

/**
 * The call that keeps a document under the name of a style, which is made where it is not there yet: MapLibre as an object,
 * SLD as a text.
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
    ...{ method: 'PUT', path: `/rest/layers/${encodeURIComponent(id)}` },
    body: { layer: { defaultStyle: name } },
  }
}

/** A name that no style of the workspace has yet. */
export function freeName(wanted: string, taken: readonly KeptStyle[]): string {
  const names = new Set(taken.map(({ name }) => name))
  if (!names.has(wanted)) return wanted
  for (let number = 2; ; number += 1) if (!names.has(`${wanted}-${number}`)) return `${wanted}-${number}`
}
