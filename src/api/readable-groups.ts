import type { Rights } from '../access/index.ts'
import type { Catalog, GroupLayer, GroupName, LayerGroup, LayerRecord } from '../catalog/index.ts'

/** A layer that a group draws for the caller. */
export interface ReadableMember {
  layer: LayerRecord
  /** Style that the group names; undefined: the style that the layer has. */
  style?: string | undefined
}

/** A group and those of its layers that the caller may read. */
export interface ReadableGroup {
  group: LayerGroup
  members: ReadableMember[]
}

/**
 * Finds a group with the layers that a caller may read, the lowest first and each once. Undefined for a group
 * that does not exist or without such layers.
 */
export async function findReadableGroup(
  { layerGroups, layers }: Pick<Catalog, 'layerGroups' | 'layers'>,
  rights: Rights,
  name: GroupName,
): Promise<ReadableGroup | undefined> {
  const group = await layerGroups.find(name)
  if (group === undefined) return undefined
  const found = await Promise.all(
    eachOnce(await layerGroups.layersOf(group)).map(async ({ workspace, name: layerName, style }) => {
      const layer = await layers.findForReading(workspace, layerName)
      return layer !== undefined && rights.can('read', layer) ? [{ layer, style }] : []
    }),
  )
  const members = found.flat()
  return members.length === 0 ? undefined : { group, members }
}

/** Returns the layers without repetitions: the highest occurrence counts, which covers the others. */
export function eachOnce(layers: readonly GroupLayer[]): GroupLayer[] {
  const last = new Map(layers.map(({ id }, position) => [id, position]))
  return layers.filter(({ id }, position) => last.get(id) === position)
}

/** Splits a name as services use it: `<workspace>:<group>`, or `<group>` for a group of no workspace. */
export function parseGroupName(text: string): GroupName {
  const colon = text.indexOf(':')
  return colon < 0
    ? { workspace: undefined, name: text }
    : { workspace: text.slice(0, colon), name: text.slice(colon + 1) }
}
