import type { Selectable } from 'kysely'
import type { Queryable } from '../../../core/db/connection.ts'
import type { Tables } from '../../../core/db/tables.ts'
import { severities } from '../../model/records.ts'
import type {
  Check,
  CheckSettings,
  Definition,
  DefinitionBounds,
  NewCheck,
  Threshold,
} from '../model/model.ts'

type CheckRow = Selectable<Tables['notification_checks']>
type DefinitionRow = Selectable<Tables['notification_definitions']>

function toDefinition(row: DefinitionRow): Definition {
  return {
    id: row.id,
    metric: row.metric,
    option: row.field_option,
    description: row.description,
    bounds: JSON.parse(row.document) as DefinitionBounds,
    threshold: row.threshold === null ? undefined : (JSON.parse(row.threshold) as Threshold),
  }
}

function toCheck(row: CheckRow, definitions: readonly DefinitionRow[]): Check {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    severity: severities.find((one) => one === row.severity) ?? 'error',
    isActive: row.is_active !== 0,
    graceSeconds: row.grace_seconds,
    windowSeconds: row.window_seconds,
    lastSend: row.last_send ?? undefined,
    failingSince: row.failing_since ?? undefined,
    definitions: definitions.filter((one) => one.check_id === row.id).map(toDefinition),
  }
}

export async function listChecks(db: Queryable): Promise<Check[]> {
  const rows = await db.selectFrom('notification_checks').selectAll().orderBy('id').execute()
  const definitions = await db.selectFrom('notification_definitions').selectAll().orderBy('id').execute()
  return rows.map((row) => toCheck(row, definitions))
}

export async function findCheck(db: Queryable, id: number): Promise<Check | undefined> {
  const row = await db.selectFrom('notification_checks').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) return undefined
  const definitions = await db
    .selectFrom('notification_definitions')
    .selectAll()
    .where('check_id', '=', id)
    .orderBy('id')
    .execute()
  return toCheck(row, definitions)
}

export async function isNameTaken(db: Queryable, name: string): Promise<boolean> {
  const query = db.selectFrom('notification_checks').select('id').where('name', '=', name)
  return (await query.executeTakeFirst()) !== undefined
}

/** Returns the id of the new check. A name that exists violates the constraint of the table. */
export async function insertCheck(db: Queryable, check: NewCheck): Promise<number> {
  const { id } = await db
    .insertInto('notification_checks')
    .values({
      name: check.name,
      description: check.description,
      severity: check.severity,
      is_active: check.isActive ? 1 : 0,
      grace_seconds: check.graceSeconds,
      window_seconds: check.windowSeconds,
      evaluated_to: 0,
      revision: 0,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const rows = check.definitions.map((one) => ({
    check_id: id,
    metric: one.metric,
    field_option: one.option,
    description: one.description,
    document: JSON.stringify(one.bounds),
    threshold: one.threshold === undefined ? null : JSON.stringify(one.threshold),
  }))
  if (rows.length > 0) await db.insertInto('notification_definitions').values(rows).execute()
  return id
}

/** Also resets the state: results under other settings are no longer reported. */
export async function updateCheck(db: Queryable, id: number, settings: CheckSettings): Promise<void> {
  await db
    .updateTable('notification_checks')
    .set((expression) => ({
      severity: settings.severity,
      is_active: settings.isActive ? 1 : 0,
      grace_seconds: settings.graceSeconds,
      window_seconds: settings.windowSeconds,
      revision: expression('revision', '+', 1),
      failing_since: settings.isActive ? undefined : null,
    }))
    .where('id', '=', id)
    .execute()
}

export async function updateThreshold(
  db: Queryable,
  definitionId: number,
  threshold: Threshold | undefined,
): Promise<void> {
  await db
    .updateTable('notification_definitions')
    .set({ threshold: threshold === undefined ? null : JSON.stringify(threshold) })
    .where('id', '=', definitionId)
    .execute()
}

export async function deleteCheck(db: Queryable, id: number): Promise<boolean> {
  const result = await db.deleteFrom('notification_checks').where('id', '=', id).executeTakeFirst()
  return Number(result.numDeletedRows) > 0
}

/** Claims a period of a check; returns true on only one of several servers. */
export async function claimPeriod(db: Queryable, id: number, to: number): Promise<boolean> {
  const result = await db
    .updateTable('notification_checks')
    .set({ evaluated_to: to })
    .where('id', '=', id)
    .where('evaluated_to', '<', to)
    .where('is_active', '=', 1)
    .executeTakeFirst()
  return Number(result.numUpdatedRows) > 0
}

export async function setFailingSince(db: Queryable, id: number, at: string | undefined): Promise<void> {
  await db
    .updateTable('notification_checks')
    .set({ failing_since: at ?? null })
    .where('id', '=', id)
    .execute()
}

/** Marks that a message about a problem was delivered. */
export async function markSent(db: Queryable, id: number, at: string): Promise<void> {
  await db
    .updateTable('notification_checks')
    .set({ last_send: at })
    .where('id', '=', id)
    .where((expression) =>
      expression.or([expression('last_send', 'is', null), expression('last_send', '<', at)]),
    )
    .execute()
}
