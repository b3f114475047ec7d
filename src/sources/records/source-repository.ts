import type { Selectable } from 'kysely'
import type { Queryable } from '../../core/db/connection.ts'
import type { Tables } from '../../core/db/tables.ts'
import { conflict, notFound } from '../../core/errors/errors.ts'
import type { SourceMemory, SourceRecord, SourceSettings, Watched } from '../model/source.ts'

type Row = Selectable<Tables['sources']>

/** A source before it is stored. */
export type NewSource = Pick<SourceRecord, 'name' | 'owner' | 'settings' | 'sealedPassword' | 'nextRun'>

function toSource(row: Row): SourceRecord {
  return {
    id: Number(row.id),
    name: row.name,
    owner: row.owner,
    settings: { ...(JSON.parse(row.settings) as SourceSettings), enabled: row.is_enabled === 1 },
    sealedPassword: row.secrets,
    nextRun: row.next_run ?? undefined,
    watched: row.watched === null ? undefined : (JSON.parse(row.watched) as Watched),
    memory: JSON.parse(row.memory) as SourceMemory,
    checkId: row.check_id === null ? undefined : Number(row.check_id),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    revision: row.revision,
  }
}

/** Lists sources by name. */
export async function listSources(db: Queryable): Promise<SourceRecord[]> {
  return (await db.selectFrom('sources').selectAll().orderBy('name').execute()).map(toSource)
}

export async function findSource(db: Queryable, name: string): Promise<SourceRecord | undefined> {
  const row = await db.selectFrom('sources').selectAll().where('name', '=', name).executeTakeFirst()
  return row === undefined ? undefined : toSource(row)
}

export async function findSourceById(db: Queryable, id: number): Promise<SourceRecord | undefined> {
  const row = await db.selectFrom('sources').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : toSource(row)
}

/** Throws `Failure` (`notFound`) for a source that does not exist. */
export async function getSource(db: Queryable, name: string): Promise<SourceRecord> {
  const source = await findSource(db, name)
  if (source === undefined) throw notFound('unknown-source', `Source "${name}" does not exist`)
  return source
}

export async function insertSource(db: Queryable, source: NewSource, at: string): Promise<number> {
  const memory: SourceMemory = { versions: {} }
  const row = await db
    .insertInto('sources')
    .values({
      name: source.name,
      owner: source.owner,
      is_enabled: source.settings.enabled ? 1 : 0,
      settings: JSON.stringify(source.settings),
      secrets: source.sealedPassword,
      next_run: source.nextRun ?? null,
      watched: null,
      memory: JSON.stringify(memory),
      check_id: null,
      created_at: at,
      updated_at: at,
      revision: 0,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return Number(row.id)
}

/** Saves the settings of a source that was read before; `conflict` if they were changed in between. */
export async function updateSource(
  db: Queryable,
  { id, name, owner, settings, sealedPassword, nextRun, revision }: SourceRecord,
  at: string,
): Promise<void> {
  const result = await db
    .updateTable('sources')
    .set({
      owner,
      is_enabled: settings.enabled ? 1 : 0,
      settings: JSON.stringify(settings),
      secrets: sealedPassword,
      next_run: nextRun ?? null,
      watched: null,
      updated_at: at,
      revision: revision + 1,
    })
    .where('id', '=', id)
    .where('revision', '=', revision)
    .executeTakeFirst()
  if (Number(result.numUpdatedRows) !== 1)
    throw conflict('changed-meanwhile', `Source "${name}" was changed meanwhile: try again`)
}

export async function deleteSource(db: Queryable, id: number): Promise<void> {
  await db.deleteFrom('source_runs').where('source_id', '=', id).execute()
  await db.deleteFrom('sources').where('id', '=', id).execute()
}

export async function setCheck(db: Queryable, id: number, checkId: number | undefined): Promise<void> {
  await db
    .updateTable('sources')
    .set({ check_id: checkId ?? null })
    .where('id', '=', id)
    .execute()
}

export async function setMemory(db: Queryable, id: number, memory: SourceMemory): Promise<void> {
  await db
    .updateTable('sources')
    .set({ memory: JSON.stringify(memory) })
    .where('id', '=', id)
    .execute()
}

/** Moves the next run from `before` to `next`; false if another server was first. */
export async function moveNextRun(
  db: Queryable,
  { id, before, next }: { id: number; before: string | undefined; next: string | undefined },
): Promise<boolean> {
  const result = await db
    .updateTable('sources')
    .set({ next_run: next ?? null })
    .where('id', '=', id)
    .where('is_enabled', '=', 1)
    .where('next_run', before === undefined ? 'is' : '=', before ?? null)
    .executeTakeFirst()
  return Number(result.numUpdatedRows) === 1
}

/** Replaces the state of a watched folder; false if another server was first. */
export async function moveWatched(
  db: Queryable,
  id: number,
  before: Watched | undefined,
  next: Watched,
): Promise<boolean> {
  const result = await db
    .updateTable('sources')
    .set({ watched: JSON.stringify(next) })
    .where('id', '=', id)
    .where('is_enabled', '=', 1)
    .where('watched', before === undefined ? 'is' : '=', before === undefined ? null : JSON.stringify(before))
    .executeTakeFirst()
  return Number(result.numUpdatedRows) === 1
}
