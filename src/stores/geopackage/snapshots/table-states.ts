import type { DatabaseSync } from 'node:sqlite'
import { findObject, findTable, hasCatalogue, quoteName } from '../../../formats/geopackage/index.ts'
import type { TableStates } from '../../store.ts'
import { changeFile } from '../change-file.ts'
import { deleteContents } from '../contents.ts'
import { hasFile } from '../file-access.ts'
import { setTableTriggersAside } from '../foreign-code.ts'
import type { GeoPackageReading } from '../reading/reading.ts'
import { rtreeName } from '../rtree-sql.ts'
import type { LoadSurroundings } from '../writer.ts'
import { readState } from './read-state.ts'
import { RestoreLoad } from './restore-load.ts'
import {
  addedTable,
  findSnapshot,
  forgetSnapshot,
  listSnapshots,
  snapshotTable,
} from './snapshot-registry.ts'
import { snapshotWhole } from './snapshot-whole.ts'

const timeoutMs = 60_000

/** Retained states of the tables of a GeoPackage, stored in the file itself. */
export function createTableStates(surroundings: LoadSurroundings, reading: GeoPackageReading): TableStates {
  const { path } = surroundings
  return {
    stageRestore: async (request, hooks) => new RestoreLoad(surroundings, request, hooks),
    putAside: (name, keepAs) =>
      change(surroundings, (db) => {
        const table = findTable(db, name)
        if (table === undefined) return { reason: `The GeoPackage has no table "${name}"` }
        if (table.kind === 'view') return { reason: `"${table.name}" is a view: it has no rows of its own` }
        const { triggers } = setTableTriggersAside(db, table.name, table.schema.geometry?.name)
        const kept = snapshotWhole(db, table, keepAs, triggers)
        deleteContents(db, table.name)
        return kept
      }),
    read: (table, states, signal) => readState(reading, { table, states }, signal),
    drop: async ({ id }) => {
      if (hasFile(path)) await change(surroundings, (db) => dropSnapshot(db, id))
    },
    list: async () =>
      reading.use(
        ({ db }) => (hasCatalogue(db) ? listSnapshots(db) : []),
        () => [],
      ),
  }
}

/** Runs one transaction with a connection of the writer. */
async function change<Result>(
  { path, writer }: LoadSurroundings,
  action: (db: Parameters<typeof listSnapshots>[0]) => Result,
): Promise<Result> {
  await writer.whenMoved()
  const db = await writer.take({ isNew: true })
  try {
    db.exec('PRAGMA foreign_keys = OFF')
    const result = await changeFile(path, db, AbortSignal.timeout(timeoutMs), () => action(db))
    db.exec('PRAGMA foreign_keys = ON')
    await writer.keep(db)
    return result
  } catch (error) {
    await writer.drop(db)
    throw error
  }
}

/** Removes the contents retained under an id; the file reuses their pages. */
function dropSnapshot(db: DatabaseSync, id: string): void {
  const kept = findSnapshot(db, id)
  if (kept === undefined) return
  const { number, table } = kept
  const names = [snapshotTable(number), addedTable(number)]
  const geometry = table.schema.geometry?.name
  if (geometry !== undefined) names.unshift(rtreeName({ table: snapshotTable(number), geometry }))
  for (const name of names) {
    if (findObject(db, name) !== undefined) db.exec(`DROP TABLE main.${quoteName(name)}`)
  }
  forgetSnapshot(db, number)
}
