import type { FastifyReply } from './app-types.ts'

/** For responses that depend on the caller: clients may store them but must revalidate at each use. */
export function keepPrivately(reply: FastifyReply): void {
  reply.header('cache-control', 'private, no-cache')
  addVary(reply, 'Authorization', 'Cookie')
}

/** Adds names to `Vary` that are not there yet. */
export function addVary(reply: FastifyReply, ...names: string[]): void {
  const present = reply.getHeader('vary')
  if (present === undefined) {
    reply.header('vary', names.join(', '))
    return
  }
  const known = String(present)
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const added = names.filter((name) => !known.some((one) => one.toLowerCase() === name.toLowerCase()))
  reply.header('vary', [...known, ...added].join(', '))
}
