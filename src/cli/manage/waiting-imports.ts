import { readColumnOptions } from '../import-options.ts'
import { isSuccessful, outcomesAsJson, summary } from '../import-report.ts'
import { makePoints, makeTable } from '../import-tables.ts'
import type { TaskView } from '../import-views.ts'
import { readImport, readTasks } from '../import-views.ts'
import { UsageError } from '../options.ts'
import { ProgressDisplay } from '../progress-display.ts'
import type { RestRequests } from '../rest-client.ts'
import { listText } from '../text-table.ts'
import { runWatchedImport } from '../watch-run.ts'
import type { Action, ManageContext } from './run-kind.ts'

/** Returns `/rest/imports/3`; throws `UsageError` for an invalid id. */
export function pathOfImport(importId: string): string {
  if (/^\d+$/.test(importId)) return `/rest/imports/${importId}`
  throw new UsageError(`"${importId}" is not the id of an import: a whole number`)
}

const columns = ['id', 'state', 'layer', 'srs', 'file', 'message']

/** `terrane imports show IMPORT` */
export const show: Action = {
  words: ['IMPORT'],
  options: [],
  run: async ({ client }, [importId = '']) => describe(client, pathOfImport(importId)),
}

/** `terrane imports set-crs IMPORT EPSG:n`: for all tasks that need a CRS, or for one. */
export const setCrs: Action = {
  words: ['IMPORT', 'CRS'],
  options: ['task'],
  run: async (context, [importId = '', crs = '']) => {
    const path = pathOfImport(importId)
    const tasks = await chooseTasks(context, path, (task) => task.state === 'NO_CRS' && !task.isTable)
    if (tasks.length === 0)
      return nothingWaits(
        context.client,
        path,
        'No task with a geometry waits for a CRS (`terrane imports set-columns` is for those without)',
      )
    for (const { id } of tasks) await context.client.put(`${path}/tasks/${id}/layer`, { layer: { srs: crs } })
    return describe(context.client, path)
  },
}

/**
 * `terrane imports set-columns IMPORT --lat A --lon B`: creates points from columns, or tables, for tasks
 * without a geometry.
 */
export const setColumns: Action = {
  words: ['IMPORT'],
  options: ['task', 'lat', 'lon', 'x', 'y', 'srs', 'table-only'],
  run: async (context, [importId = '']) => {
    const { client, values } = context
    const { lat, lon, x, y, srs } = values
    const columns = readColumnOptions({ lat, lon, x, y, srs })
    const isTable = values['table-only'] === true
    if (isTable === (columns !== undefined))
      throw new UsageError(
        '`terrane imports set-columns` needs --lat and --lon, --x and --y with --srs, or --table-only',
      )
    const path = pathOfImport(importId)
    const tasks = await chooseTasks(context, path, (task) => task.isTable && task.state === 'NO_CRS')
    if (tasks.length === 0) return nothingWaits(client, path, 'No task waits for columns with coordinates')
    const options = srs === undefined ? {} : { srs }
    const failed: string[] = []
    for (const task of tasks) {
      const planned = { client, path: `${path}/tasks/${task.id}`, workspace: '', task, options }
      const left = columns === undefined ? await makeTable(planned) : await makePoints(planned, columns, srs)
      if (left !== undefined) failed.push(`Task ${task.id}: ${left.message}`)
    }
    const described = await describe(client, path)
    const text = [...failed, described.text].join('\n')
    return { ...described, text, isFailed: failed.length > 0 }
  },
}

/** `terrane imports run IMPORT`: runs all ready tasks and waits for the end. */
export const run: Action = {
  words: ['IMPORT'],
  options: [],
  run: async ({ client }, [importId = '']) => {
    pathOfImport(importId)
    const display = new ProgressDisplay(process.stderr)
    const outcomes = await runWatchedImport(
      { client, display },
      Number(importId),
      performance.now(),
      new Map(),
    )
    const result: unknown = JSON.parse(outcomesAsJson(outcomes))
    return { json: result, text: summary(outcomes), isFailed: !isSuccessful(outcomes) }
  },
}

/** `terrane imports cancel IMPORT`: cancels the run of an import, or of one task. */
export const cancel: Action = {
  words: ['IMPORT'],
  options: ['task'],
  run: async ({ client, values: { task } }, [importId = '']) => {
    const path = pathOfImport(importId)
    await client.delete(task === undefined ? `${path}/run` : `${path}/tasks/${taskIdOf(task)}/run`)
    return describe(client, path)
  },
}

function taskIdOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  throw new UsageError(`"${text}" is not the id of a task: a whole number`)
}

/** Returns the task of `--task`, else those that need input. */
async function chooseTasks(
  { client, values }: ManageContext,
  path: string,
  isWaiting: (task: TaskView) => boolean,
): Promise<TaskView[]> {
  const tasks = await listTasks(client, path)
  if (values.task === undefined) return tasks.filter(isWaiting)
  const requested = taskIdOf(values.task)
  const found = tasks.filter(({ id }) => id === requested)
  if (found.length === 0) throw new UsageError(`The import has no task ${requested}`)
  return found
}

async function listTasks(client: RestRequests, path: string): Promise<TaskView[]> {
  return readTasks(await client.get(`${path}/tasks?expand=2`))
}

async function nothingWaits(client: RestRequests, path: string, why: string) {
  const described = await describe(client, path)
  return { ...described, text: `${why}\n${described.text}`, isFailed: true }
}

async function describe(client: RestRequests, path: string) {
  const response = await client.get(`${path}?expand=3`)
  const { id, state, messages } = readImport(response)
  const tasks = (await listTasks(client, path)).map((task) => ({
    id: task.id,
    state: task.state,
    layer: task.layer,
    srs: task.srs ?? '',
    file: task.file,
    message: task.errorMessage ?? task.messages[0]?.text ?? '',
  }))
  const output = messages.map(({ level, text }) => `${level}: ${text}`)
  return {
    json: response,
    text: [`Import ${id}: ${state}`, listText('tasks', columns, tasks), ...output].join('\n'),
  }
}
