import type { Database, Queryable } from '../core/db/connection.ts'
import { invalid } from '../core/errors/errors.ts'
import type { Clock } from '../core/time/clock.ts'
import { actions } from './actions.ts'
import type { Permission } from './permission.ts'
import { resourceText, subjectText } from './permission.ts'
import type { PermissionValues } from './permission-repository.ts'
import {
  deletePermissions,
  findLayerId,
  getPermission,
  insertPermission,
  isNamed,
  listPermissions,
  updatePermission,
} from './permission-repository.ts'

export interface PermissionsDeps {
  database: Database
  clock: Clock
}

/** Maximum number of permissions of one request. */
const maxPermissionsAtOnce = 1000
/** Maximum number of permissions. */
const maxPermissions = 100_000

/** Changes of several permissions in one transaction. */
interface PermissionChanges {
  create?: readonly PermissionValues[]
  delete?: readonly number[]
}

/**
 * Permissions of users and groups. They only add rights, so no permission can lock out an administrator: the
 * role `admin` does not depend on permissions.
 */
export class Permissions {
  readonly #deps: PermissionsDeps

  constructor(deps: PermissionsDeps) {
    this.#deps = deps
  }

  /** Lists permissions by id. */
  list(): Promise<Permission[]> {
    return listPermissions(this.#db)
  }

  /** Throws `Failure` (`notFound`) for a permission that does not exist. */
  get(id: number): Promise<Permission> {
    return getPermission(this.#db, id)
  }

  /**
   * Creates and deletes permissions, all or none; returns the new ones. A permission that exists in the same words is not
   * added again. Throws `Failure` (`invalid`) that lists every mistake.
   */
  async apply({ create = [], delete: removed = [] }: PermissionChanges): Promise<Permission[]> {
    const count = create.length + removed.length
    if (count > maxPermissionsAtOnce)
      throw invalid(
        'too-many-permissions',
        `A request changes at most ${maxPermissionsAtOnce} permissions, not ${count}`,
      )
    return this.#deps.database.transaction(async (db) => {
      for (const id of removed) await getPermission(db, id)
      await deletePermissions(db, removed)
      const layerIds = await requireAll(db, create)
      const known = new Map((await listPermissions(db)).map((one) => [wordsOf(one), one]))
      if (known.size + create.length > maxPermissions)
        throw invalid('too-many-permissions', `There are at most ${maxPermissions} permissions`)
      const made: Permission[] = []
      for (const [index, values] of create.entries()) {
        const same = known.get(wordsOf(values))
        const id = same?.id ?? (await insertPermission(db, values, layerIds[index], this.#now()))
        const permission = await getPermission(db, id)
        known.set(wordsOf(permission), permission)
        made.push(permission)
      }
      return made
    })
  }

  /** Replaces the values of a permission. Throws `Failure`: `notFound`, or `invalid` as `apply` does. */
  change(id: number, values: (present: Permission) => PermissionValues): Promise<Permission> {
    return this.#deps.database.transaction(async (db) => {
      const next = values(await getPermission(db, id))
      const [layerId] = await requireAll(db, [next])
      await updatePermission(db, id, next, layerId, this.#now())
      return getPermission(db, id)
    })
  }

  get #db(): Queryable {
    return this.#deps.database.kysely
  }

  #now(): string {
    return this.#deps.clock.now().toISOString()
  }
}

function wordsOf(values: PermissionValues): string {
  const given = actions.filter((action) => values.actions.includes(action))
  return JSON.stringify([subjectText(values.subject), resourceText(values), given])
}

/** Returns the id of the layer of each permission; throws `Failure` (`invalid`) with all mistakes. */
async function requireAll(db: Queryable, all: readonly PermissionValues[]): Promise<(number | undefined)[]> {
  const mistakes: string[] = []
  const layerIds: (number | undefined)[] = []
  for (const [index, values] of all.entries()) {
    const place = all.length > 1 ? `Permission ${index + 1}: ` : ''
    mistakes.push(...(await mistakesOf(db, values)).map((text) => place + text))
    const { workspace, layer } = values
    layerIds.push(
      workspace === undefined || layer === undefined ? undefined : await findLayerId(db, workspace, layer),
    )
  }
  const [first] = mistakes
  if (first === undefined) return layerIds
  const more = mistakes.length > 1 ? ` (and ${mistakes.length - 1} more)` : ''
  throw invalid('invalid-permission', `${first}${more}. Nothing was changed`, { errors: mistakes })
}

async function mistakesOf(db: Queryable, { subject, workspace, layer, actions: given }: PermissionValues) {
  const mistakes: string[] = []
  if (subject.kind === 'user' && !(await isNamed(db, 'users', subject.name)))
    mistakes.push(`User "${subject.name}" does not exist`)
  if (subject.kind === 'group' && !(await isNamed(db, 'groups', subject.name)))
    mistakes.push(`Group "${subject.name}" does not exist`)
  if (given.length === 0) mistakes.push(`A permission needs actions: ${actions.join(', ')}`)
  if (subject.kind === 'everyone' && (given.includes('import') || given.includes('manage')))
    mistakes.push('Anonymous callers cannot get "import" or "manage": use the subject authenticated')
  if (workspace === undefined) return mistakes
  if (!(await isNamed(db, 'workspaces', workspace))) mistakes.push(`Workspace "${workspace}" does not exist`)
  else if (layer !== undefined && (await findLayerId(db, workspace, layer)) === undefined)
    mistakes.push(`Layer "${workspace}:${layer}" does not exist`)
  return mistakes
}
