import type { Vault } from '../../../core/secrets/vault.ts'
import { openedConnection } from '../../inspect/inspect.ts'
import type { LoadPool } from '../../worker/worker.ts'
import { checkRowTransforms } from '../load/check-rows.ts'
import { examineRows, needsDefaultStore } from '../load/examine-rows.ts'
import type { RowLoads } from '../load/load-rows.ts'
import type { RowSource } from '../load/row-load-deps.ts'
import { taskRows } from '../load/task-source.ts'
import type { TaskKind } from '../task-type.ts'
import { inspectTables } from './inspect-tables.ts'
import { refuseSameTable } from './same-table.ts'

export interface TableTaskDeps {
  rows: RowLoads
  pool: LoadPool
  vault: Vault
}

function rowsOf(vault: Vault): RowSource {
  return {
    open: ({ record, task }) => {
      const { database } = record.source ?? {}
      if (database === undefined || task.source === undefined) {
        throw new Error(`Task ${task.id} has no data to load`)
      }
      return { kind: 'database', connection: openedConnection(vault, database), table: task.source }
    },
    refuse: async ({ record, task: { table } }, to) => {
      const { database } = record.source ?? {}
      if (database === undefined || table === undefined) return
      await refuseSameTable({ place: database.place, table }, to)
    },
  }
}

/** A table of a database, loaded like rows of a file. */
export function tableKind({ rows, pool, vault }: TableTaskDeps): TaskKind {
  const source = rowsOf(vault)
  return {
    name: 'table',
    takes: ({ table }) => table !== undefined,
    takesSource: ({ database }) => database !== undefined,
    takesLoad: () => false,
    data: { isFiles: false, opensArchives: false },
    inspect: (data) => inspectTables({ pool, vault }, data),
    inspectAgain: async (task) => task,
    listFiles: async ({ files }) => files,
    rows: async (running) => taskRows(running.task, source.open(running)),
    findTable: (running, signal) => rows.findTable(running, signal),
    describeTable: (running, signal) => rows.describeTable(running, signal),
    readsInPlace: () => false,
    examine: (task, context) => examineRows(task, context),
    needsDefaultStore: (task, context) => needsDefaultStore(task, context),
    checkTransforms: async (task, specs) => checkRowTransforms(task, specs),
    checkMode: () => Promise.resolve(),
    turn: (running) => rows.turn(running),
    place: (running, naming) => rows.place(running, naming, source),
    performDryRun: (running, notes, signal) => rows.performDryRun(running, source, notes, signal),
    recover: (load) => rows.recover(load),
    discard: (load) => rows.discard(load),
  }
}
