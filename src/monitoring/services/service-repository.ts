import type { Queryable } from '../../core/db/connection.ts'
import { Secret } from '../../core/secrets/secret.ts'
import type { Vault } from '../../core/secrets/vault.ts'
import type { ServiceRecord, ServiceSource, ServiceValues } from '../model/records.ts'
import type { ServiceType } from '../model/service-types.ts'

function selectServices(db: Queryable) {
  return db
    .selectFrom('services')
    .innerJoin('hosts', 'hosts.id', 'services.host_id')
    .selectAll('services')
    .select('hosts.name as host_name')
}

type Row = Awaited<ReturnType<ReturnType<typeof selectServices>['execute']>>[number]

function toRecord(row: Row, vault: Vault): ServiceRecord {
  const source = JSON.parse(row.source) as ServiceSource
  const password = openPassword(row.password, vault)
  return {
    id: row.id,
    name: row.name,
    type: row.type as ServiceType,
    hostId: row.host_id,
    hostName: row.host_name,
    url: row.url,
    notes: row.notes,
    isActive: row.is_active === 1,
    checkIntervalSeconds: row.check_interval,
    lastCheck: row.last_check ?? undefined,
    source: { ...source, ...(password && { password }) },
  }
}

/**
 * Decrypts a password; undefined if it was encrypted with another key, which must not prevent reading other
 * services.
 */
function openPassword(sealed: string, vault: Vault): Secret | undefined {
  try {
    return sealed === '' ? undefined : new Secret(vault.open(sealed))
  } catch {
    return undefined
  }
}

function toRow(values: ServiceValues, vault: Vault) {
  const { name, type, hostId, url, notes, isActive, checkIntervalSeconds, source } = values
  const { password, ...shown } = { password: undefined, ...source }
  return {
    name,
    type,
    host_id: hostId,
    url,
    notes,
    is_active: isActive ? 1 : 0,
    check_interval: checkIntervalSeconds,
    source: JSON.stringify(shown),
    password: password === undefined ? '' : vault.seal(password.reveal()),
  }
}

/** Lists services in the order of their creation. */
export async function listServices(db: Queryable, vault: Vault): Promise<ServiceRecord[]> {
  const rows = await selectServices(db).orderBy('services.id').execute()
  return rows.map((row) => toRecord(row, vault))
}

export async function findService(
  db: Queryable,
  vault: Vault,
  id: number,
): Promise<ServiceRecord | undefined> {
  const row = await selectServices(db).where('services.id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : toRecord(row, vault)
}

export async function findServiceIdNamed(db: Queryable, name: string): Promise<number | undefined> {
  const row = await db.selectFrom('services').select('id').where('name', '=', name).executeTakeFirst()
  return row?.id
}

/** Lists the names of the services of a host. */
export async function listServiceNamesOf(db: Queryable, hostId: number): Promise<string[]> {
  const found = db.selectFrom('services').select('name').where('host_id', '=', hostId)
  return (await found.orderBy('id').execute()).map(({ name }) => name)
}

/** Returns the id of the new service. */
export async function insertService(db: Queryable, vault: Vault, values: ServiceValues): Promise<number> {
  const row = toRow(values, vault)
  const { id } = await db
    .insertInto('services')
    .values({ ...row, last_check: null })
    .returning('id')
    .executeTakeFirstOrThrow()
  return Number(id)
}

export async function updateService(
  db: Queryable,
  vault: Vault,
  id: number,
  values: ServiceValues,
): Promise<void> {
  await db.updateTable('services').set(toRow(values, vault)).where('id', '=', id).execute()
}

export async function updateLastCheck(db: Queryable, id: number, at: string): Promise<void> {
  await db.updateTable('services').set({ last_check: at }).where('id', '=', id).execute()
}

export async function deleteService(db: Queryable, id: number): Promise<void> {
  await db.deleteFrom('services').where('id', '=', id).execute()
}
