import type { Rights } from '../access/index.ts'
import type { Catalog } from '../catalog/index.ts'

/** True if the caller may read the workspace or a layer of it; a workspace that does not exist counts as not readable. */
export async function isWorkspaceReadable(
  { workspaces, cards }: Pick<Catalog, 'workspaces' | 'cards'>,
  rights: Rights,
  workspace: string,
): Promise<boolean> {
  if ((await workspaces.find(workspace)) !== undefined && rights.can('read', { workspace })) return true
  const readable = (await cards.now()).readableBy(rights)
  return readable.byId.values().some((card) => card.workspace === workspace)
}
