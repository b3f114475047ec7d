// Users, API tokens, sessions and passwords. Does not know HTTP. Start reading at `accounts.ts`.

export { AccessRules } from './access-rules.ts'
export { Accounts, type SignInOrigin } from './accounts.ts'
export { type Action, actions } from './actions.ts'
export { applies, type DecidingRule, type Decision, decisionText, explain } from './explain.ts'
export type { Groups } from './groups.ts'
export { digestSecret, isSameText } from './passwords.ts'
export {
  type Permission,
  type PermissionScope,
  parseResource,
  resourceText,
  type Subject,
  subjectKinds,
  subjectText,
} from './permission.ts'
export type { PermissionValues } from './permission-repository.ts'
export { type PermissionChanges, Permissions } from './permissions.ts'
export { callerNamed, createPermit, type Permit } from './permit.ts'
export type { SignInTransaction } from './providers/oidc-provider.ts'
export { ProviderChecks } from './providers/provider-checks.ts'
export {
  type Authenticated,
  anonymous,
  type Caller,
  type Group,
  type GroupSource,
  groupSources,
  type HeaderAccount,
  hasRole,
  isLimited,
  type PasswordCost,
  type Role,
  roles,
  type Session,
  type SignInMethod,
  type StoredCredentials,
  sessionSeconds,
  type Token,
  type TokenLimits,
  type TokenScope,
  tokenScopes,
  type User,
} from './records.ts'
export { type Resource, Rights } from './rights.ts'
export { type AccessDefaults, type RuleData, Rules } from './rules.ts'
export type { Passkey } from './second-factors/passkey-repository.ts'
export type { PasskeySite } from './second-factors/passkeys.ts'
export { type ListedSession, listedId } from './session-repository.ts'
