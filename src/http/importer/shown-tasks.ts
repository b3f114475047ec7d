import type { StoreRecord } from '../../catalog/records.ts'
import { findStore } from '../../catalog/stores.ts'
import type { Queryable } from '../../db/connection.ts'
import type { TaskRecord } from '../../importer/model/task-record.ts'
import { findGranule, listGranules } from '../../importer/records/granule-repository.ts'
import type { ListedFile, ShownTask } from './wire-data.ts'
import { findListedFile, listMainFiles } from './wire-data.ts'

const placeOf = ({ importId, id }: TaskRecord) => ({ importId, taskId: id })

/** Tasks with the granules of those that are mosaics. */
export async function withGranules(db: Queryable, tasks: TaskRecord[]): Promise<ShownTask[]> {
  const shown: ShownTask[] = []
  for (const task of tasks) {
    const { mosaic } = task
    shown.push(mosaic === undefined ? task : { ...task, granules: await listGranules(db, placeOf(task)) })
  }
  return shown
}

/** Tasks as they are shown from level 2 on: with granules, and what is known of their target stores. */
export async function withDetails(db: Queryable, tasks: TaskRecord[]): Promise<ShownTask[]> {
  const stores = new Map<string, StoreRecord | undefined>()
  const shown: ShownTask[] = []
  for (const task of await withGranules(db, tasks)) {
    const { target } = task
    const key = JSON.stringify([target?.workspace, target?.name])
    if (target !== undefined && !stores.has(key))
      stores.set(key, await findStore(db, target.workspace, target.name))
    const targetStore = stores.get(key)
    shown.push(targetStore === undefined ? task : { ...task, targetStore })
  }
  return shown
}

/** The file of these tasks that an id means, a granule among others. */
export async function findFile(
  db: Queryable,
  tasks: TaskRecord[],
  fileId: string,
): Promise<ListedFile | undefined> {
  for (const task of tasks) {
    const granule = task.mosaic === undefined ? undefined : await findGranule(db, placeOf(task), fileId)
    if (granule !== undefined) return { file: granule.file, task, granule }
  }
  return findListedFile(listMainFiles(await withGranules(db, tasks)), fileId)
}
