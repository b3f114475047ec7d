import type { FastifyRequest } from './app-types.ts'

/** Returns on whose behalf a request runs, for fair shares: its user, or the address of a client without one. */
export function requestOwner({ caller, ip }: Pick<FastifyRequest, 'caller' | 'ip'>): string {
  return caller.name === undefined ? `address ${ip}` : `user ${caller.name}`
}
