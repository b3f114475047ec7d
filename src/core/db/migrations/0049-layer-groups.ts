import type { CreateTableBuilder, Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

function withId<T extends string>(table: CreateTableBuilder<T>, isSqlite: boolean) {
  return isSqlite
    ? table.addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    : table.addColumn('id', 'bigint', (column) => column.primaryKey().generatedByDefaultAsIdentity())
}

/** Adds groups of layers. A member is a layer or another group and is deleted with it. */
export function layerGroups(isSqlite: boolean): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      await withId(db.schema.createTable('layer_groups'), isSqlite)
        .addColumn('workspace', 'text', (column) => column.notNull())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('mode', 'text', (column) => column.notNull())
        .addColumn('title', 'text', (column) => column.notNull())
        .addColumn('abstract', 'text')
        .addColumn('created_at', 'text', (column) => column.notNull())
        .addColumn('updated_at', 'text', (column) => column.notNull())
        .addUniqueConstraint('layer_groups_name', ['workspace', 'name'])
        .execute()
      await db.schema
        .createTable('layer_group_members')
        .addColumn('group_id', 'bigint', (column) =>
          column.notNull().references('layer_groups.id').onDelete('cascade'),
        )
        .addColumn('position', 'integer', (column) => column.notNull())
        .addColumn('layer_id', 'bigint', (column) => column.references('layers.id').onDelete('cascade'))
        .addColumn('member_id', 'bigint', (column) =>
          column.references('layer_groups.id').onDelete('cascade'),
        )
        .addColumn('style', 'text')
        .addPrimaryKeyConstraint('layer_group_members_key', ['group_id', 'position'])
        .execute()
      for (const column of ['layer_id', 'member_id'])
        await db.schema
          .createIndex(`layer_group_members_${column}`)
          .on('layer_group_members')
          .column(column)
          .execute()
    },
  }
}
