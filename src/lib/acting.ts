import { AsyncLocalStorage } from 'node:async_hooks'

const acting = new AsyncLocalStorage<string | undefined>()

/** Runs `work` on behalf of a user; undefined for nobody in particular. */
export function actAs<Result>(user: string | undefined, work: () => Result): Result {
  return acting.run(user, work)
}

/** On whose behalf this runs; undefined for work of the server's own. */
export function actingUser(): string | undefined {
  return acting.getStore()
}
