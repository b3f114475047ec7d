import { isDeepStrictEqual } from 'node:util'
import type { Dialect } from '../../../core/config/settings.ts'
import { invalid } from '../../../core/errors/errors.ts'
import { hasValues } from '../../../core/values/defined.ts'
import type { StopRules, TaskChange, TaskRecord } from '../../../importer/index.ts'
import type { LoadMode } from '../../../stores/index.ts'
import { describeTransform } from '../../../transforms/chain.ts'
import type { TransformSpec } from '../../../transforms/index.ts'
import { allowsUnnamedStore, hasNewerFields, loadModesOf } from '../../compat/geoserver-importer.ts'
import type { StopIfInput, TargetInput, TaskInput } from './bodies.ts'
import { readLayerBody } from './layer-response.ts'
import { requireCharset } from './parameters.ts'
import { readRejectLimitBody } from './task-response.ts'
import { readTransformBody } from './transform-response.ts'

/** Returns the target of a task in a body. */
export function readTargetBody(
  requested: TargetInput | undefined,
  dialect: Dialect,
): Partial<Pick<TaskChange, 'store' | 'workspace'>> {
  const target = requested?.dataStore ?? requested?.coverageStore ?? requested?.store
  if (target === undefined) return {}
  const { name, workspace } = target
  if (name === undefined && !allowsUnnamedStore(dialect))
    throw invalid('invalid-body', 'A target needs "dataStore.name"')
  return { store: name, workspace: workspace?.name }
}

function requireUpdateMode(text: string, dialect: Dialect): LoadMode {
  const modes = loadModesOf(dialect)
  const mode = modes.find((one) => one === text.toUpperCase())
  if (mode !== undefined) return mode
  throw invalid('invalid-update-mode', `updateMode must be one of ${modes.join(', ')}, found "${text}"`)
}

type Limits = Pick<TaskChange, 'keys' | 'deleteMissing' | 'stopIf'>

/** Returns the changed limits in a body. */
function readLimitsBody(task: TaskRecord, requested: TaskInput, dialect: Dialect): Limits {
  if (!hasNewerFields(dialect)) return {}
  const { keys, deleteMissing, stopIf } = requested
  return {
    keys: keys === undefined || isDeepStrictEqual(keys, task.keys ?? []) ? undefined : [...new Set(keys)],
    deleteMissing:
      deleteMissing === undefined || deleteMissing === (task.deleteMissing ?? false)
        ? undefined
        : deleteMissing,
    stopIf:
      stopIf === undefined || isDeepStrictEqual(stopIf, task.stopIf ?? null)
        ? undefined
        : readStopIfBody(stopIf),
  }
}

/** Returns the limits in a body; throws `Failure` (`invalid`) for an impossible box. */
export function readStopIfBody(requested: StopIfInput | null): StopRules | null {
  if (requested === null) return null
  const { outside, ...rules } = requested
  if (outside === undefined) return rules
  const [minX = 0, minY = 0, maxX = 0, maxY = 0] = outside
  if (minX > maxX || minY > maxY) {
    throw invalid(
      'invalid-stop-if',
      'stopIf.outside must be minx, miny, maxx, maxy: the smaller ones come first',
    )
  }
  return { ...rules, outside: [minX, minY, maxX, maxY] }
}

/** Returns the transformation chain in a body; undefined if absent or unchanged. */
function readChainBody(
  task: TaskRecord,
  requested: TaskInput['transformChain'],
): TransformSpec[] | undefined {
  const specs = requested?.transforms?.map(readTransformBody)
  if (specs === undefined) return undefined
  const present = task.transforms.map(({ spec }) => {
    const shown = Object.entries(describeTransform(spec))
    return Object.fromEntries(shown.filter(([, value]) => value != null))
  })
  return isDeepStrictEqual(specs, present) ? undefined : specs
}

/** Returns the change in a task body. */
export function readTaskBody(
  task: TaskRecord,
  body: TaskInput & { task?: TaskInput },
  dialect: Dialect,
): TaskChange {
  const requested = body.task ?? body
  const { layer, target, transformChain, rejectLimit, repair, allowEmpty } = requested
  const updateMode =
    requested.updateMode === undefined ? undefined : requireUpdateMode(requested.updateMode, dialect)
  const transforms = readChainBody(task, transformChain)
  const charset = requireCharset(requested.data?.charset ?? requested.source?.charset)
  const { store, workspace } = readTargetBody(target, dialect)
  const change = layer === undefined ? {} : readLayerBody(task, layer, dialect)
  return {
    updateMode: updateMode === undefined || updateMode === task.updateMode ? undefined : updateMode,
    charset: charset === undefined || charset === task.charset ? undefined : charset,
    rejectLimit: rejectLimit === undefined ? undefined : readRejectLimitBody(rejectLimit),
    repair: repair === undefined || repair === (task.repair ?? false) ? undefined : repair,
    allowEmpty:
      allowEmpty === undefined || allowEmpty === (task.allowEmpty ?? false) ? undefined : allowEmpty,
    layer: hasValues(change) ? change : undefined,
    store: store === undefined || store === task.target?.name ? undefined : store,
    workspace: workspace === undefined || workspace === task.target?.workspace ? undefined : workspace,
    ...readLimitsBody(task, requested, dialect),
    transforms,
  }
}
