import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  clockTolerance,
  discovery,
  None,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  refreshTokenGrant,
} from 'openid-client'
import { SingleFlight } from '../../core/concurrency/single-flight.ts'
import type { OidcSettings } from '../../core/config/access-settings.ts'
import { Failure } from '../../core/errors/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { ProviderAccount } from './account.ts'
import { JsonWebKeys, parseToken } from './json-web-keys.ts'
import type { Claims } from './oidc-claims.ts'
import { accountOf, isFor, providerName, textClaim, whyNotNow } from './oidc-claims.ts'

const timeoutSeconds = 10
/** The issuer's metadata are read again after this time, and after a failure not before the other. */
const metadataMs = 3_600_000
const pauseMs = 5_000
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'

/** Values to store between the redirect to the provider and the return. */
export interface SignInTransaction {
  state: string
  nonce: string
  verifier: string
}

/** A completed sign-in. */
export interface OidcSignIn {
  account: ProviderAccount
  idToken: string
  /** The provider's session. */
  session: string | undefined
  refreshToken: string | undefined
}

/** Contents of a logout token: a session of the provider, or a subject whose sessions all end. */
export interface LoggedOut {
  session: string | undefined
  subject: string | undefined
}

/** An OpenID Connect provider. */
export class OidcProvider {
  readonly provider: string
  readonly settings: OidcSettings
  readonly #clock: Clock
  readonly #keys: JsonWebKeys
  readonly #discovering = new SingleFlight<'metadata', Configuration>()
  #known: { configuration: Configuration; until: number } | undefined
  #pausedUntil = 0

  constructor(settings: OidcSettings, clock: Clock) {
    this.settings = settings
    this.provider = providerName(settings.issuer)
    this.#clock = clock
    this.#keys = new JsonWebKeys(() => this.#readKeys())
  }

  /** Returns the address at which the user signs in. Throws `Failure` (`provider-unavailable`). */
  async begin(redirectUri: string): Promise<{ url: URL; transaction: SignInTransaction }> {
    const configuration = await this.#configuration()
    const transaction = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() }
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: this.settings.scopes,
      state: transaction.state,
      nonce: transaction.nonce,
      code_challenge: await calculatePKCECodeChallenge(transaction.verifier),
      code_challenge_method: 'S256',
    })
    return { url, transaction }
  }

  /**
   * Exchanges the code of the return address. Throws `Failure`: `sign-in-refused` if the provider or a check of
   * its token refuses, `provider-unavailable`.
   */
  async finish(returned: URL, transaction: SignInTransaction): Promise<OidcSignIn> {
    const configuration = await this.#configuration()
    const tokens = await authorizationCodeGrant(configuration, returned, {
      expectedState: transaction.state,
      expectedNonce: transaction.nonce,
      pkceCodeVerifier: transaction.verifier,
      idTokenExpected: true,
    }).catch((error: unknown) => this.#refuse(error))
    const { id_token: idToken = '', refresh_token: refreshToken } = tokens
    const claims = await this.#verifiedClaims(idToken, 'ID token')
    const account = this.#accountOf(claims)
    return { account, idToken, session: textClaim(claims, 'sid'), refreshToken }
  }

  /** True if the token says that it is from this issuer. */
  isIssuerOf(token: string): boolean {
    return sameIssuer(parseToken(token)?.claims['iss'], this.settings.issuer)
  }

  /** Returns the account of an access token (RFC 9068). Throws `Failure` (`wrong-credentials`) if it does not hold. */
  async verifyAccessToken(token: string): Promise<ProviderAccount> {
    const claims = await this.#verifiedClaims(token, 'access token')
    if (!isFor(claims, this.settings.audience))
      throw refused('access token', 'it is for another audience ("aud")')
    // An ID token must not serve as an access token: it is for the client, and passes more hands.
    if (claims['nonce'] !== undefined || claims['at_hash'] !== undefined)
      throw refused('access token', 'it is an ID token')
    return this.#accountOf(claims)
  }

  /** Checks a back-channel logout token. Throws `Failure` (`sign-in-refused`). */
  async verifyLogoutToken(token: string): Promise<LoggedOut> {
    const claims = await this.#verifiedClaims(token, 'logout token')
    const { events, nonce } = claims
    const session = textClaim(claims, 'sid')
    const subject = textClaim(claims, 'sub')
    if (!isFor(claims, this.settings.clientId))
      throw refused('logout token', 'it is for another client ("aud")')
    const hasEvent = typeof events === 'object' && events !== null && Object.hasOwn(events, logoutEvent)
    if (!hasEvent || nonce !== undefined || (session ?? subject) === undefined)
      throw refused('logout token', 'it is no token of a back-channel logout')
    return { session, subject }
  }

  /**
   * Asks with a refresh token whether the account still exists. `gone`: the provider refuses the token. Throws
   * `Failure` (`provider-unavailable`).
   */
  async refresh(
    refreshToken: string,
  ): Promise<'gone' | { account: ProviderAccount | undefined; refreshToken: string }> {
    const configuration = await this.#configuration()
    try {
      const tokens = await refreshTokenGrant(configuration, refreshToken)
      const { id_token: idToken, refresh_token: next = refreshToken } = tokens
      const claims = idToken === undefined ? undefined : await this.#verifiedClaims(idToken, 'ID token')
      return { account: claims && accountOf(claims, this.settings), refreshToken: next }
    } catch (error) {
      if (error instanceof ResponseBodyError && error.error === 'invalid_grant') return 'gone'
      return this.#refuse(error)
    }
  }

  /** Returns the address that ends the provider's session too; undefined if the provider has none. */
  async endSessionUrl(idToken: string | undefined, returnTo: string): Promise<string | undefined> {
    const configuration = await this.#configuration().catch(() => undefined)
    if (configuration?.serverMetadata().end_session_endpoint === undefined) return undefined
    const parameters = new URLSearchParams({ post_logout_redirect_uri: returnTo })
    if (idToken !== undefined) parameters.set('id_token_hint', idToken)
    return buildEndSessionUrl(configuration, parameters).href
  }

  #accountOf(claims: Claims): ProviderAccount {
    const account = accountOf(claims, this.settings)
    if (account !== undefined) return account
    throw refused('token', `it has no claim "${this.settings.subjectClaim}" (TERRANE_OIDC_SUBJECT_CLAIM)`)
  }

  async #verifiedClaims(token: string, what: string): Promise<Claims> {
    const claims = parseToken(token)?.claims
    if (claims === undefined) throw refused(what, 'it is no signed token')
    if (!sameIssuer(claims['iss'], this.settings.issuer))
      throw refused(what, 'it is from another issuer ("iss")')
    const nowSeconds = this.#clock.now().getTime() / 1000
    const isLogout = what === 'logout token' && claims['exp'] === undefined
    const dated = isLogout ? { ...claims, exp: Number(claims['iat']) + 120 } : claims
    const reason = whyNotNow(dated, nowSeconds, this.settings.skewSeconds)
    if (reason !== undefined) throw refused(what, reason)
    if (!(await this.#keys.verifies(token))) throw refused(what, 'no key of the issuer has signed it')
    return claims
  }

  async #readKeys(): Promise<unknown> {
    const uri = (await this.#configuration()).serverMetadata().jwks_uri
    if (uri === undefined) throw this.#unavailable('it publishes no keys ("jwks_uri")')
    try {
      const response = await fetch(uri, {
        signal: AbortSignal.timeout(timeoutSeconds * 1000),
        redirect: 'error',
      })
      if (!response.ok) throw new Error(`its keys answer ${response.status}`)
      return await response.json()
    } catch (error) {
      throw this.#unavailable(reasonOf(error), error)
    }
  }

  #configuration(): Promise<Configuration> {
    const known = this.#known
    if (known !== undefined && Date.now() < known.until) return Promise.resolve(known.configuration)
    return this.#discovering.run('metadata', async () => {
      if (Date.now() < this.#pausedUntil) throw this.#unavailable('it did not respond a moment ago')
      try {
        const configuration = await this.#discover()
        this.#known = { configuration, until: Date.now() + metadataMs }
        return configuration
      } catch (error) {
        this.#pausedUntil = Date.now() + pauseMs
        throw this.#unavailable(reasonOf(error), error)
      }
    })
  }

  #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret, skewSeconds } = this.settings
    const secret = clientSecret?.reveal()
    const execute = issuer.protocol === 'http:' ? [allowInsecureRequests] : []
    return discovery(
      issuer,
      clientId,
      { [clockTolerance]: skewSeconds, client_secret: secret },
      secret === undefined ? None() : ClientSecretPost(secret),
      { timeout: timeoutSeconds, execute },
    )
  }

  /** Turns an error of the protocol into one for the user. */
  #refuse(error: unknown): never {
    if (error instanceof Failure) throw error
    if (isNetworkError(error)) throw this.#unavailable(reasonOf(error), error)
    throw new Failure(
      'unauthenticated',
      'sign-in-refused',
      `The sign-in did not succeed: ${reasonOf(error)}`,
      { cause: error },
    )
  }

  #unavailable(reason: string, cause?: unknown): Failure {
    const text = `The sign-in provider ${this.settings.issuer.origin} cannot be asked: ${reason}. Users with a local password can sign in`
    return new Failure('unavailable', 'provider-unavailable', text, { cause, retryAfterSeconds: 10 })
  }
}

function sameIssuer(claim: unknown, issuer: URL): boolean {
  return typeof claim === 'string' && claim.replace(/\/$/, '') === issuer.href.replace(/\/$/, '')
}

function refused(what: string, reason: string): Failure {
  const text = `The ${what} of the sign-in provider is refused: ${reason}`
  return what === 'access token'
    ? new Failure('unauthenticated', 'wrong-credentials', text)
    : new Failure('unauthenticated', 'sign-in-refused', text)
}

function isNetworkError(error: unknown): boolean {
  const texts = chainOf(error).map((one) => `${one.name} ${(one as NodeJS.ErrnoException).code ?? ''}`)
  return texts.some((text) =>
    /TimeoutError|AbortError|ECONN|ENOTFOUND|EAI_|CERT|ERR_TLS|UND_ERR|EHOST|ENET|EPIPE/.test(text),
  )
}

/** The messages of an error and its causes; those of `ResponseBodyError` are the provider's words. */
function reasonOf(error: unknown): string {
  const messages = chainOf(error).map((one) =>
    one instanceof ResponseBodyError
      ? `the provider says "${one.error}"${one.error_description === undefined ? '' : ` (${one.error_description})`}`
      : one.message,
  )
  return [...new Set(messages.filter((text) => text !== ''))].slice(0, 4).join(': ').slice(0, 500)
}

function chainOf(error: unknown): Error[] {
  const chain: Error[] = []
  for (let at = error; at instanceof Error && chain.length < 6; at = at.cause) chain.push(at)
  return chain
}
