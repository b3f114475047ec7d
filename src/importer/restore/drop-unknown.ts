import type { Catalog } from '../../catalog/index.ts'
import type { Database } from '../../core/db/connection.ts'
import type { Logger } from '../../core/log/logger.ts'
import { passStep } from '../../core/process/protocol-steps.ts'
import { taskStates } from '../model/model.ts'
import { listTasksInState } from '../records/records.ts'
import type { Restores } from './restores.ts'

interface SweepDeps {
  catalog: Catalog
  database: Database
  log: Logger
  restores: Restores
}

/**
 * Removes retained contents in stores that no record refers to: a process died before it wrote or deleted the
 * record.
 */
export async function dropUnknownStates({ catalog, database, log, restores }: SweepDeps): Promise<void> {
  for (const store of await catalog.stores.listAll()) {
    try {
      if (store.kind !== 'dataStore') continue
      const { states } = await catalog.stores.open(store)
      const found = (await states?.list()) ?? []
      if (found.length === 0) continue
      // Read after listing the stores, since retained contents are recorded, by a load or version, before
      // they are created.
      const known = new Set([
        ...(await catalog.versions.listKnownIds()),
        ...(await restores.listKeptIds()),
        ...(await idsOfLoads(database)),
      ])
      for (const id of found.filter((one) => !known.has(one))) {
        passStep('sweep.found')
        await states?.drop({ id })
        passStep('sweep.dropped')
      }
    } catch (error) {
      log.warn({ err: error, store: store.name }, 'a store was not searched for unused tables')
    }
  }
}

async function idsOfLoads(database: Database): Promise<string[]> {
  const ids: string[] = []
  for (const state of taskStates.filter((one) => one !== 'COMPLETE')) {
    for (const { run, unsettled } of await listTasksInState(database.kysely, state)) {
      for (const load of [run?.load, unsettled])
        if (load?.keep !== undefined && 'id' in load.keep) ids.push(load.keep.id)
    }
  }
  return ids
}
