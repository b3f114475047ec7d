import { extname } from 'node:path'
import type { Database } from '../../../core/db/connection.ts'
import type { FormatMessage } from '../../../formats/worker.ts'
import { scanFile } from '../../../inputs/index.ts'
import type { PlanContext } from '../../inspect/inspect.ts'
import { blankTask, planTasks, shownNames } from '../../inspect/inspect.ts'
import type {
  DescribedFile,
  GranuleRecord,
  ImportRecord,
  MosaicTask,
  MosaicTime,
  TaskRecord,
} from '../../model/model.ts'
import { listGranules, listTasks, replaceGranules } from '../../records/records.ts'
import type { LoadPool } from '../../worker/worker.ts'
import type { InspectedTask, TaskPlan } from '../task-type.ts'
import { assembleMosaic, mosaicName } from './assemble-mosaic.ts'
import { toGranule } from './granule.ts'
import { findTimes } from './granule-times.ts'

interface InspectMosaicDeps {
  database: Database
  pool: LoadPool
}

const noTimes: MosaicTime = { mode: 'none' }

async function withTimes(
  granules: GranuleRecord[],
  time: MosaicTime,
  signal: AbortSignal,
): Promise<GranuleRecord[]> {
  const paths = granules.map(({ file }) => file.path)
  const times = await findTimes(paths, time, signal)
  return granules.map((granule, index) => {
    const found = times[index]
    if (found === undefined) return granule
    return 'timeMs' in found ? { ...granule, timeMs: found.timeMs } : { ...granule, timeFault: found.fault }
  })
}

const extensionOf = (path: string): string => extname(path).toLowerCase()

/** Chooses the files that are granules: rasters, and unreadable files with the extension of a raster. */
function chooseGranules(described: DescribedFile[], known: GranuleRecord[]) {
  const isRaster = ({ format }: DescribedFile) => format?.kind === 'raster'
  const paths = [...described.filter(isRaster), ...known].map(({ file }) => file.path)
  const extensions = new Set(paths.map(extensionOf))
  const isGranule = (one: DescribedFile) =>
    isRaster(one) || (one.format === undefined && extensions.has(extensionOf(one.file.path)))
  return { chosen: described.filter(isGranule), others: described.filter((one) => !isGranule(one)) }
}

async function findOpenMosaic(database: Database, record: ImportRecord): Promise<TaskRecord | undefined> {
  if (record.state === 'INIT') return undefined
  const tasks = await listTasks(database.kysely, record.id)
  return tasks.find(
    ({ mosaic, isUploaded, state }) =>
      mosaic !== undefined && isUploaded && state !== 'COMPLETE' && state !== 'RUNNING',
  )
}

function skipped(others: DescribedFile[], context: PlanContext): FormatMessage[] {
  if (others.length === 0) return []
  const text = `These files are not rasters and are not part of the mosaic: ${shownNames(others, context)}`
  return [{ level: 'info', code: 'files-skipped', message: text }]
}

/** Plans tasks for data without rasters: reports the same as for a directory of unreadable files. */
function planUnread(described: DescribedFile[], context: PlanContext): TaskPlan {
  const plan = planTasks(
    described.map(({ file }) => ({ file, layers: [] })),
    context,
  )
  const message: FormatMessage = {
    level: 'warning',
    code: 'no-format',
    message: `None of these files is a raster: ${shownNames(described, context)}`,
  }
  const tasks = plan.tasks.map((task) => (described.length === 0 ? task : { ...task, messages: [message] }))
  return { tasks, messages: plan.messages, granules: [] }
}

/**
 * Creates one task for all granules of a mosaic. Granules uploaded later are added to that task until it is
 * published.
 */
export async function inspectMosaic(
  database: Database,
  { record, described, context, signal }: InspectedTask,
): Promise<TaskPlan> {
  const { time = noTimes, path, isOurs } = record.source ?? {}
  const open = context.isUploaded ? await findOpenMosaic(database, record) : undefined
  const known = open === undefined ? [] : await listGranules(database.kysely, placeOf(open))
  const { chosen, others } = chooseGranules(described, known)
  const [first] = chosen
  if (first === undefined) return planUnread(described, context)
  const task = open ?? { ...blankTask(context, first.file.path), id: context.nextTaskId }
  const place = { ...placeOf(task), folder: context.folder }
  const added = await withTimes(
    chosen.map((one) => toGranule({ ...one, format: one.format?.name }, place)),
    time,
    signal,
  )
  const name = mosaicName(isOurs === true ? undefined : path)
  const settled = assembleMosaic(task, [...known, ...added], { name, time })
  return {
    tasks: open === undefined ? [settled.task] : [],
    messages: skipped(others, context),
    granules: settled.granules,
    grown: open === undefined ? undefined : settled.task,
  }
}

function placeOf({ importId, id }: TaskRecord): { importId: number; taskId: number } {
  return { importId, taskId: id }
}

/** Inspects granules with errors again, since the files may have been corrected at their location. */
export async function inspectAgain(
  { database, pool }: InspectMosaicDeps,
  task: TaskRecord,
  { faults, time }: MosaicTask,
  signal: AbortSignal,
): Promise<TaskRecord> {
  if (faults === 0) return task
  const db = database.kysely
  const place = { ...placeOf(task), folder: task.folder }
  const inspected: GranuleRecord[] = []
  for (const granule of await listGranules(db, place)) {
    if (granule.fault === undefined) {
      inspected.push(granule)
      continue
    }
    const { timeMs, timeFault } = granule
    const file = await scanFile(granule.file.path, signal).catch(() => granule.file)
    const described = await pool.describe(file, { signal })
    const again = toGranule({ ...described, format: described.format?.name }, place)
    inspected.push({ ...again, timeMs: timeMs ?? again.timeMs, timeFault: timeFault ?? again.timeFault })
  }
  const settled = assembleMosaic(task, inspected, { name: task.source?.name ?? 'mosaic', time })
  await database.transaction((transaction) => replaceGranules(transaction, settled.granules))
  return settled.task
}
