import type { Queryable } from '../../core/db/connection.ts'
import type { LayerRecord, StyleRecord } from '../records.ts'
import { layersDrawnBy } from './version-numbers.ts'
import { findWorkspace, listWorkspaces } from './workspace-rows.ts'

/** True if anonymous users may read a layer: its own setting, else that of its workspace. */
export async function isPublicLayer(
  db: Queryable,
  { isPublic, workspace }: Pick<LayerRecord, 'isPublic' | 'workspace'>,
): Promise<boolean> {
  return isPublic ?? (await findWorkspace(db, workspace))?.isPublic ?? false
}

/** Returns the layers that anonymous users may read. */
export async function publicLayers<Layer extends Pick<LayerRecord, 'isPublic' | 'workspace'>>(
  db: Queryable,
  layers: readonly Layer[],
): Promise<Layer[]> {
  const open = new Set((await listWorkspaces(db)).filter(({ isPublic }) => isPublic).map(({ name }) => name))
  return layers.filter(({ isPublic, workspace }) => isPublic ?? open.has(workspace))
}

/** True if a layer that anonymous users may read is drawn by a style. */
export async function drawsPublicLayer(
  db: Queryable,
  style: Pick<StyleRecord, 'workspace' | 'name'>,
): Promise<boolean> {
  const drawn = await layersDrawnBy(db, style)
  return drawn.length > 0 && (await publicLayers(db, drawn)).length > 0
}
