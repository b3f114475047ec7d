import type { StoreRecord } from '../../../catalog/index.ts'
import type { Dialect } from '../../../core/config/settings.ts'
import { defined } from '../../../core/values/defined.ts'
import type { ImportRecord } from '../../../importer/index.ts'
import type { FetchProgress } from '../../../inputs/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { toStateResponse } from '../../compat/geoserver-importer.ts'
import type { ShownTask } from './data-response.ts'
import { toImportDataResponse } from './data-response.ts'
import { importPath } from './parameters.ts'
import { storeKey, toStoreItemResponse, toTargetStoreResponse } from './target-response.ts'
import { toTaskResponse } from './task-response.ts'
import { toSpecResponse } from './transform-response.ts'

/** Progress of a remote transfer; `total` is -1 if the server does not report the size. */
export function toFetchResponse({ file, bytes, totalBytes = -1 }: FetchProgress) {
  return { file, bytes, total: totalBytes }
}

function toImportItemResponse(request: FastifyRequest, record: ImportRecord, dialect: Dialect) {
  const { id, message } = record
  return { id, href: request.link(importPath(id)), state: toStateResponse(record.state, dialect), message }
}

/** An import to `level`: at 1 the contract's shape. `tasks` are needed from level 1 on. */
export function toImportResponse(
  request: FastifyRequest,
  record: ImportRecord,
  tasks: ShownTask[],
  view: { level: number; dialect: Dialect; store?: StoreRecord; fetch?: FetchProgress | undefined },
): { data?: object; [name: string]: unknown } {
  const { level, dialect, store: known, fetch } = view
  const { message, ...item } = toImportItemResponse(request, record, dialect)
  if (level < 1) return { ...item, ...defined({ message }) }
  const data = toImportDataResponse(request, record, tasks, level - 1)
  const { store, transforms, messages, dryRun } = record
  return {
    ...item,
    archive: record.isArchived,
    ...(dryRun === undefined ? {} : { dryRun: { state: dryRun.state } }),
    targetWorkspace: { workspace: { name: record.workspace } },
    ...(store === undefined
      ? {}
      : {
          targetStore: {
            [storeKey(known?.type)]:
              known === undefined
                ? { name: store }
                : level >= 2
                  ? toTargetStoreResponse(known, known)
                  : toStoreItemResponse(known),
          },
        }),
    ...defined({ data }),
    ...(fetch === undefined ? {} : { fetch: toFetchResponse(fetch) }),
    ...(transforms.length === 0
      ? {}
      : { transforms: transforms.map((spec) => toSpecResponse(spec, dialect)) }),
    tasks: tasks.map((task) => toTaskResponse(request, task, level - 1, dialect)),
    ...(record.allowEmpty === true ? { allowEmpty: true } : {}),
    ...defined({ message }),
    ...(messages.length === 0 ? {} : { messages }),
  }
}
