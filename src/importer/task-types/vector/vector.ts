import { planTasks } from '../../inspect/inspect.ts'
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

/** Rows of a file, loaded into a table; also files that no format reads yet. */
export function vectorKind({ rows, pool }: { rows: RowLoads; pool: LoadPool }): TaskKind {
  const source = { open: openFile, refuse: () => Promise.resolve() }
  return {
    name: 'vector',
    takes: () => true,
    takesSource: () => true,
    takesLoad: () => true,
    data: { isFiles: true, opensArchives: true },
    look: async ({ described, context }) => planTasks(described, context),
    lookAgain: (task, signal) => describeAgain(pool, task, signal),
    listFiles: async ({ files }) => files,
    rows: async (running) => taskRows(running.task, openFile(running)),
    findTable: (running, signal) => rows.findTable(running, signal),
    describeTable: (running, signal) => rows.describeTable(running, signal),
    readsInPlace: () => false,
    examine: (task, context) => examineRows(task, context, servedType(task)),
    needsDefaultStore: (task, context) => needsDefaultStore(task, context, servedType(task)),
    checkTransforms: async (task, specs) => checkRowTransforms(task, specs),
    checkMode: () => Promise.resolve(),
    turn: (running) => rows.turn(running),
    place: (running, naming) => rows.place(running, naming, source),
    performDryRun: (running, notes, signal) => rows.performDryRun(running, source, notes, signal),
    recover: (load) => rows.recover(load),
    discard: (load) => rows.discard(load),
  }
}
