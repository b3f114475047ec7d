import { removeImport } from './cancel.ts'
import { listIdleImports } from './import-repository.ts'
import type { ImporterParts } from './parts.ts'
import type { ImportState } from './states.ts'
import { removeUploads } from './upload-folders.ts'

const dayMs = 86_400_000
const finished: readonly ImportState[] = ['COMPLETE', 'COMPLETE_ERROR']
const unfinished: readonly ImportState[] = ['INIT_ERROR', 'PENDING', 'READY']

/**
 * Removes the uploads of unfinished imports and the records of finished ones that nobody has touched for long.
 * Copies that published layers read lie elsewhere and are never touched.
 */
export async function applyRetention(parts: ImporterParts): Promise<void> {
  const db = parts.database.kysely
  const before = (days: number): string => new Date(parts.clock.now().getTime() - days * dayMs).toISOString()
  const { uploadDays, importDays } = parts.retention
  const states = [...unfinished, 'COMPLETE_ERROR'] as const
  for (const id of await listIdleImports(db, states, before(uploadDays))) await removeUploads(parts, id)
  for (const id of await listIdleImports(db, finished, before(importDays))) await removeImport(parts, id)
}
