import { isDeepStrictEqual } from 'node:util'
import type { Dialect } from '../../config/settings.ts'
import type { TaskChange, TaskRecord } from '../../importer/model/model.ts'
import { defined } from '../../lib/defined.ts'
import { invalid } from '../../lib/errors.ts'
import type { UpdateMode } from '../../stores/store.ts'
import { updateModes } from '../../stores/store.ts'
import { showTransform } from '../../transforms/chain.ts'
import type { TransformSpec } from '../../transforms/transform.ts'
import type { WantedTarget, WantedTask } from './bodies.ts'
import { requireCharset } from './charset.ts'
import { fromWireLayer } from './layer-wire.ts'
import { fromWireRejectLimit } from './task-wire.ts'
import { fromWireTransform } from './transform-wire.ts'

/** Where a target body sends a task; a store without a name says something to the dialect of older systems alone. */
export function fromWireTarget(
  wanted: WantedTarget | undefined,
  dialect: Dialect,
): Partial<Pick<TaskChange, 'store' | 'workspace'>> {
  const target = wanted?.dataStore ?? wanted?.coverageStore ?? wanted?.store
  if (target === undefined) return {}
  const { name, workspace } = target
  if (name === undefined && dialect === 'contract')
    throw invalid('invalid-body', 'A target needs "dataStore.name"')
  return defined({ store: name, workspace: workspace?.name })
}

function requireUpdateMode(text: string): UpdateMode {
  const mode = updateModes.find((one) => one === text.toUpperCase())
  if (mode !== undefined) return mode
  throw invalid('invalid-update-mode', `updateMode must be one of ${updateModes.join(', ')}, found "${text}"`)
}

/** The chain that a body asks for; undefined for none, and for the one that the task has. */
function fromWireChain(task: TaskRecord, wanted: WantedTask['transformChain']): TransformSpec[] | undefined {
  const specs = wanted?.transforms?.map(fromWireTransform)
  if (specs === undefined) return undefined
  const present = task.transforms.map(({ spec }) => {
    const shown = Object.entries(showTransform(spec))
    return Object.fromEntries(shown.filter(([, value]) => value != null))
  })
  return isDeepStrictEqual(specs, present) ? undefined : specs
}

/** The change that a task body asks for. */
export function fromWireTask(
  task: TaskRecord,
  body: WantedTask & { task?: WantedTask },
  dialect: Dialect,
): TaskChange {
  const wanted = body.task ?? body
  const { layer, target, transformChain, rejectLimit, repair, allowEmpty } = wanted
  const updateMode = wanted.updateMode === undefined ? undefined : requireUpdateMode(wanted.updateMode)
  const transforms = fromWireChain(task, transformChain)
  const charset = requireCharset(wanted.data?.charset ?? wanted.source?.charset)
  const { store, workspace } = fromWireTarget(target, dialect)
  const change = layer === undefined ? {} : fromWireLayer(task, layer)
  return {
    ...(updateMode === undefined || updateMode === task.updateMode ? {} : { updateMode }),
    ...(charset === undefined || charset === task.charset ? {} : { charset }),
    ...(rejectLimit === undefined ? {} : { rejectLimit: fromWireRejectLimit(rejectLimit) }),
    ...(repair === undefined || repair === (task.repair ?? false) ? {} : { repair }),
    ...(allowEmpty === undefined || allowEmpty === (task.allowEmpty ?? false) ? {} : { allowEmpty }),
    ...(Object.keys(change).length === 0 ? {} : { layer: change }),
    ...(store === undefined || store === task.target?.name ? {} : { store }),
    ...(workspace === undefined || workspace === task.target?.workspace ? {} : { workspace }),
    ...defined({ transforms }),
  }
}
