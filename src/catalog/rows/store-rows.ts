import type { Selectable } from 'kysely'
import type { Queryable } from '../../core/db/connection.ts'
import type { Tables } from '../../core/db/tables.ts'
import { notFound } from '../../core/errors/errors.ts'
import type { AnyStoreType, StoreParameters } from '../../stores/index.ts'
import type { Discovery, StoreKind, StoreMaker, StoreRecord } from '../records.ts'
import { growWithStore } from './version-numbers.ts'

type StoreRow = Selectable<Tables['stores']>

/** A store as written: plain parameters and encrypted ones. */
export interface StoreValues {
  kind: StoreKind
  type: AnyStoreType
  isEnabled: boolean
  isDefault: boolean
  parameters: StoreParameters
  secretNames: string[]
  /** Sealed JSON of the secret parameters; empty when there are none. */
  sealed: string
  description: string | undefined
  madeBy?: StoreMaker | undefined
}

interface ParameterDocument {
  shown: StoreParameters
  secretNames: string[]
}

function toStoreRecord(row: StoreRow): StoreRecord {
  const document = JSON.parse(row.parameters) as ParameterDocument
  return {
    id: Number(row.id),
    workspace: row.workspace,
    name: row.name,
    kind: row.kind as StoreKind,
    type: row.type as AnyStoreType,
    isEnabled: row.is_enabled === 1,
    isDefault: row.is_default === 1,
    parameters: document.shown,
    secretNames: document.secretNames,
    description: row.description ?? undefined,
    madeBy: row.made_by === 'admin' || row.made_by === 'staff' ? row.made_by : undefined,
    keepsVersions: row.keeps_versions === 1,
    discovery: row.discovery === null ? undefined : (JSON.parse(row.discovery) as Discovery),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function toColumns(values: StoreValues) {
  const document: ParameterDocument = { shown: values.parameters, secretNames: values.secretNames }
  return {
    kind: values.kind,
    type: values.type,
    is_enabled: values.isEnabled ? 1 : 0,
    is_default: values.isDefault ? 1 : 0,
    parameters: JSON.stringify(document),
    secrets: values.sealed,
    description: values.description ?? null,
    made_by: values.madeBy ?? null,
  }
}

export async function listStores(db: Queryable, workspace: string, kind?: StoreKind): Promise<StoreRecord[]> {
  let query = db.selectFrom('stores').selectAll().where('workspace', '=', workspace).orderBy('name')
  if (kind !== undefined) query = query.where('kind', '=', kind)
  return (await query.execute()).map(toStoreRecord)
}

/** Lists the stores of all workspaces. */
export async function listAllStores(db: Queryable): Promise<StoreRecord[]> {
  return (await db.selectFrom('stores').selectAll().orderBy('id').execute()).map(toStoreRecord)
}

export async function findStore(
  db: Queryable,
  workspace: string,
  name: string,
): Promise<StoreRecord | undefined> {
  const row = await db
    .selectFrom('stores')
    .selectAll()
    .where('workspace', '=', workspace)
    .where('name', '=', name)
    .executeTakeFirst()
  return row === undefined ? undefined : toStoreRecord(row)
}

export async function getStoreById(db: Queryable, id: number): Promise<StoreRecord> {
  const row = await db.selectFrom('stores').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw notFound('unknown-store', `Store ${id} does not exist`)
  return toStoreRecord(row)
}

export async function findDefaultStore(db: Queryable, workspace: string): Promise<StoreRecord | undefined> {
  const row = await db
    .selectFrom('stores')
    .selectAll()
    .where('workspace', '=', workspace)
    .where('is_default', '=', 1)
    .executeTakeFirst()
  return row === undefined ? undefined : toStoreRecord(row)
}

export async function insertStore(
  db: Queryable,
  target: { workspace: string; name: string; at: string },
  values: StoreValues,
): Promise<number> {
  const { workspace, name, at } = target
  const row = await db
    .insertInto('stores')
    .values({ workspace, name, ...toColumns(values), created_at: at, updated_at: at })
    .returning('id')
    .executeTakeFirstOrThrow()
  return Number(row.id)
}

/** Inserts a deleted store without secrets under its former id. */
export async function insertStoreAgain(db: Queryable, store: StoreRecord, at: string): Promise<void> {
  const { id, workspace, name, createdAt, keepsVersions, discovery } = store
  const columns = toColumns({ ...store, sealed: '' })
  await db
    .insertInto('stores')
    .values({ id, workspace, name, ...columns, created_at: createdAt, updated_at: at })
    .execute()
  await setKeepsVersions(db, id, keepsVersions)
  await setDiscovery(db, id, discovery)
}

/** Run in a transaction: the layers of the store get new versions. */
export async function updateStore(db: Queryable, id: number, values: StoreValues, at: string): Promise<void> {
  await db
    .updateTable('stores')
    .set({ ...toColumns(values), updated_at: at })
    .where('id', '=', id)
    .execute()
  await growWithStore(db, id, at)
}

export async function setKeepsVersions(db: Queryable, id: number, keepsVersions: boolean): Promise<void> {
  await db
    .updateTable('stores')
    .set({ keeps_versions: keepsVersions ? 1 : 0 })
    .where('id', '=', id)
    .execute()
}

/** Sets which tables of a store are published automatically; undefined for none. */
export async function setDiscovery(
  db: Queryable,
  id: number,
  discovery: Discovery | undefined,
): Promise<void> {
  await db
    .updateTable('stores')
    .set({ discovery: discovery === undefined ? null : JSON.stringify(discovery) })
    .where('id', '=', id)
    .execute()
}

/** Excludes a table from discovery after a user deleted its layer. */
export async function excludeFromDiscovery(db: Queryable, { id }: StoreRecord, table: string): Promise<void> {
  const { discovery } = await getStoreById(db, id)
  if (discovery === undefined) return
  await setDiscovery(db, id, { ...discovery, exclude: [...new Set([...discovery.exclude, table])] })
}

/**
 * Switches a store without secrets to another file, which may have another type; its layers get new versions,
 * except `but`.
 */
export async function moveStore(
  db: Queryable,
  id: number,
  { type, parameters }: Pick<StoreValues, 'type' | 'parameters'>,
  { at, but }: { at: string; but: readonly number[] },
): Promise<void> {
  const document: ParameterDocument = { shown: parameters, secretNames: [] }
  await db
    .updateTable('stores')
    .set({ type, parameters: JSON.stringify(document), updated_at: at })
    .where('id', '=', id)
    .execute()
  await growWithStore(db, id, at, but)
}

/** Returns the encrypted secrets of a store; empty if it has none. */
export async function readSealedSecrets(db: Queryable, id: number): Promise<string> {
  const row = await db.selectFrom('stores').select('secrets').where('id', '=', id).executeTakeFirst()
  return row?.secrets ?? ''
}

export async function deleteStoreRow(db: Queryable, id: number): Promise<void> {
  await db.deleteFrom('stores').where('id', '=', id).execute()
}
