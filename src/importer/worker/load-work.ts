import type { CallContext } from '../../core/workers/handlers.ts'
import { serveWork } from '../../core/workers/serve-work.ts'
import type { DataFile, FormatMessage, LayerDescription } from '../../formats/worker.ts'
import { getDatabaseReader } from '../../inputs/database/registry.ts'
import type { DatabaseConnection, DescribedDatabase } from '../../inputs/index.ts'
import type { LoadResult } from '../../stores/index.ts'
import { withExamples } from './coordinate-examples.ts'
import { describeFile } from './describe-file.ts'
import type { EditOutcome, EditPlan } from './edit-features.ts'
import { editFeatures } from './edit-features.ts'
import { findFirstRows } from './first-rows.ts'
import type { CorrectionOutcome, LoadOutcome, LoadPlan, LoadProgress, TriedLoad } from './load-plan.ts'
import type { RowsPlan } from './open-rows.ts'
import { readBounds } from './read-bounds.ts'
import type { TableRestorePlan } from './restore-table.ts'
import { runTableRestore } from './restore-table.ts'
import { dryRunLoad, runLoad } from './run-load.ts'
import { checkConnection, checkPlan, checkStore } from './trusted-databases.ts'
import type { WorkLocation } from './trusted-files.ts'
import { checkTrustedFile } from './trusted-files.ts'
import type { TaskRowsRequest } from './write-rows.ts'

/** Contents of a database, and the format reported for its tables. */
export interface DatabaseDescription extends DescribedDatabase {
  format: string
}

export type LoadNotice = { progress: LoadProgress } | { message: FormatMessage }

/** Requests of a load that it waits for: the load continues on a response and is discarded on an error. */
export type LoadCheckpoint =
  | { staged: true }
  | { touched: string }
  | { stopped: TriedLoad }
  | { nothingCorrected: CorrectionOutcome }
  | { token: string; outcome: LoadOutcome }
  | { token: string; restored: LoadResult }
  | { editing: { table: number; token: string; mark: string } }
  | { edited: EditOutcome }

type LoadContext = CallContext<LoadNotice, LoadCheckpoint, void>

interface DescribeDatabase {
  connection: DatabaseConnection
  tables?: readonly string[]
  maxTables: number
}

function handlersAt(location: WorkLocation) {
  return {
    describe: ({ file, charset }: { file: DataFile; charset?: string }, { signal }: CallContext) => {
      checkTrustedFile(location, file.path)
      return describeFile(file, charset, signal)
    },
    describeDatabase: async (
      { connection, tables, maxTables }: DescribeDatabase,
      { signal }: CallContext,
    ): Promise<DatabaseDescription> => {
      checkConnection(location, connection)
      const reader = getDatabaseReader(connection)
      const options = { maxTables, signal, tables }
      const { tables: found, messages } = await reader.describe(connection, options)
      const read = (table: LayerDescription) => reader.read(connection, table, { signal })
      return { format: reader.format, messages, tables: await withExamples(found, read, signal) }
    },
    bounds: (plan: RowsPlan, { signal }: CallContext) => readBounds(plan, location, signal),
    firstRows: (request: TaskRowsRequest, { signal }: CallContext) =>
      findFirstRows(request, location, signal),
    load: (plan: LoadPlan, { signal, notify, ask }: LoadContext): Promise<LoadOutcome> => {
      checkPlan(location, plan)
      return runLoad(plan, {
        signal,
        onProgress: (progress) => notify({ progress }),
        onMessage: (message) => notify({ message }),
        beforeTouch: (touched) => ask({ touched }),
        onStaged: () => ask({ staged: true }),
        onStopped: (stopped) => ask({ stopped }),
        onNothingCorrected: (nothingCorrected) => ask({ nothingCorrected }),
        beforeCommit: (token, outcome) => ask({ token, outcome }),
      })
    },
    restore: (plan: TableRestorePlan, { signal, notify, ask }: LoadContext): Promise<LoadResult> => {
      checkStore(location, plan.connection)
      return runTableRestore(plan, {
        signal,
        onMessage: (message) => notify({ message }),
        beforeTouch: (touched) => ask({ touched }),
        beforeCommit: (token, restored) => ask({ token, restored }),
      })
    },
    edit: (plan: EditPlan, { signal, ask }: LoadContext): Promise<EditOutcome> => {
      checkStore(location, plan.connection)
      return editFeatures(plan, {
        signal,
        beforeTouch: (table, token, mark) => ask({ editing: { table, token, mark } }),
        beforeCommit: (edited) => ask({ edited }),
      })
    },
    performDryRun: (plan: LoadPlan, { signal, notify }: LoadContext): Promise<TriedLoad> => {
      checkPlan(location, plan)
      return dryRunLoad(plan, {
        signal,
        onProgress: (progress) => notify({ progress }),
        onMessage: (message) => notify({ message }),
      })
    },
  }
}

/** Operations of the load worker. */
export type LoadWork = ReturnType<typeof handlersAt>

serveWork<LoadWork, WorkLocation>((place, _tell, allowReset) => {
  allowReset()
  return handlersAt(place)
})
