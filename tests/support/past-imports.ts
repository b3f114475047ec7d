import { DatabaseSync } from 'node:sqlite'

interface Past {
  count: number
  /** The number of the first. */
  first?: number
  end?: number
}

/**
 * Writes imports of other days into the database as a server stores them, at intervals of a minute back from
 * `end`; each has one task.
 */
export function writePastImports(databasePath: string, { count, first = 0, end = Date.now() }: Past): void {
  const database = new DatabaseSync(databasePath)
  const addImport = database.prepare(
    'insert into imports (id, state, next_task_id, document, revision, created_at, updated_at) values (?, ?, 1, ?, 1, ?, ?)',
  )
  const addTask = database.prepare(
    "insert into tasks (import_id, id, state, sort_key, document, updated_at, revision) values (?, 0, ?, 'a', ?, ?, 1)",
  )
  database.exec('begin')
  for (let id = first; id < first + count; id += 1) {
    const hasFailed = id % 10 === 9
    const at = new Date(end - (first + count - id) * 60_000).toISOString()
    const user = id % 3 === 0 ? 'jana' : 'admin'
    addImport.run(id, hasFailed ? 'COMPLETE_ERROR' : 'COMPLETE', importDocument(id, user), at, at)
    addTask.run(id, hasFailed ? 'ERROR' : 'COMPLETE', taskDocument(id, hasFailed), at)
  }
  database.exec('commit')
  database.exec(`update counters set value = ${first + count} where name = 'import-id'`)
  database.close()
}

function importDocument(id: number, user: string): string {
  return JSON.stringify({
    isArchived: false,
    workspace: 'default',
    transforms: [],
    messages: [],
    nextUpload: 0,
    user,
    source: { type: 'file', path: `/srv/data/plan_${id}.gpkg`, isOurs: false },
  })
}

function taskDocument(id: number, hasFailed: boolean): string {
  const name = `plan_${id}`
  const failure = hasFailed ? { errorMessage: `Row ${id}: a ring is not closed`, errorCode: 'odd-ring' } : {}
  const message = { level: 'warning', code: 'renamed', message: `Column of Plän ${id} was renamed` }
  return JSON.stringify({
    updateMode: 'CREATE',
    folder: '/srv/data',
    isUploaded: false,
    isDirect: false,
    files: [{ path: `/srv/data/${name}.gpkg`, sidecars: {} }],
    layer: { name, title: name, originalName: name, nativeName: name, style: 'generic' },
    transforms: [],
    nextTransformId: 0,
    messages: [message],
    rowsRead: 10,
    rowsLoaded: 9,
    rejected: 1,
    ...failure,
  })
}
