import type { Catalog, LayerRecord, StyleRecord } from '../../../catalog/index.ts'
import { notFound } from '../../../core/errors/errors.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { forbidden, loginNeeded } from '../../app-types.ts'
import { knownSummaries } from '../records/read-records.ts'

/** A style by its workspace (undefined for global styles) and name. */
interface StyleName {
  workspace: string | undefined
  name: string
}

/** Returns the id of a style: `<name>` of a global one, `<workspace>:<name>` of another. */
export function styleId({ workspace, name }: StyleName): string {
  return workspace === undefined ? name : `${workspace}:${name}`
}

/** Parses the id of a style. */
export function parseStyleId(id: string): StyleName {
  const colon = id.indexOf(':')
  if (colon < 0) return { workspace: undefined, name: id }
  return { workspace: id.slice(0, colon), name: id.slice(colon + 1) }
}

/** Path of a style below `/ogc`. */
export function ogcStylePath(style: StyleName): string {
  return `/ogc/styles/${encodeURIComponent(styleId(style))}`
}

/**
 * Returns the styles that the caller may read, by their ids: users read global styles; others read those of workspaces in which
 * they may read something, and those that draw a layer that they may read.
 */
export async function readableStyles(catalog: Catalog, request: FastifyRequest): Promise<StyleRecord[]> {
  const workspaces = await catalog.workspaces.list()
  const lists = await Promise.all(
    [undefined, ...workspaces.map(({ name }) => name)].map((name) => catalog.styles.list(name)),
  )
  const styles = lists.flat()
  const isReadable = await readabilityOf(catalog, request, styles)
  return styles.filter(isReadable).sort((a, b) => (styleId(a) < styleId(b) ? -1 : 1))
}

async function readabilityOf(
  catalog: Catalog,
  request: FastifyRequest,
  styles: readonly StyleRecord[],
): Promise<(style: StyleName) => boolean> {
  const rights = await request.rights()
  const existing = new Set(styles.map(styleId))
  const drawn = new Set<string>()
  for (const { workspace, style, styles: others = [] } of (
    await knownSummaries(catalog, request)
  ).byId.values())
    for (const name of [style, ...others]) {
      const own = styleId({ workspace, name })
      drawn.add(existing.has(own) ? own : name)
    }
  const isUser = request.caller.role !== 'anonymous'
  return (style) => {
    const { workspace } = style
    const isPlaceReadable =
      workspace === undefined
        ? isUser
        : rights.can('read', { workspace }) || rights.canWithin('read', workspace)
    return isPlaceReadable || drawn.has(styleId(style))
  }
}

/** Returns the style with an id; one that the caller may not read is unknown, and for anonymous callers needs a login. */
export async function readableStyle(
  catalog: Catalog,
  request: FastifyRequest,
  id: string,
): Promise<StyleRecord> {
  const name = parseStyleId(id)
  const style = await catalog.styles.find(name.workspace, name.name)
  const rights = await request.rights()
  const { workspace } = name
  const isUser = request.caller.role !== 'anonymous'
  const isPlaceReadable =
    workspace === undefined
      ? isUser
      : rights.can('read', { workspace }) || rights.canWithin('read', workspace)
  const isReadable =
    style !== undefined && (isPlaceReadable || (await catalog.styles.drawsReadableLayer(style, rights)))
  if (isReadable) {
    request.usedStyle = style
    return style
  }
  if (!isUser && !isPlaceReadable) throw loginNeeded()
  throw unknownStyle(id)
}

function unknownStyle(id: string): Error {
  return notFound('unknown-style', `Style "${id.slice(0, 200)}" does not exist`)
}

/** Throws `Failure` unless the caller may change the styles of a workspace, or the global ones. */
export async function requireStyleManager(
  request: FastifyRequest,
  { workspace, name }: StyleName,
): Promise<void> {
  const rights = await request.rights()
  if (request.caller.role === 'anonymous') throw loginNeeded()
  if (rights.can('manage', workspace === undefined ? '*' : { workspace })) return
  const isKnown =
    workspace === undefined || rights.can('read', { workspace }) || rights.canWithin('read', workspace)
  if (!isKnown) throw unknownStyle(styleId({ workspace, name }))
  const text =
    workspace === undefined ? 'all workspaces, to which global styles belong' : `workspace "${workspace}"`
  throw forbidden(request.caller, 'manage', text)
}

/** Returns the styles in which a layer is offered, its default style first. */
export async function stylesOfLayer(catalog: Catalog, layer: LayerRecord): Promise<StyleRecord[]> {
  const { style, styles = [] } = layer.details
  const names = [...new Set([style, ...styles])]
  const found = await Promise.all(names.map((name) => catalog.styles.resolve(layer.workspace, name)))
  return found.filter((one) => one !== undefined)
}
