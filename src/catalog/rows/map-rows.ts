import type { Selectable } from 'kysely'
import type { Queryable } from '../../core/db/connection.ts'
import type { Tables } from '../../core/db/tables.ts'
import type { MapDocument, SavedMap } from '../records.ts'

function toMap(row: Selectable<Tables['saved_maps']>): SavedMap {
  return {
    ...(JSON.parse(row.document) as MapDocument),
    name: row.name,
    title: row.title,
    owner: row.owner ?? undefined,
    isPublic: row.is_public === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function toColumns({ title, isPublic, layers, view, hasBackground, hasLegend, updatedAt }: SavedMap) {
  const document: MapDocument = { layers, view, hasBackground, hasLegend }
  return { title, is_public: Number(isPublic), document: JSON.stringify(document), updated_at: updatedAt }
}

/** Lists all maps by name, or the public ones and those of `reader`. */
export async function listMaps(db: Queryable, reader?: { name: string | undefined }): Promise<SavedMap[]> {
  let query = db.selectFrom('saved_maps').selectAll().orderBy('name')
  if (reader !== undefined)
    query = query.where((is) =>
      reader.name === undefined
        ? is('is_public', '=', 1)
        : is.or([is('is_public', '=', 1), is('owner', '=', reader.name)]),
    )
  return (await query.execute()).map(toMap)
}

export async function findMap(db: Queryable, name: string): Promise<SavedMap | undefined> {
  const row = await db.selectFrom('saved_maps').selectAll().where('name', '=', name).executeTakeFirst()
  return row === undefined ? undefined : toMap(row)
}

/** Returns false if the name is in use. */
export async function insertMap(db: Queryable, map: SavedMap): Promise<boolean> {
  const { name, owner, createdAt } = map
  const values = { ...toColumns(map), name, owner: owner ?? null, created_at: createdAt }
  const added = await db
    .insertInto('saved_maps')
    .values(values)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .executeTakeFirst()
  return Number(added.numInsertedOrUpdatedRows ?? 0) > 0
}

/** Returns false if the map has changed since `previous` was read. */
export async function updateMap(
  db: Queryable,
  map: SavedMap,
  previous: Pick<SavedMap, 'updatedAt'>,
): Promise<boolean> {
  const changed = await db
    .updateTable('saved_maps')
    .set(toColumns(map))
    .where('name', '=', map.name)
    .where('updated_at', '=', previous.updatedAt)
    .executeTakeFirst()
  return Number(changed.numUpdatedRows) > 0
}

export async function deleteMap(db: Queryable, name: string): Promise<void> {
  await db.deleteFrom('saved_maps').where('name', '=', name).execute()
}

export async function countMaps(db: Queryable): Promise<number> {
  const row = await db
    .selectFrom('saved_maps')
    .select((select) => select.fn.countAll().as('maps'))
    .executeTakeFirstOrThrow()
  return Number(row.maps)
}
