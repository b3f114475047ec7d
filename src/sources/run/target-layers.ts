import type { Catalog, LayerRecord } from '../../catalog/index.ts'
import { toLayerName } from '../../core/text/layer-name.ts'
import type { TaskRecord } from '../../importer/index.ts'
import type { RunRecord, StoppedRule } from '../model/run.ts'
import type { SourceRecord } from '../model/source.ts'
import { RunFailure } from './run-failure.ts'

/** Name of the layer that a task of a source loads. */
export function targetName({ settings }: SourceRecord, task: TaskRecord, isOnly: boolean): string {
  const { layer } = settings.target
  if (layer !== undefined && isOnly) return toLayerName(layer)
  return toLayerName(task.layer?.originalName ?? task.source?.name ?? '')
}

export async function targetWorkspace(catalog: Catalog, { settings }: SourceRecord): Promise<string> {
  return settings.target.workspace ?? (await catalog.workspaces.getDefaultName())
}

/** Changes by others that a load would overwrite. */
const foreignCauses: readonly string[] = ['edit', 'restore', 'import', 'outside']

/**
 * Checks the layers that the source has loaded before. Throws `RunFailure` if one was deleted; returns a rule if
 * others have changed one since.
 */
export async function checkTargets(
  catalog: Catalog,
  { memory, settings }: SourceRecord,
  run: RunRecord,
): Promise<StoppedRule[]> {
  const stopped: StoppedRule[] = []
  for (const [name, version] of Object.entries(memory.versions)) {
    const layer = await catalog.layers.findNamed(name)
    if (layer === undefined && run.recreates === true) continue
    if (layer === undefined)
      throw new RunFailure(
        'target-deleted',
        `Its layer "${name}" was deleted. Run the source with "recreate" to create it again, or delete the source.`,
      )
    if (run.acceptsEdits === true || settings.updateMode === 'APPEND') continue
    const edits = await foreignVersions(catalog, layer, version)
    if (edits.length > 0) stopped.push({ rule: 'edited', limit: version, measured: edits })
  }
  return stopped
}

/** Lists the versions of a layer after `version` whose data were changed by others. */
async function foreignVersions(catalog: Catalog, layer: LayerRecord, version: number): Promise<object[]> {
  const versions = await catalog.versions.list({ ...layer, layer })
  return versions
    .filter((one) => one.version > version && foreignCauses.includes(one.cause))
    .map(({ version: number, cause, user }) => ({ version: number, cause, user }))
}
