import type { Catalog, GroupLayer, LayerGroup, LayerSummary } from '../../catalog/index.ts'
import { groupText } from '../../catalog/index.ts'
import { eachOnce } from '../readable-groups.ts'

/** A group as capabilities list it. */
export interface ListedGroup {
  group: LayerGroup
  /** Name in requests to the service. */
  name: string
  /** Its layers that the caller may read, the lowest first. */
  layers: { card: LayerSummary; style: GroupLayer['style'] }[]
}

/** Returns the groups of a service with readable layers by name; `cards` are the readable layers that have geometries. */
export async function listReadableGroups(
  { layerGroups }: Pick<Catalog, 'layerGroups'>,
  workspace: string | undefined,
  cards: readonly LayerSummary[],
): Promise<ListedGroup[]> {
  const groups = await layerGroups.list(workspace)
  if (groups.length === 0) return []
  const byId = new Map(cards.map((card) => [card.id, card]))
  const layers = await layerGroups.layersOfEach(groups)
  return groups
    .map((group, index) => ({
      group,
      name: workspace === undefined ? groupText(group) : group.name,
      layers: eachOnce(layers[index] ?? []).flatMap(({ id, style }) => {
        const card = byId.get(id)
        return card === undefined ? [] : [{ card, style }]
      }),
    }))
    .filter((group) => group.layers.length > 0)
}
