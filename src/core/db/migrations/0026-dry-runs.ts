import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The columns that this migration reads and writes. */
interface Tables {
  imports: { id: number; document: string }
  tasks: { import_id: number; id: number; document: string }
  jobs: { kind: string }
}

function renameKey(document: string, key: string, name: string): string {
  const entries = Object.entries(JSON.parse(document) as Record<string, unknown>)
  return JSON.stringify(Object.fromEntries(entries.map(([one, value]) => [one === key ? name : one, value])))
}

/** Renames the keys of dry runs in the documents of imports and tasks, and the kind of their job. */
export const dryRuns: Migration = {
  up: async (db: Kysely<Tables>) => {
    const imports = await db
      .selectFrom('imports')
      .select(['id', 'document'])
      .where('document', 'like', '%"rehearsal":%')
      .execute()
    for (const { id, document } of imports)
      await db
        .updateTable('imports')
        .set({ document: renameKey(document, 'rehearsal', 'dryRun') })
        .where('id', '=', id)
        .execute()
    const tasks = await db
      .selectFrom('tasks')
      .select(['import_id', 'id', 'document'])
      .where('document', 'like', '%"rehearsing":%')
      .execute()
    for (const { import_id: importId, id, document } of tasks)
      await db
        .updateTable('tasks')
        .set({ document: renameKey(document, 'rehearsing', 'runningDryRun') })
        .where('import_id', '=', importId)
        .where('id', '=', id)
        .execute()
    await db
      .updateTable('jobs')
      .set({ kind: 'import.dry-run' })
      .where('kind', '=', 'import.rehearse')
      .execute()
  },
}
