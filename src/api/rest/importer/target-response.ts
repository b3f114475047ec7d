import type { StoreRecord } from '../../../catalog/index.ts'
import { notFound } from '../../../core/errors/errors.ts'
import type { TaskRecord, TaskStore } from '../../../importer/index.ts'
import { isCoverageStoreType } from '../../../stores/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { toParametersResponse } from '../catalog/store-response.ts'
import { taskPath } from './parameters.ts'

/** Returns the key for stores of this type. */
export function storeKey(type: string | undefined): 'dataStore' | 'coverageStore' {
  return type !== undefined && isCoverageStoreType(type) ? 'coverageStore' : 'dataStore'
}

export function toTargetResponse(request: FastifyRequest, task: TaskRecord, target: TaskStore) {
  return {
    href: request.link(`${taskPath(task.importId, task.id)}/target`),
    [storeKey(target.type)]: toStoreItemResponse(target),
  }
}

export function toStoreItemResponse({ name, type }: { name: string; type: string }) {
  return { name, type }
}

/** Returns the response for a store that may not exist yet; secrets read `********`. */
export function toTargetStoreResponse({ workspace, name, type }: TaskStore, store: StoreRecord | undefined) {
  return {
    name,
    type,
    enabled: store?.isEnabled ?? true,
    workspace: { name: workspace },
    connectionParameters: toParametersResponse(store ?? { parameters: {}, secretNames: [] }),
  }
}

/** A target with what is known of its store. */
export function toTargetEntityResponse(
  request: FastifyRequest,
  task: TaskRecord,
  store: StoreRecord | undefined,
) {
  const { target } = task
  if (target === undefined) throw notFound('no-target', `Task ${task.id} has no target store`)
  const { href } = toTargetResponse(request, task, target)
  return { href, [storeKey(target.type)]: toTargetStoreResponse(target, store) }
}
