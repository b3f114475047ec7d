import type { StoreRecord } from '../../catalog/records.ts'
import { findStore } from '../../catalog/stores.ts'
import type { Queryable } from '../../db/connection.ts'
import type { Importer } from '../../importer/importer.ts'
import type { TaskRecord } from '../../importer/model/model.ts'
import type { ListedFile, ShownTask } from './wire-data.ts'
import { findListedFile, listMainFiles } from './wire-data.ts'

type Kept = Importer['kept']

/** Tasks with the granules of those that are mosaics. */
export async function withGranules(kept: Kept, tasks: TaskRecord[]): Promise<ShownTask[]> {
  const shown: ShownTask[] = []
  for (const task of tasks) {
    const granules = await kept.findGranules(task)
    shown.push(granules === undefined ? task : { ...task, granules })
  }
  return shown
}

/** Tasks as they are shown from level 2 on: with granules, and what is known of their target stores. */
export async function withDetails(kept: Kept, db: Queryable, tasks: TaskRecord[]): Promise<ShownTask[]> {
  const stores = new Map<string, StoreRecord | undefined>()
  const shown: ShownTask[] = []
  for (const task of await withGranules(kept, tasks)) {
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
  kept: Kept,
  tasks: TaskRecord[],
  fileId: string,
): Promise<ListedFile | undefined> {
  for (const task of tasks) {
    const granule = await kept.findGranule(task, fileId)
    if (granule !== undefined) return { file: granule.file, task, granule }
  }
  return findListedFile(listMainFiles(await withGranules(kept, tasks)), fileId)
}
