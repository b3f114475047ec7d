import { call, Refusal } from '../../api/client.ts'
import { session } from '../../session/session.ts'
import { type Import, importCall, type Task } from '../import/types.ts'
import type { Draft, SourceData } from './types.ts'
import { textOf } from './types.ts'

/** A proposal for a new source. */
export interface Proposal {
  draft: Draft
  importId?: number
  /** True if the files of the import were uploaded: their location must be chosen. */
  isUploaded?: boolean
}

type Imported = Import & { data?: SourceData; transforms?: Draft['transforms'] }

export function emptyDraft(): Draft {
  return {
    name: '',
    data: { type: 'remote' },
    transforms: [],
    target: {},
    updateMode: 'REPLACE',
    schedule: { cron: '0 3 * * *', timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone },
    overdueSeconds: 3600,
    retry: { times: 5, firstSeconds: 60 },
    receivers: [],
    owner: session.peek()?.user ?? '',
  }
}

/** Proposes a source that repeats an import; `taskId` is the layer that it loads. */
export async function proposeSource(
  importId: string,
  taskId: string,
  signal: AbortSignal,
): Promise<Proposal> {
  const made = (await call<{ import: Imported }>(importCall(importId), signal)).import
  const task = made.tasks.find(({ id }) => String(id) === taskId) ?? made.tasks[0]
  const isOnly = made.tasks.length === 1
  const data = dataOf(made, task)
  const isUploaded = data !== undefined && !(await isReachable(data, signal))
  const start = emptyDraft()
  return {
    importId: made.id,
    isUploaded,
    draft: {
      ...start,
      name: task?.layer?.name ?? '',
      data: data === undefined || isUploaded ? start.data : data,
      transforms: transformsOf(made, task, isOnly),
      target: targetOf(made, task, isOnly || data?.type !== 'remote'),
      updateMode: modeOf(task),
      keys: task?.keys,
      deleteMissing: task?.deleteMissing,
      stopIf: task?.stopIf as Draft['stopIf'],
    },
  }
}

function modeOf(task: Task | undefined): Draft['updateMode'] {
  const mode = task?.updateMode
  return mode === 'UPSERT' || mode === 'APPEND' ? mode : 'REPLACE'
}

function transformsOf(made: Imported, task: Task | undefined, isOnly: boolean): Draft['transforms'] {
  const transforms = isOnly ? task?.transformChain?.transforms : made.transforms
  return (transforms ?? []) as Draft['transforms']
}

function targetOf({ targetWorkspace }: Imported, task: Task | undefined, isNamed: boolean): Draft['target'] {
  const workspace = targetWorkspace?.workspace?.name
  return { ...(workspace !== undefined && { workspace }), ...(isNamed && { layer: task?.layer?.name }) }
}

/** Returns the location of the data of a task, without passwords. */
function dataOf({ data, tasks }: Imported, task: Task | undefined): SourceData | undefined {
  if (data === undefined) return undefined
  if (data.type === 'remote') {
    const { location, username, domain, charset } = data
    return { type: 'remote', location, username, domain, charset }
  }
  if (data.type === 'database') {
    const { passwd: _hidden, ...parameters } = (data['parameters'] ?? {}) as Record<string, unknown>
    const name = task?.data?.type === 'table' ? task.data.name : undefined
    return { type: 'database', parameters, tables: name === undefined ? data['tables'] : [name] }
  }
  const file = tasks.length > 1 && task?.data?.file !== undefined ? task.data : data
  const location = textOf(file as Record<string, unknown>, 'location')
  const name = textOf(file as Record<string, unknown>, 'file')
  if (name !== '') return { type: 'file', location: `${location}/${name}` }
  return { type: data.type === 'mosaic' ? 'mosaic' : 'directory', location }
}

/** False for the folder of an upload, which no source may read. */
async function isReachable({ type, location }: SourceData, signal: AbortSignal): Promise<boolean> {
  if (type !== 'file' && type !== 'directory' && type !== 'mosaic') return true
  const path = String(location)
  const folder = type === 'file' ? path.slice(0, path.lastIndexOf('/')) : path
  try {
    await call({ path: '/rest/import-folders', query: { path: folder } }, signal)
    return true
  } catch (error) {
    if (error instanceof Refusal && error.status < 500) return false
    throw error
  }
}
