// The audit log: changes with their users, sign-ins, and refused administration; each day of entries is sealed. Does
// not know HTTP. Start reading at `audit-log.ts`.

export { AuditLog } from './audit-log.ts'
export type { EntryFilter } from './audit-repository.ts'
export type { AuditEntry, AuditOutcome, StoredEntry } from './records.ts'
export { auditOutcomes } from './records.ts'
export { deriveSealKey } from './seal-keys.ts'
export { AuditSealer } from './sealer.ts'
export { toState } from './state.ts'
export { createSyslog } from './syslog.ts'
