import { Failure } from '../core/errors/errors.ts'
import type { LocalAccess } from './local-access.ts'
import type { Passwords } from './passwords.ts'
import type { SignInProviders } from './providers/sign-in-providers.ts'
import type { Authenticated, Caller, SignInMethod, StoredCredentials, TokenLimits, User } from './records.ts'
import { anonymous } from './records.ts'
import type { SecondFactors } from './second-factors/second-factors.ts'
import type { Sessions } from './sessions.ts'
import type { Throttle } from './throttle.ts'
import type { Tokens } from './tokens.ts'
import { noPassword } from './user-repository.ts'
import type { Users } from './users.ts'

export interface AuthenticationDeps {
  users: Pick<Users, 'find'>
  tokens: Pick<Tokens, 'findUser'>
  sessions: Pick<Sessions, 'find'>
  local: Pick<LocalAccess, 'findUser'>
  passwords: Passwords
  throttle: Throttle
  providers: SignInProviders
  factors: Pick<SecondFactors, 'isNeeded'>
}

/** A user whose password is correct, and the method that verified it. */
export interface PasswordSignIn {
  user: User
  via: SignInMethod
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
  if (credentials.kind === 'bearer') return byBearer(deps, credentials, address)
  if (credentials.kind === 'header') {
    const user = await deps.providers.admitHeader(credentials.account)
    return { caller: callerOf(user, 'header', 'header') }
  }
  const { user, via } = await checkPassword(deps, credentials, address)
  if (await deps.factors.isNeeded(user.name))
    throw new Failure(
      'unauthenticated',
      'second-factor-needed',
      'This user signs in with a second factor: programs use an API token instead of the password',
    )
  return { caller: callerOf(user, 'password', via) }
}

function callerOf({ name, role }: User, by: Caller['by'], via: SignInMethod): Caller {
  return { name, role, by, via }
}

async function bySession(sessions: Pick<Sessions, 'find'>, id: string): Promise<Authenticated> {
  const session = await sessions.find(id)
  if (session === undefined) return { caller: anonymous }
  const { user, csrfToken, via } = session
  return { caller: callerOf(user, 'session', via), csrfToken }
}

async function byBearer(
  { tokens, local: localAccess, throttle, providers }: AuthenticationDeps,
  { token, isInAddress = false }: { token: string; isInAddress?: boolean },
  address: string,
): Promise<Authenticated> {
  const local = isInAddress ? undefined : await localAccess.findUser(token)
  if (local !== undefined) return { caller: callerOf(local, 'local', 'system') }
  await refuseHaste(throttle, address)
  const found = await tokens.findUser(token)
  if (found?.user.isEnabled === false) throw switchedOff(found.user)
  if (found !== undefined) return { caller: tokenCaller(found.user, found.limits, isInAddress) }
  await throttle.attempt(address)
  const user = isInAddress ? undefined : await providers.admitAccessToken(token)
  if (user === undefined)
    throw new Failure('unauthenticated', 'wrong-credentials', 'The token is unknown, revoked or out of date')
  await throttle.succeed(address)
  return { caller: callerOf(user, 'token', 'oidc') }
}

/** Throws `Failure` (`token-not-for-addresses`) for a token in an address that is good for more than a list of layers. */
function tokenCaller(user: User, { scopes, workspace, layers }: TokenLimits, isInAddress: boolean): Caller {
  if (isInAddress && layers === undefined)
    throw new Failure(
      'unauthenticated',
      'token-not-for-addresses',
      'This token is not for addresses: make one for the layers that the address shows ("layers"), or send it as the header "Authorization: Bearer"',
    )
  const tokenLayers = layers === undefined ? undefined : new Set(layers)
  const isReadOnly = layers !== undefined
  return {
    ...callerOf(user, 'token', 'token'),
    scopes: isReadOnly ? ['read'] : scopes,
    tokenWorkspace: workspace,
    tokenLayers,
  }
}

/**
 * Returns the user of that name if the password is correct; otherwise throws `Failure`. Repeated failures are
 * slowed down. Local passwords are checked without asking a provider.
 */
export async function checkPassword(
  deps: Pick<AuthenticationDeps, 'users' | 'passwords' | 'throttle' | 'providers'>,
  { name, password }: { name: string; password: string },
  address: string,
): Promise<PasswordSignIn> {
  const { users, passwords, throttle, providers } = deps
  await refuseHaste(throttle, address, name)
  const user = await users.find(name)
  const isLocal = user !== undefined && user.passwordHash !== noPassword
  if (!isLocal && providers.hasDirectory) return checkDirectory(deps, { name, password }, address)
  const hash = isLocal ? user.passwordHash : undefined
  if (hash !== undefined && user !== undefined && passwords.isKnown(password, hash))
    return { user: enabled(user), via: 'password' }
  // Verification and throttling run in parallel. An attempt that another request is already verifying counts
  // once.
  const isCounted = passwords.isInFlight(password, hash)
  const verifying = passwords.verify(password, hash)
  const [isRight] = await Promise.all([verifying, isCounted ? undefined : throttle.attempt(address, name)])
  if (isRight && user !== undefined) {
    await throttle.succeed(address, name)
    return { user: enabled(user), via: 'password' }
  }
  throw wrongPassword()
}

async function checkDirectory(
  { throttle, providers }: Pick<AuthenticationDeps, 'throttle' | 'providers'>,
  given: { name: string; password: string },
  address: string,
): Promise<PasswordSignIn> {
  const isKnown = providers.isKnownPassword(given)
  if (!isKnown) await throttle.attempt(address, given.name)
  const user = await providers.admitPassword(given).catch(async (error: unknown) => {
    // An outage of the directory is no failed attempt.
    if (!isKnown && error instanceof Failure) await throttle.succeed(address, given.name)
    throw error
  })
  if (user === undefined) throw wrongPassword()
  if (!isKnown) await throttle.succeed(address, given.name)
  return { user: enabled(user), via: 'ldap' }
}

function wrongPassword(): Failure {
  return new Failure('unauthenticated', 'wrong-credentials', 'User name or password is wrong')
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

/** Refuses a request after too many failed attempts. `seconds`: time until the next attempt is accepted. */
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
