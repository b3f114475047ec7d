import { defined } from '../core/values/defined.ts'
import type { Answer } from './ask.ts'
import type { PlannedTask, SessionContext, TargetOptions } from './import-context.ts'
import { prepareKeys } from './import-keys.ts'
import { prepareTable } from './import-tables.ts'
import type { ImportView, MessageView, TaskView } from './import-views.ts'
import type { RestClient } from './rest-client.ts'
import { listOf, readField, readString } from './rest-client.ts'
import type { TaskNote, TaskOutcome } from './task-outcome.ts'

export interface ImportPlan {
  /** By task id. */
  notes: ReadonlyMap<number, TaskNote>
  /** Outcome of removed tasks. */
  skipped: TaskOutcome[]
}

/** Sets how the server loads each task, and returns notes for the user. */
export async function preparePlan(
  context: SessionContext,
  { id, workspace }: ImportView,
  tasks: TaskView[],
  options: TargetOptions,
): Promise<ImportPlan> {
  const { client } = context
  const isNew = options.mode === undefined || options.mode === 'create'
  const taken = isNew ? await layerNames(client, workspace) : new Set<string>()
  const notes = new Map<number, TaskNote>()
  const skipped: TaskOutcome[] = []
  for (const task of tasks) {
    if (task.state === 'NO_FORMAT') continue
    const path = `/rest/imports/${id}/tasks/${task.id}`
    const planned = { client, path, workspace, task, options }
    const note = await prepareTask(context, planned, taken.has(task.layer))
    notes.set(task.id, note)
    if (note.left?.state === 'SKIPPED') skipped.push(skippedOutcome(task, note.left.message))
  }
  return { notes, skipped }
}

async function prepareTask(
  context: Pick<SessionContext, 'ask'>,
  planned: PlannedTask,
  isTaken: boolean,
): Promise<TaskNote> {
  const { task, options, client, path, workspace } = planned
  const messages: MessageView[] = []
  const name = `${workspace}:${task.layer}`
  const mode = options.mode ?? (isTaken ? await askForMode(context, name) : undefined)
  if (mode === 'skip') {
    await client.delete(path)
    return { left: { state: 'SKIPPED', message: `Layer ${name} stays as it was` }, messages }
  }
  if (isTaken && mode === undefined) messages.push(besideNote(workspace))
  const change = changeOf(mode, options)
  if (Object.keys(change).length > 0) await client.put(path, { task: change })
  if (task.isTable) {
    const left = await prepareTable(context, planned, mode ?? 'create')
    if (left !== undefined) return { left, messages }
    if (options.database !== undefined && options.takesTables !== true) messages.push(tableNote)
    return withKeys(context, planned, messages)
  }
  if (options.coordinates !== undefined) messages.push(unusedColumns)
  if (task.state === 'NO_CRS') await assignCrs(planned)
  return withKeys(context, planned, messages)
}

/** A definition declared in the data is reprojected if requested; otherwise the given code is assigned. */
async function assignCrs({
  client,
  path,
  task,
  options: { srs, reproject: target },
}: PlannedTask): Promise<void> {
  const isDeclared = task.messages.some(({ code }) => code === 'crs-without-code')
  if (target !== undefined && isDeclared) {
    const transform =
      task.unit === 'bytes'
        ? { type: 'RasterWarpTransform', options: ['-t_srs', target] }
        : { type: 'ReprojectTransform', source: 'declared', target }
    await client.post(`${path}/transforms`, transform)
    return
  }
  if (srs !== undefined) await client.put(`${path}/layer`, { layer: { srs } })
}

/** Searches keys after all other settings are made, if the user named none. */
async function withKeys(
  context: Pick<SessionContext, 'ask'>,
  planned: PlannedTask,
  messages: MessageView[],
): Promise<TaskNote> {
  const { mode, keys = [] } = planned.options
  if (mode !== 'upsert' || keys.length > 0) return { messages }
  const left = await prepareKeys(context, planned)
  return left === undefined ? { messages } : { left, messages }
}

/** Returns the load settings of the task that differ from the defaults. */
function changeOf(mode: string | undefined, options: TargetOptions): Record<string, unknown> {
  const { keys = [], deletesMissing, stopIf } = options
  return defined({
    updateMode: mode === 'create' ? undefined : mode?.toUpperCase(),
    keys: keys.length === 0 ? undefined : keys,
    deleteMissing: deletesMissing || undefined,
    stopIf,
  })
}

function skippedOutcome({ file, layer, unit }: TaskView, message: string): TaskOutcome {
  return { file, layer, unit, loaded: 0, rejected: 0, seconds: 0, state: 'SKIPPED', message, messages: [] }
}

const tableNote: MessageView = { level: 'info', text: 'The table has no geometry: it is loaded without one' }

const unusedColumns: MessageView = {
  level: 'info',
  text: 'The data have a geometry of their own: the columns of coordinates were not used',
}

function besideNote(workspace: string): MessageView {
  return {
    level: 'warning',
    text: `A layer of this name exists already in ${workspace}, so that this is a new one beside it: --mode replace puts it in its place, --mode append adds to it`,
  }
}

type ModeAnswer = 'replace' | 'append' | 'skip' | undefined

const modeAnswers: Answer[] = [
  { key: 'r', text: 'replace what it holds' },
  { key: 'a', text: 'append to it' },
  { key: 's', text: 'skip this one' },
  { key: 'n', text: 'load a new layer beside it' },
]

/** Returns undefined for a new layer, and without an interactive terminal. */
async function askForMode({ ask }: Pick<SessionContext, 'ask'>, name: string): Promise<ModeAnswer> {
  if (ask === undefined) return undefined
  const key = await ask(`Layer ${name} exists already.`, modeAnswers)
  return key === 'r' ? 'replace' : key === 'a' ? 'append' : key === 's' ? 'skip' : undefined
}

async function layerNames(client: RestClient, workspace: string): Promise<Set<string>> {
  const response = await client.get(`/rest/workspaces/${encodeURIComponent(workspace)}/layers`)
  return new Set(listOf(readField(response, 'layers'), 'layer').map((one) => readString(one, 'name')))
}
