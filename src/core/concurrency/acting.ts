import { AsyncLocalStorage } from 'node:async_hooks'

/** Receives the duration of heavy work, by owner. */
export interface WorkMeter {
  add(owner: string, seconds: number): void
}

/** The caller of a request. */
interface Acting {
  /** Name of the user; undefined for anonymous callers. */
  user: string | undefined
  /** Owner to whom the cost of the work is charged: see `workOwner`. */
  owner: string
  /** Undefined if heavy work is not limited. */
  meter: WorkMeter | undefined
}

const acting = new AsyncLocalStorage<Acting>()

/** Returns the owner of work: the user, or the network address of an anonymous client. */
export function ownerOf(user: string | undefined, address: string): string {
  return user === undefined ? `address ${address}` : `user ${user}`
}

/** Runs `work` on behalf of a user, or of an anonymous client with this network address. */
export function actAs<Result>(
  user: string | undefined,
  address: string,
  work: () => Result,
  meter?: WorkMeter,
): Result {
  return acting.run({ user, owner: ownerOf(user, address), meter }, work)
}

/**
 * Returns the user on whose behalf the current work runs; undefined for anonymous callers and for work of the
 * server itself.
 */
export function actingUser(): string | undefined {
  return acting.getStore()?.user
}

/**
 * Returns the owner of the current work in shared queues: the user, or the network address of an anonymous
 * client. Undefined for work of the server itself.
 */
export function workOwner(): string | undefined {
  return acting.getStore()?.owner
}

/** Returns the meter for heavy work of the current request. */
export function workMeter(): WorkMeter | undefined {
  return acting.getStore()?.meter
}
