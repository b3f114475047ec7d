import { loadSettings } from '../core/config/settings.ts'
import { findAsk } from './ask.ts'
import { ensureWorkspace } from './ensure-workspace.ts'
import type { NamedDatabase } from './import-database.ts'
import { importDatabase, parseDatabase } from './import-database.ts'
import type { ImportOptions } from './import-options.ts'
import { parseImportOptions } from './import-options.ts'
import { isSuccessful, outcomesAsJson, summary } from './import-report.ts'
import { importFromPath } from './import-session.ts'
import type { Environment } from './options.ts'
import { ProgressDisplay } from './progress-display.ts'
import type { ServerAccess } from './server-access.ts'
import { withServer } from './server-access.ts'
import { standardStream, withStandardInput } from './standard-streams.ts'
import type { TaskOutcome } from './task-outcome.ts'
import { mainPaths } from './upload-files.ts'

/** `terrane import`: exit code 0 if every task is complete, 1 otherwise. */
export async function runImportCommand(args: string[], env: Environment): Promise<number> {
  const options = parseImportOptions(args)
  const settings = loadSettings({ TERRANE_LOG: 'warn', ...env })
  const database = options.database === undefined ? undefined : parseDatabase(options.database, env)
  // The command line in the process list may contain a password, so it is replaced as early as possible.
  if (database !== undefined) process.title = 'terrane import'
  const outcomes = await withServer(settings, options, env, (access) => importAll(access, options, database))
  process.stdout.write(`${options.isJson ? outcomesAsJson(outcomes) : summary(outcomes)}\n`)
  return isSuccessful(outcomes) ? 0 : 1
}

async function importAll(
  access: ServerAccess,
  options: ImportOptions,
  database: NamedDatabase | undefined,
): Promise<TaskOutcome[]> {
  const ask = findAsk()
  const display = new ProgressDisplay(process.stderr)
  const context = { ...access, display, ask }
  const { workspace } = options
  if (workspace !== undefined) await ensureWorkspace(context, workspace, options.createsWorkspace)
  if (database !== undefined) return importDatabase(context, database, options)
  const outcomes: TaskOutcome[] = []
  for (const path of mainPaths(options.paths)) {
    const load = (from: string): Promise<TaskOutcome[]> => importFromPath(context, from, options)
    outcomes.push(
      ...(path === standardStream ? await withStandardInput(options.inputName, load) : await load(path)),
    )
  }
  return outcomes
}
