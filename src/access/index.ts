// Users, API tokens, sessions and passwords. Does not know HTTP. Start reading at `accounts.ts`.

export { AccessRules } from './access-rules.ts'
export { Accounts, type SignInOrigin } from './accounts.ts'
export { type Action, actions } from './actions.ts'
export { type Decision, decisionText, explain } from './explain.ts'
export { digestSecret, isSameText } from './passwords.ts'
export {
  type Permission,
  parseResource,
  resourceText,
  type Subject,
  subjectText,
} from './permission.ts'
export type { PermissionValues } from './permission-repository.ts'
export { Permissions } from './permissions.ts'
export { callerNamed, createPermit, type Permit } from './permit.ts'
export type { SignInTransaction } from './providers/oidc-provider.ts'
export { ProviderChecks } from './providers/provider-checks.ts'
export { openProviders } from './providers/sign-in-providers.ts'
export {
  type Authenticated,
  anonymous,
  type Caller,
  type Group,
  groupSources,
  type HeaderAccount,
  hasRole,
  isLimited,
  type PasswordCost,
  type Role,
  roles,
  type Session,
  type StoredCredentials,
  sessionSeconds,
  type Token,
  type TokenLimits,
  type TokenScope,
  tokenScopes,
  type User,
} from './records.ts'
export { type Resource, Rights } from './rights.ts'
export type { Passkey } from './second-factors/passkey-repository.ts'
export { type ListedSession, listedId } from './session-repository.ts'
