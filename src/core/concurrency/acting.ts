import { AsyncLocalStorage } from 'node:async_hooks'

/** The caller of a request. */
interface Acting {
  /** Name of the user; undefined for anonymous callers. */
  user: string | undefined
  /** Whom the cost of the work is charged to: see `workOwner`. */
  owner: string
}

const acting = new AsyncLocalStorage<Acting>()

/** Runs `work` on behalf of a user, or of an anonymous client with this network address. */
export function actAs<Result>(user: string | undefined, address: string, work: () => Result): Result {
  return acting.run({ user, owner: user === undefined ? `address ${address}` : `user ${user}` }, work)
}

/** The user on whose behalf this runs; undefined for anonymous callers and for work of the server itself. */
export function actingUser(): string | undefined {
  return acting.getStore()?.user
}

/**
 * The owner of this work in shared queues: the user, or the network address of an anonymous client. Undefined for work of
 * the server itself.
 */
export function workOwner(): string | undefined {
  return acting.getStore()?.owner
}
