import { type Accounts, hasRole, type Role } from '../../access/index.ts'
import type { SourceRecord } from '../model/source.ts'
import { RunFailure } from './run-failure.ts'

/** Returns the role that a source's owner needs: the same as for an import of such data. */
export function neededRole({ settings }: Pick<SourceRecord, 'settings'>): Role {
  return settings.data.type === 'database' ? 'admin' : 'staff'
}

/** Throws `RunFailure` if the owner may not import such data now. */
export async function checkOwner(users: Accounts['users'], source: SourceRecord): Promise<void> {
  const { owner } = source
  const user = await users.find(owner)
  const advice = 'Nothing was changed. Give the source another owner.'
  if (user === undefined) throw new RunFailure('owner-gone', `Its owner "${owner}" was deleted. ${advice}`)
  if (!user.isEnabled)
    throw new RunFailure('owner-disabled', `Its owner "${owner}" is switched off. ${advice}`)
  const role = neededRole(source)
  if (!hasRole({ name: user.name, role: user.role, by: 'local' }, role))
    throw new RunFailure('owner-rights', `Its owner "${owner}" no longer has the role ${role}. ${advice}`)
}
