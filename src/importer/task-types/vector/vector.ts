import { planTasks } from '../../inspect/inspect.ts'
import type { TaskRecord } from '../../model/model.ts'
import type { LoadPool, LoadSource } from '../../worker/worker.ts'
import { checkRowTransforms } from '../load/check-rows.ts'
import { examineRows, needsDefaultStore } from '../load/examine-rows.ts'
import type { RowLoads } from '../load/load-rows.ts'
import { describeAgain, servedType, taskRows } from '../load/task-source.ts'
import type { Running, TaskKind } from '../task-type.ts'

function openFile({ task }: Running): LoadSource {
  const [file] = task.files
  const { source, format, charset } = task
  if (file === undefined || source === undefined || format === undefined) {
    throw new Error(`Task ${task.id} has no data to load`)
  }
  return { kind: 'file', file, format, layer: source, charset }
}

export interface VectorDeps {
  rows: RowLoads
  pool: LoadPool
  /**
   * True if layers may read files in place. False where servers share no disk: then rows are loaded into the default
   * store of the workspace.
   */
  servesFiles: boolean
}

/** Rows of a file, loaded into a table; also files that no format reads yet. */
export function vectorKind({ rows, pool, servesFiles }: VectorDeps): TaskKind {
  const served = (task: TaskRecord) => (servesFiles ? servedType(task) : undefined)
  const source = { open: openFile, refuse: () => Promise.resolve() }
  return {
    name: 'vector',
    takes: () => true,
    takesSource: () => true,
    takesLoad: () => true,
    data: { isFiles: true, opensArchives: true },
    inspect: async ({ described, context }) => planTasks(described, context),
    inspectAgain: (task, signal) => describeAgain(pool, task, signal),
    listFiles: async ({ files }) => files,
    rows: async (running) => taskRows(running.task, openFile(running)),
    findTable: (running, signal) => rows.findTable(running, signal),
    describeTable: (running, signal) => rows.describeTable(running, signal),
    readsInPlace: () => false,
    examine: (task, context) => examineRows(task, context, served(task)),
    needsDefaultStore: (task, context) => needsDefaultStore(task, context, served(task)),
    checkTransforms: async (task, specs) => checkRowTransforms(task, specs),
    checkMode: () => Promise.resolve(),
    turn: (running) => rows.turn(running),
    place: (running, naming) => rows.place(running, naming, source),
    performDryRun: (running, notes, signal) => rows.performDryRun(running, source, notes, signal),
    recover: (load) => rows.recover(load),
    discard: (load) => rows.discard(load),
  }
}
