// Users, API tokens, sessions and passwords. Does not know HTTP. Start reading at `accounts.ts`.

export { Accounts } from './accounts.ts'
export type { Groups } from './groups.ts'
export { digestSecret, isSameText } from './passwords.ts'
export {
  type Authenticated,
  anonymous,
  type Caller,
  type Group,
  type GroupSource,
  groupSources,
  hasRole,
  type PasswordCost,
  type Role,
  roles,
  type Session,
  type StoredCredentials,
  sessionSeconds,
  type Token,
  type TokenScope,
  tokenScopes,
  type User,
} from './records.ts'
