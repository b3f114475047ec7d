import type { Dialect } from '../../../core/config/settings.ts'
import { invalid } from '../../../core/errors/errors.ts'
import { defined, without } from '../../../core/values/defined.ts'
import {
  type KeyProposal,
  type LabelsProposal,
  proposeGeometry,
  proposeLabels,
  type RejectLimit,
  type TaskProgress,
  type TaskRecord,
  type TransformProposal,
} from '../../../importer/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { hasNewerFields } from '../../compat/geoserver-importer.ts'
import type { ShownTask } from './data-response.ts'
import { toTaskDataResponse } from './data-response.ts'
import { toLayerItemResponse, toTaskLayerResponse } from './layer-response.ts'
import { taskPath } from './parameters.ts'
import { toTargetEntityResponse, toTargetResponse } from './target-response.ts'
import { toTransformsResponse } from './transform-response.ts'

function toTaskItemResponse(request: FastifyRequest, task: TaskRecord) {
  const { rejected = 0 } = task
  return defined({
    id: task.id,
    href: request.link(taskPath(task.importId, task.id)),
    state: task.state,
    rejected: rejected === 0 ? undefined : rejected,
  })
}

/** A task to `level`: at 1 the contract's shape, with whole transformations. */
export function toTaskResponse(
  request: FastifyRequest,
  task: ShownTask,
  level: number,
  dialect: Dialect,
): object {
  const item = toTaskItemResponse(request, task)
  if (level < 1) return item
  const { layer, target, errorMessage, messages, rowsRead, rowsLoaded, rejectLimit } = task
  return {
    ...item,
    updateMode: task.updateMode,
    data: toTaskDataResponse(request, task, level - 1),
    target:
      target === undefined
        ? undefined
        : level >= 2
          ? toTargetEntityResponse(request, task, task.targetStore)
          : toTargetResponse(request, task, target),
    progress: request.link(`${taskPath(task.importId, task.id)}/progress`),
    layer:
      layer === undefined
        ? undefined
        : level >= 2
          ? toTaskLayerResponse(request, task, dialect)
          : toLayerItemResponse(request, task, layer),
    errorMessage,
    ...(hasNewerFields(dialect) ? newerFacts(request, task) : {}),
    transformChain: { type: task.kind ?? 'vector', transforms: toTransformsResponse(request, task, dialect) },
    messages: messages.length === 0 ? undefined : messages,
    ...(rowsRead === undefined ? {} : { rowsRead, rowsLoaded, rejected: task.rejected ?? 0 }),
    rejects: task.rejected ? request.link(`${taskPath(task.importId, task.id)}/rejects`) : undefined,
    rejectLimit: rejectLimit === undefined ? undefined : toRejectLimitResponse(rejectLimit),
    repair: task.repair || undefined,
    allowEmpty: task.allowEmpty || undefined,
  }
}

/** Returns the available proposals for a task. */
function proposalsOf(task: TaskRecord): (TransformProposal | LabelsProposal | KeyProposal)[] {
  const { state, updateMode, keys = [], foundKeys } = task
  const geometry = state === 'NO_CRS' || state === 'READY' ? proposeGeometry(task) : []
  const labels = state === 'NO_CRS' || state === 'READY' ? proposeLabels(task) : []
  const asksKeys = state !== 'COMPLETE' && updateMode === 'UPSERT' && keys.length === 0
  return [...geometry, ...labels, ...(asksKeys ? (foundKeys?.proposals ?? []) : [])]
}

/** Returns the fields that GeoServer does not have. */
function newerFacts(request: FastifyRequest, task: ShownTask): object {
  const {
    errorCode,
    keys,
    deleteMissing,
    stopIf,
    stopped,
    state,
    updateMode,
    accepted,
    mended: corrected,
    mending: correcting,
  } = task
  const hasChanges = state === 'COMPLETE' && updateMode === 'UPSERT'
  const proposals = proposalsOf(task)
  return {
    errorCode,
    keys,
    deleteMissing,
    stopIf,
    stopped,
    mended: corrected,
    mending: correcting === undefined ? undefined : without(correcting, 'from', 'stopIf'),
    proposals: proposals.length === 0 ? undefined : proposals,
    accepted: accepted === undefined ? undefined : without(accepted, 'loadId', 'basis'),
    changes: hasChanges ? request.link(`${taskPath(task.importId, task.id)}/changes`) : undefined,
  }
}

export function toProgressResponse(task: TaskRecord, running: TaskProgress | undefined): object {
  const { state, errorMessage, rowsRead } = task
  const total = rowsRead ?? task.source?.featureCount ?? task.source?.raster?.sizeBytes ?? -1
  const still = {
    progress: rowsRead ?? (state === 'COMPLETE' ? Math.max(total, 0) : 0),
    total,
    rejected: task.rejected ?? 0,
    phase: state === 'COMPLETE' ? 'done' : 'waiting',
  }
  return { ...(running ?? still), state, ...defined({ message: errorMessage }) }
}

function toRejectLimitResponse(limit: RejectLimit): number | string {
  return 'rows' in limit ? limit.rows : `${limit.share * 100}%`
}

/** Rows at most as a number, or a share as in `2.5%`. */
export function readRejectLimitBody(limit: number | string): RejectLimit {
  if (typeof limit === 'number') return { rows: limit }
  const [, amount, percent] = /^\s*(\d{1,9}(?:\.\d{1,6})?)\s*(%?)\s*$/.exec(limit) ?? []
  const value = Number(amount)
  if (percent === '%' && value <= 100) return { share: value / 100 }
  if (percent === '' && Number.isInteger(value)) return { rows: value }
  throw invalid(
    'invalid-reject-limit',
    `rejectLimit must be a number of rows or a share such as "5%", found "${limit}"`,
  )
}
