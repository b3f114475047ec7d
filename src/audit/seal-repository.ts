import type { Queryable } from '../core/db/connection.ts'
import type { Tables } from '../core/db/tables.ts'
import type { SealedDay } from './seal.ts'

/** A stored seal. */
export interface Seal extends SealedDay {
  seal: string
  keyName: string
  sealedAt: string
  /** When the entries were deleted. */
  expiredAt: string | undefined
  expirySeal: string | undefined
}

function toSeal(row: Tables['audit_seals']): Seal {
  return {
    day: row.day,
    entries: row.entries,
    digest: row.digest,
    previous: row.previous,
    seal: row.seal,
    keyName: row.key_name,
    sealedAt: row.sealed_at,
    expiredAt: row.expired_at ?? undefined,
    expirySeal: row.expiry_seal ?? undefined,
  }
}

/** Lists seals, the earliest first. */
export async function listSeals(db: Queryable): Promise<Seal[]> {
  const rows = await db.selectFrom('audit_seals').selectAll().orderBy('day').execute()
  return rows.map(toSeal)
}

export async function findLastSeal(db: Queryable): Promise<Seal | undefined> {
  const row = await db
    .selectFrom('audit_seals')
    .selectAll()
    .orderBy('day', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? undefined : toSeal(row)
}

export async function hasSeal(db: Queryable, day: string): Promise<boolean> {
  const row = await db.selectFrom('audit_seals').select('day').where('day', '=', day).executeTakeFirst()
  return row !== undefined
}

export async function insertSeal(db: Queryable, seal: Seal): Promise<void> {
  await db
    .insertInto('audit_seals')
    .values({
      day: seal.day,
      entries: seal.entries,
      digest: seal.digest,
      previous: seal.previous,
      seal: seal.seal,
      key_name: seal.keyName,
      sealed_at: seal.sealedAt,
      expired_at: null,
      expiry_seal: null,
    })
    .execute()
}

/** Lists seals whose entries are kept although the day is before `day`. */
export async function listUnexpired(db: Queryable, day: string): Promise<Seal[]> {
  const rows = await db
    .selectFrom('audit_seals')
    .selectAll()
    .where('day', '<', day)
    .where('expired_at', 'is', null)
    .orderBy('day')
    .execute()
  return rows.map(toSeal)
}

export async function expireSeal(
  db: Queryable,
  day: string,
  { expiredAt, expirySeal }: { expiredAt: string; expirySeal: string },
): Promise<void> {
  await db
    .updateTable('audit_seals')
    .set({ expired_at: expiredAt, expiry_seal: expirySeal })
    .where('day', '=', day)
    .execute()
}
