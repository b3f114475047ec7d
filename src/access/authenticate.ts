import { Failure } from '../core/errors/errors.ts'
import type { LocalAccess } from './local-access.ts'
import type { Passwords } from './passwords.ts'
import type { Authenticated, StoredCredentials, User } from './records.ts'
import { anonymous } from './records.ts'
import type { Sessions } from './sessions.ts'
import type { Throttle } from './throttle.ts'
import type { Tokens } from './tokens.ts'
import type { Users } from './users.ts'

export interface AuthenticationDeps {
  users: Pick<Users, 'find'>
  tokens: Pick<Tokens, 'findUser'>
  sessions: Pick<Sessions, 'find'>
  local: Pick<LocalAccess, 'findUser'>
  passwords: Passwords
  throttle: Throttle
}

/**
 * Returns the user of these credentials. Wrong credentials are a `Failure`; an expired session is anonymous.
 */
export async function authenticate(
  deps: AuthenticationDeps,
  credentials: StoredCredentials,
  address: string,
): Promise<Authenticated> {
  if (credentials.kind === 'session') return bySession(deps.sessions, credentials.id)
  if (credentials.kind === 'bearer')
    return byToken(deps.tokens, deps.local, deps.throttle, credentials.token, address)
  const user = await checkPassword(deps.users, deps.passwords, deps.throttle, credentials, address)
  return { caller: { name: user.name, role: user.role, by: 'password' } }
}

async function bySession(sessions: Pick<Sessions, 'find'>, id: string): Promise<Authenticated> {
  const session = await sessions.find(id)
  if (session === undefined) return { caller: anonymous }
  const { user, csrfToken } = session
  return { caller: { name: user.name, role: user.role, by: 'session' }, csrfToken }
}

async function byToken(
  tokens: Pick<Tokens, 'findUser'>,
  localAccess: Pick<LocalAccess, 'findUser'>,
  throttle: Throttle,
  token: string,
  address: string,
): Promise<Authenticated> {
  const local = await localAccess.findUser(token)
  if (local !== undefined) return { caller: { name: local.name, role: local.role, by: 'local' } }
  await refuseHaste(throttle, address)
  const user = await tokens.findUser(token)
  if (user?.isEnabled === false) throw switchedOff(user)
  if (user !== undefined) return { caller: { name: user.name, role: user.role, by: 'token' } }
  await throttle.attempt(address)
  throw new Failure('unauthenticated', 'wrong-credentials', 'The token is unknown, revoked or out of date')
}

/**
 * Returns the user of that name if the password is correct; otherwise throws `Failure`. Repeated failures are
 * slowed down.
 */
export async function checkPassword(
  users: Pick<Users, 'find'>,
  passwords: Passwords,
  throttle: Throttle,
  { name, password }: { name: string; password: string },
  address: string,
): Promise<User> {
  await refuseHaste(throttle, address, name)
  const user = await users.find(name)
  if (user !== undefined && passwords.isKnown(password, user.passwordHash)) return enabled(user)
  // Both begin at once: the same password of another request is then in flight, and counts once.
  const isCounted = passwords.isInFlight(password, user?.passwordHash)
  const verifying = passwords.verify(password, user?.passwordHash)
  const [isRight] = await Promise.all([verifying, isCounted ? undefined : throttle.attempt(address, name)])
  if (isRight && user !== undefined) {
    await throttle.succeed(address, name)
    return enabled(user)
  }
  throw new Failure('unauthenticated', 'wrong-credentials', 'User name or password is wrong')
}

/** Throws for a disabled user. Only reported to callers that have proven their identity. */
function enabled(user: User): User {
  if (user.isEnabled) return user
  throw switchedOff(user)
}

function switchedOff({ name }: User): Failure {
  return new Failure(
    'unauthenticated',
    'user-switched-off',
    `User "${name}" is switched off: an administrator can switch them on again`,
  )
}

/** The error for a request refused after too many failures; `seconds` until the next attempt. */
class TooManyFailures extends Failure {
  constructor(seconds: number) {
    super('tooMany', 'too-many-failures', `Too many failed logins: try again in ${seconds} s`, {
      retryAfterSeconds: seconds,
    })
  }
}

async function refuseHaste(throttle: Throttle, address: string, account?: string): Promise<void> {
  const seconds = await throttle.secondsToWait(address, account)
  if (seconds > 0) throw new TooManyFailures(seconds)
}
