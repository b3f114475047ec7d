import type { Queryable } from '../../core/db/connection.ts'
import type { HostRecord } from '../model/records.ts'

export async function listHosts(db: Queryable): Promise<HostRecord[]> {
  return db.selectFrom('hosts').selectAll().orderBy('id').execute()
}

export async function findHost(db: Queryable, id: number): Promise<HostRecord | undefined> {
  return db.selectFrom('hosts').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function findHostNamed(db: Queryable, name: string): Promise<HostRecord | undefined> {
  return db.selectFrom('hosts').selectAll().where('name', '=', name).executeTakeFirst()
}

/** Returns the id of the new host. */
export async function insertHost(db: Queryable, host: Omit<HostRecord, 'id'>): Promise<number> {
  const { name, ip } = host
  const { id } = await db.insertInto('hosts').values({ name, ip }).returning('id').executeTakeFirstOrThrow()
  return Number(id)
}

export async function updateHost(db: Queryable, { id, name, ip }: HostRecord): Promise<void> {
  await db.updateTable('hosts').set({ name, ip }).where('id', '=', id).execute()
}

export async function deleteHost(db: Queryable, id: number): Promise<void> {
  await db.deleteFrom('hosts').where('id', '=', id).execute()
}
