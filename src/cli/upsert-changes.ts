import type { TaskView } from './import-views.ts'
import type { RestRequests } from './rest-client.ts'
import { listOf, readField, readNumber } from './rest-client.ts'
import type { RowChanges } from './task-outcome.ts'

/**
 * Returns the row changes of a completed upsert, according to the version that it created; `loaded` is the
 * number of loaded rows. Without such a version nothing has changed.
 */
export async function readUpsertChanges(
  client: RestRequests,
  importId: number,
  { layer, workspace }: Pick<TaskView, 'layer' | 'workspace'>,
  loaded: number,
): Promise<RowChanges | undefined> {
  const name = workspace === undefined ? layer : `${workspace}:${layer}`
  const response = await client.get(`/rest/layers/${encodeURIComponent(name)}/versions`)
  const made = listOf(response, 'versions').find(
    (one) => readField(one, 'import') === importId && readField(one, 'mode') === 'UPSERT',
  )
  if (made === undefined) return { added: 0, changed: 0, removed: 0, unchanged: loaded }
  const changes = readField(made, 'changes')
  if (changes == null) return undefined
  const [added, changed, removed] = ['added', 'changed', 'removed'].map((one) => readNumber(changes, one))
  return {
    added: added ?? 0,
    changed: changed ?? 0,
    removed: removed ?? 0,
    unchanged: readNumber(changes, 'same'),
  }
}

/** Formats the numbers for people. */
export function changesText({ added, changed, removed, unchanged }: RowChanges): string {
  return Object.entries({ added, changed, removed, unchanged })
    .map(([what, rows]) => `${rows.toLocaleString('en')} ${what}`)
    .join(', ')
}
