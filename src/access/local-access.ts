import { randomText } from './passwords.ts'
import type { User } from './records.ts'
import type { Users } from './users.ts'

/**
 * Access for commands that run the server in their own process: whoever runs them can read the data directory
 * anyway.
 */
export class LocalAccess {
  readonly #users: Pick<Users, 'find' | 'list'>
  readonly #names = new Map<string, string>()

  constructor(users: Pick<Users, 'find' | 'list'>) {
    this.#users = users
  }

  /**
   * Returns a bearer token of an administrator that is valid in this process until `close()`. Throws an
   * `Error` if there is no administrator.
   */
  async open(): Promise<{ token: string; close(): void }> {
    const admin = (await this.#users.list()).find(({ role, isEnabled }) => role === 'admin' && isEnabled)
    if (admin === undefined) throw new Error('No user who may sign in has the role admin')
    const token = `local_${randomText()}`
    this.#names.set(token, admin.name)
    return { token, close: () => void this.#names.delete(token) }
  }

  /** Returns the user of a valid token. */
  async findUser(token: string): Promise<User | undefined> {
    const name = this.#names.get(token)
    return name === undefined ? undefined : this.#users.find(name)
  }
}
