import { Type } from 'typebox'
import type { Accounts, SignInTransaction } from '../../access/index.ts'
import { Failure, notFound } from '../../core/errors/errors.ts'
import type { Logger } from '../../core/log/logger.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { empty, media } from '../description.ts'
import { operation } from '../endpoint.ts'
import { readCookie } from './credentials.ts'
import { cookie, originOf, setSession } from './session.ts'

export interface OidcDeps {
  accounts: Pick<Accounts, 'providers' | 'transactions' | 'logInByOidc' | 'endByProvider'>
  log: Logger
}

const tags = ['security']
const transactionCookie = 'terrane_sign_in'
const transactionSeconds = 600
const callbackPath = '/rest/security/oidc/callback'
const redirect = media('Redirect', { 'text/html': Type.String() })

function providerOf({ providers }: OidcDeps['accounts']) {
  if (providers.oidc !== undefined) return providers.oidc
  throw notFound('no-provider', 'No OpenID Connect provider is set up: see TERRANE_OIDC_ISSUER')
}

export const startOidc = operation({
  summary: 'Sign in by OpenID Connect',
  description:
    'Redirects the browser to the provider of `TERRANE_OIDC_ISSUER` (authorization code with PKCE, state and nonce). `to` is the page to open afterwards.',
  tags,
  query: Type.Object({
    to: Type.Optional(Type.String({ maxLength: 2000, description: 'Path of a page of this server' })),
  }),
  answers: { 302: redirect, 200: empty() },
  handle: async ({ accounts }: OidcDeps, request, reply) => {
    try {
      const { url, transaction } = await providerOf(accounts).begin(request.link(callbackPath))
      const data = { ...transaction, to: request.query.to ?? '/' }
      const value = accounts.transactions.seal('oidc', data, transactionSeconds)
      setTransaction(request, reply, value, transactionSeconds)
      return reply.header('cache-control', 'no-store').redirect(url.href)
    } catch (error) {
      return showFailure(request, reply, error)
    }
  },
})

export const finishOidc = operation({
  summary: 'Return from the OpenID Connect provider',
  description:
    'The provider redirects the browser to this address. It exchanges the code, checks the ID token, starts a session and opens the page of `to`. Errors are shown on the sign-in page; without `text/html` in `Accept` they are problem documents.',
  tags,
  query: Type.Object({
    code: Type.Optional(Type.String({ description: 'Authorization code of the provider' })),
    state: Type.Optional(Type.String({ description: 'State parameter of the sign-in' })),
    iss: Type.Optional(Type.String({ description: 'Issuer that answers (RFC 9207)' })),
    session_state: Type.Optional(Type.String({ description: 'Session at the provider' })),
    error: Type.Optional(Type.String({ description: 'Error code of the provider' })),
    error_description: Type.Optional(Type.String({ description: 'Its description' })),
  }),
  answers: { 302: redirect, 200: empty() },
  handle: async ({ accounts, log }: OidcDeps, request, reply) => {
    reply.header('cache-control', 'no-store')
    try {
      const { to, ...transaction } = takeTransaction(accounts, request)
      const returned = new URL(request.link(callbackPath))
      returned.search = new URL(request.raw.url ?? '', 'http://localhost').search
      const signIn = await providerOf(accounts).finish(returned, transaction)
      const session = await accounts.logInByOidc(signIn, originOf(request))
      request.signedIn = session.user.name
      setSession(request, reply, session)
      return reply.redirect(`${request.link('/app/sign-in')}?to=${encodeURIComponent(to)}`)
    } catch (error) {
      if (error instanceof Failure) log.warn({ err: error, request: request.id }, 'a sign-in did not succeed')
      setTransaction(request, reply, '', 0)
      return showFailure(request, reply, error)
    }
  },
})

export const endByProvider = operation({
  summary: 'Back-channel logout of the OpenID Connect provider',
  description:
    'The provider posts `logout_token` when a user signs out there: the sessions of the token end (OpenID Connect Back-Channel Logout 1.0).',
  tags,
  consumes: ['application/x-www-form-urlencoded'],
  body: Type.Object({ logout_token: Type.String({ maxLength: 65_536 }) }),
  answers: { 200: empty() },
  handle: async ({ accounts }: OidcDeps, request, reply) => {
    const provider = providerOf(accounts)
    const loggedOut = await provider.verifyLogoutToken(request.body.logout_token).catch((error: unknown) => {
      // The specification wants 400 for a token that does not hold.
      if (!(error instanceof Failure) || error.kind !== 'unauthenticated') throw error
      throw new Failure('invalid', error.code, error.message)
    })
    await accounts.endByProvider(loggedOut, provider.provider)
    return reply.header('cache-control', 'no-store').code(200).send()
  },
})

function setTransaction(request: FastifyRequest, reply: FastifyReply, value: string, seconds: number): void {
  reply.header('set-cookie', cookie(request, { name: transactionCookie, value, seconds }))
}

function takeTransaction(
  { transactions }: OidcDeps['accounts'],
  { headers }: FastifyRequest,
): SignInTransaction & { to: string } {
  const text = readCookie(headers.cookie ?? '', transactionCookie)
  const data = text === undefined ? undefined : transactions.take('oidc', text)
  const { state, nonce, verifier, to } = data ?? {}
  if (typeof state === 'string' && typeof nonce === 'string' && typeof verifier === 'string')
    return { state, nonce, verifier, to: typeof to === 'string' ? to : '/' }
  throw new Failure(
    'unauthenticated',
    'sign-in-expired',
    'This sign-in was not begun in this browser, is older than 10 minutes, or was completed already: begin again',
  )
}

/** Browsers get the sign-in page, which has a text for each code; others the problem. */
function showFailure(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  if (!(error instanceof Failure) || !(request.headers.accept ?? '').includes('text/html')) throw error
  request.signInFailure = error
  return reply.redirect(`${request.link('/app/sign-in')}?failure=${encodeURIComponent(error.code)}`)
}
