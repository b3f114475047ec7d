import { loadSettings } from '../config/settings.ts'
import type { Environment } from './environment.ts'
import type { NamedDatabase } from './import-database.ts'
import { importDatabase, parseDatabase } from './import-database.ts'
import { importPath } from './import-session.ts'
import type { ImportOptions } from './options.ts'
import { parseImportOptions } from './options.ts'
import { amount, ProgressDisplay } from './progress-display.ts'
import type { ServerAccess } from './server-access.ts'
import { withServer } from './server-access.ts'
import { textTable } from './text-table.ts'
import { mainPaths } from './upload-files.ts'
import type { TaskOutcome } from './watch-run.ts'

/** `terrane import`: 0 when every task is complete, 1 otherwise. */
export async function runImport(args: string[], env: Environment): Promise<number> {
  const options = parseImportOptions(args)
  const settings = loadSettings({ TERRANE_LOG: 'warn', ...env })
  const database = options.database === undefined ? undefined : parseDatabase(options.database, env)
  // What the process list shows may hold a password no longer than necessary.
  if (database !== undefined) process.title = 'terrane import'
  const outcomes = await withServer(settings, options, env, (access) => importAll(access, options, database))
  process.stdout.write(`${summary(outcomes)}\n`)
  return outcomes.every((one) => one.state === 'COMPLETE') ? 0 : 1
}

async function importAll(
  access: ServerAccess,
  options: ImportOptions,
  database: NamedDatabase | undefined,
): Promise<TaskOutcome[]> {
  const context = { ...access, display: new ProgressDisplay(process.stderr) }
  if (database !== undefined) return importDatabase(context, database, options)
  const outcomes: TaskOutcome[] = []
  for (const path of mainPaths(options.paths)) outcomes.push(...(await importPath(context, path, options)))
  return outcomes
}

/** One line for each task, and a last one with the sums. */
export function summary(outcomes: TaskOutcome[]): string {
  const rows = outcomes.map((one) => [
    one.file,
    one.layer,
    one.state,
    one.unit === 'rows' ? one.loaded.toLocaleString('en') : amount(one.loaded, one.unit),
    one.rejected.toLocaleString('en'),
    one.seconds.toFixed(1),
    firstLine(one.message),
  ])
  const head = ['file', 'layer', 'state', 'loaded', 'rejected', 'seconds', 'message']
  const complete = outcomes.filter((one) => one.state === 'COMPLETE').length
  const last = `${complete} of ${outcomes.length} imported`
  return `${textTable(head, rows, ['loaded', 'rejected', 'seconds'])}\n${last}`
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? ''
}
