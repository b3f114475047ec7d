import { invalid } from '../../lib/errors.ts'
import type { DatabaseLocation } from './database.ts'

/** Throws `Failure` (`invalid`) without a user name, which every server requires. */
export function requireUser({ user }: DatabaseLocation): void {
  if (user !== undefined) return
  throw invalid('database-connection', 'The parameter "user" is missing: name the user of the database')
}
