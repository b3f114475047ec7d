import { invalid } from '../../lib/errors.ts'
import type { DatabasePlace } from './database.ts'

/** Throws `Failure` (`invalid`) where no user is named, whom every server wants. */
export function requireUser({ user }: DatabasePlace): void {
  if (user !== undefined) return
  throw invalid('database-connection', 'The parameter "user" is missing: name the user of the database')
}
