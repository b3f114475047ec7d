import type { ImportState } from '../model/model.ts'
import type { ImporterParts } from '../parts.ts'
import { findImport, listIdleImports, removeUploads } from '../records/records.ts'
import { removeImport } from './cancel.ts'
import { removeUnusedFolders } from './unused-folders.ts'

const dayMs = 86_400_000
const finished: readonly ImportState[] = ['COMPLETE', 'COMPLETE_ERROR']
const unfinished: readonly ImportState[] = ['INIT_ERROR', 'PENDING', 'READY']

/**
 * Removes the uploads of unfinished imports and the records of finished ones that nobody has touched for long.
 * Copies that published layers read lie elsewhere and are never touched; those that no layer reads go a day later.
 */
export async function applyRetention(parts: ImporterParts): Promise<void> {
  const before = (days: number): string => new Date(parts.clock.now().getTime() - days * dayMs).toISOString()
  const { uploadDays, importDays } = parts.retention
  await forEachIdle(parts, [...unfinished, 'COMPLETE_ERROR'], before(uploadDays), (id, isStillIdle) =>
    parts.locks.ofImport(id, async () => {
      if (await isStillIdle()) await removeUploads(parts, id)
    }),
  )
  await removeUnusedFolders(parts, before(1))
  await forEachIdle(parts, finished, before(importDays), async (id, isStillIdle) => {
    if (await isStillIdle()) await removeImport(parts, id)
  })
}

/** One that cannot be cleaned up does not keep the others. */
async function forEachIdle(
  parts: ImporterParts,
  states: readonly ImportState[],
  before: string,
  clean: (id: number, isStillIdle: () => Promise<boolean>) => Promise<void>,
): Promise<void> {
  const db = parts.database.kysely
  for (const id of await listIdleImports(db, states, before)) {
    const isStillIdle = async (): Promise<boolean> => {
      const record = await findImport(db, id)
      return record !== undefined && record.updatedAt < before && states.includes(record.state)
    }
    try {
      await clean(id, isStillIdle)
    } catch (error) {
      parts.log.error({ err: error, importId: id }, 'an old import could not be removed')
    }
  }
}
