import type { Database, Queryable } from '../core/db/connection.ts'
import { conflict, invalid } from '../core/errors/errors.ts'
import type { Clock } from '../core/time/clock.ts'
import {
  deleteGroupRow,
  findGroup,
  getGroup,
  insertGroup,
  listGroups,
  replaceLocalMembers,
  replaceMemberships,
  updateGroup,
} from './group-repository.ts'
import type { Group, GroupSource } from './records.ts'

export interface GroupsDeps {
  database: Database
  clock: Clock
}

/** Changes to a group; absent properties are not changed. */
export interface GroupChange {
  /** A new name; memberships and permissions follow it. */
  name?: string | undefined
  title?: string | undefined
  /** Names of the local members. */
  members?: readonly string[] | undefined
}

const namePattern = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.@+ -]{0,199}$/u
/** Maximum number of local members of a group. */
const maxGroupMembers = 10_000

/** Groups of users. Groups do not contain groups, so that there are no cycles. */
export class Groups {
  readonly #deps: GroupsDeps

  constructor(deps: GroupsDeps) {
    this.#deps = deps
  }

  /** Lists groups by name. */
  list(): Promise<Group[]> {
    return listGroups(this.#db)
  }

  find(name: string): Promise<Group | undefined> {
    return findGroup(this.#db, name)
  }

  /** Throws `Failure` (`notFound`) for a group that does not exist. */
  get(name: string): Promise<Group> {
    return getGroup(this.#db, name)
  }

  /** Creates a local group. Throws `Failure` for a name that is in use (`conflict`), and an unknown member (`invalid`). */
  async create({
    name,
    title,
    members = [],
  }: {
    name: string
    title?: string | undefined
    members?: readonly string[] | undefined
  }): Promise<Group> {
    checkName(name)
    return this.#deps.database.transaction(async (db) => {
      await insertGroup(db, { name, title, source: 'local' }, this.#now())
      await setMembers(db, name, members)
      return getGroup(db, name)
    })
  }

  /** Changes the given properties. `check` may refuse the change. Throws `Failure` as `create` does. */
  async change(
    name: string,
    { members, ...change }: GroupChange,
    check: (group: Group) => void = () => {},
  ): Promise<Group> {
    if (change.name !== undefined) checkName(change.name)
    return this.#deps.database.transaction(async (db) => {
      const group = await getGroup(db, name)
      check(group)
      const { name: newName = name, title = group.title } = change
      if (newName !== name) await refuseTaken(db, newName)
      await updateGroup(db, name, { name: newName, title }, this.#now())
      if (members !== undefined) await setMembers(db, newName, members)
      return getGroup(db, newName)
    })
  }

  /** Deletes a group with its memberships and permissions. Throws `Failure` (`notFound`). */
  async delete(name: string): Promise<void> {
    await this.get(name)
    await deleteGroupRow(this.#db, name)
  }

  /**
   * Replaces the memberships of a user that a sign-in provider gave, and creates missing groups; local
   * memberships and those of other providers stay. Names that are not valid are skipped and returned.
   */
  async replaceMemberships(
    userName: string,
    source: Exclude<GroupSource, 'local'>,
    groupNames: readonly string[],
  ): Promise<{ skipped: string[] }> {
    const valid = groupNames.filter((name) => namePattern.test(name))
    await this.#deps.database.transaction((db) =>
      replaceMemberships(db, { userName, source, groupNames: valid }, this.#now()),
    )
    return { skipped: groupNames.filter((name) => !namePattern.test(name)) }
  }

  get #db(): Queryable {
    return this.#deps.database.kysely
  }

  #now(): string {
    return this.#deps.clock.now().toISOString()
  }
}

function checkName(name: string): void {
  if (namePattern.test(name)) return
  throw invalid(
    'invalid-name',
    `Group name "${name}" is not valid: letters, digits, spaces and "_", "-", ".", "@", "+" are, at most 200, a letter, digit or "_" first`,
  )
}

async function refuseTaken(db: Queryable, name: string): Promise<void> {
  if ((await findGroup(db, name)) === undefined) return
  throw conflict('group-exists', `Group "${name}" exists already`)
}

async function setMembers(db: Queryable, group: string, members: readonly string[]): Promise<void> {
  const names = [...new Set(members)]
  if (names.length > maxGroupMembers)
    throw invalid('too-many-members', `A group has at most ${maxGroupMembers} members, not ${names.length}`)
  for (const name of await unknownUsers(db, names)) {
    const hint =
      (await findGroup(db, name)) === undefined ? '' : ': it is a group, and groups contain only users'
    throw invalid('unknown-member', `Group "${group}": user "${name}" does not exist${hint}`)
  }
  await replaceLocalMembers(db, group, names)
}

async function unknownUsers(db: Queryable, names: readonly string[]): Promise<string[]> {
  const rows = await db.selectFrom('users').select('name').execute()
  const known = new Set(rows.map(({ name }) => name))
  return names.filter((name) => !known.has(name))
}
