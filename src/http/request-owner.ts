import type { FastifyRequest } from './app-types.ts'

/** Returns the owner of a request, for fair shares: its user, or the address of an anonymous client. */
export function requestOwner({ caller, ip }: Pick<FastifyRequest, 'caller' | 'ip'>): string {
  return caller.name === undefined ? `address ${ip}` : `user ${caller.name}`
}
