// Users, API tokens, sessions and passwords. Does not know HTTP. Start reading at `accounts.ts`.

export { Accounts } from './accounts.ts'
export { digestSecret, isSameText } from './passwords.ts'
export {
  type Authenticated,
  anonymous,
  type Caller,
  hasRole,
  type PasswordCost,
  type Role,
  roles,
  type Session,
  type StoredCredentials,
  sessionSeconds,
  type Token,
  type User,
} from './records.ts'
