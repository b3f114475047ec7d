import type { Permit } from '../../access/index.ts'
import { Failure } from '../../core/errors/errors.ts'
import type { ImportRecord, TaskRecord } from '../model/model.ts'

/**
 * Throws `Failure` (`forbidden`) if the user who started a run may not load the task now. Work of the server itself has no
 * user.
 */
export async function requirePermit(
  permit: Permit,
  user: string | undefined,
  record: ImportRecord,
  task: TaskRecord,
): Promise<void> {
  if (user === undefined) return
  const workspace = task.target?.workspace ?? record.workspace
  const name = task.updateMode === 'CREATE' ? undefined : task.layer?.name
  if (await permit(user, 'import', { workspace, name, isPublic: false })) return
  const text = name === undefined ? `workspace "${workspace}"` : `layer "${workspace}:${name}"`
  throw new Failure('forbidden', 'not-allowed', `User "${user}" needs the right "import" for ${text}`)
}
