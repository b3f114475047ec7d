import type { Queryable } from '../../core/db/connection.ts'

/** Number of objects, and the names of the first ones. */
export interface Named {
  total: number
  names: string[]
}

/** Counts stores, layers and styles by workspace; a workspace without any is missing. */
export async function countByWorkspace(
  db: Queryable,
): Promise<Record<'stores' | 'layers' | 'styles', Map<string, number>>> {
  const count = async (table: 'stores' | 'layers' | 'styles'): Promise<Map<string, number>> => {
    const rows = await db
      .selectFrom(table)
      .select(['workspace', (row) => row.fn.countAll<number>().as('count')])
      .groupBy('workspace')
      .execute()
    return new Map(rows.map((row) => [row.workspace, Number(row.count)]))
  }
  return { stores: await count('stores'), layers: await count('layers'), styles: await count('styles') }
}

/** Counts the layers of each store by store id. */
export async function countLayersByStore(db: Queryable): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('layers')
    .select(['store_id', (row) => row.fn.countAll<number>().as('count')])
    .groupBy('store_id')
    .execute()
  return new Map(rows.map((row) => [Number(row.store_id), Number(row.count)]))
}

/** Returns the names of stores or styles of a workspace. */
export async function namesIn(
  db: Queryable,
  table: 'stores' | 'styles',
  workspace: string,
  most: number,
): Promise<Named> {
  const rows = await db
    .selectFrom(table)
    .select('name')
    .where('workspace', '=', workspace)
    .orderBy('name')
    .execute()
  return { total: rows.length, names: rows.slice(0, most).map(({ name }) => name) }
}

/** Returns the names of the layers of a workspace or a store, with their workspace. */
export async function layersIn(
  db: Queryable,
  place: { workspace: string } | { storeIds: readonly number[] },
  most: number,
): Promise<Named> {
  let query = db.selectFrom('layers').select(['workspace', 'name']).orderBy('workspace').orderBy('name')
  if ('workspace' in place) query = query.where('workspace', '=', place.workspace)
  else query = query.where('store_id', 'in', [...place.storeIds])
  const rows = await query.execute()
  return {
    total: rows.length,
    names: rows.slice(0, most).map(({ workspace, name }) => `${workspace}:${name}`),
  }
}

/** Counts retained earlier contents in stores, and the bytes of those with known size. */
export async function countRetained(
  db: Queryable,
  storeIds: readonly number[],
): Promise<{ total: number; bytes: number }> {
  if (storeIds.length === 0) return { total: 0, bytes: 0 }
  const row = await db
    .selectFrom('layer_contents')
    .select((one) => [
      one.fn.countAll<number>().as('total'),
      one.fn.coalesce(one.fn.sum<number>('size_bytes'), one.lit(0)).as('bytes'),
    ])
    .where('store_id', 'in', [...storeIds])
    .where('form', '=', 'kept')
    .executeTakeFirstOrThrow()
  return { total: Number(row.total), bytes: Number(row.bytes) }
}
