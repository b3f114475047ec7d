/** Outcome of an action: done, refused for lack of rights, or failed on the server. */
export const auditOutcomes = ['done', 'refused', 'failed'] as const
export type AuditOutcome = (typeof auditOutcomes)[number]

/** An entry of the audit log. */
export interface AuditEntry {
  /** ISO 8601 in UTC. */
  time: string
  /** Undefined for an anonymous caller and for the server itself. */
  user: string | undefined
  /** Way in which the user was identified: a `SignInMethod`, or `none`. */
  via: string
  address: string | undefined
  /** Such as `user.change`. */
  action: string
  outcome: AuditOutcome
  /** `<workspace>:<layer>`, or a path. */
  resource: string | undefined
  /** JSON text of `toState`. */
  before: string | undefined
  after: string | undefined
  /** Id of the request. */
  request: string | undefined
}

/** An entry with its number, which is never used twice, and the day of its seal. */
export interface StoredEntry extends AuditEntry {
  id: number
  day: string
}
