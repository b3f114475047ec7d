import { Type } from 'typebox'
import { type Accounts, type ListedSession, listedId, type Passkey } from '../../access/index.ts'
import { Failure, invalid, notFound } from '../../core/errors/errors.ts'
import type { FastifyRequest } from '../app-types.ts'
import { empty } from '../description.ts'
import { operation } from '../endpoint.ts'
import { callerName, refuseTokens } from './responses.ts'
import { originOf, sessionId, setSession } from './session.ts'

export interface OwnAccountDeps {
  accounts: Pick<
    Accounts,
    'sessions' | 'factors' | 'passkeys' | 'transactions' | 'confirmPassword' | 'logInByPasskey'
  >
}

const tags = ['security']
const challengeSeconds = 300

const WireSession = Type.Object(
  {
    id: Type.String(),
    created: Type.String(),
    expires: Type.String(),
    via: Type.String({ description: '`password`, `ldap` or `oidc`' }),
    address: Type.Optional(Type.String()),
    agent: Type.Optional(Type.String({ description: 'User-Agent of the browser' })),
    current: Type.Boolean({ description: 'True for the session of this request' }),
  },
  { title: 'ListedSession' },
)

export const listOwnSessions = operation({
  summary: 'List own sessions',
  description: 'Sign-ins of the caller on the pages that have not ended, the newest first.',
  tags,
  answers: { 200: Type.Object({ sessions: Type.Array(WireSession) }) },
  handle: async ({ accounts }: OwnAccountDeps, request) => {
    const id = sessionId(request)
    const current = id === undefined ? undefined : listedId(id)
    const sessions = await accounts.sessions.list(callerName(request))
    return { sessions: sessions.map((one) => toWireSession(one, current)) }
  },
})

function toWireSession({ createdAt, expiresAt, ...session }: ListedSession, current: string | undefined) {
  return { ...session, created: createdAt, expires: expiresAt, current: session.id === current }
}

export const endOwnSession = operation({
  summary: 'End an own session',
  description: 'The browser of that session has to sign in again.',
  tags,
  params: Type.Object({ id: Type.String({ description: 'Id of a session' }) }),
  answers: { 200: empty() },
  handle: async ({ accounts }: OwnAccountDeps, request, reply) => {
    const { id } = request.params
    if (!(await accounts.sessions.endListed(callerName(request), id)))
      throw notFound('unknown-session', `Session ${id} does not exist`)
    return reply.code(200).send()
  },
})

const PasswordBody = Type.Object({
  currentPassword: Type.String({ maxLength: 1024, description: 'Current password' }),
})

/** A stolen session must not suffice to change how a user signs in. */
async function confirm(
  { accounts }: OwnAccountDeps,
  request: FastifyRequest<{ Body: { currentPassword: string } }>,
) {
  refuseTokens(request)
  if (request.caller.via !== 'password')
    throw new Failure(
      'forbidden',
      'local-accounts-only',
      'Second factors are available only to users with a local password',
    )
  const given = { name: callerName(request), password: request.body.currentPassword }
  await accounts.confirmPassword(given, request.ip)
  return given.name
}

export const beginTotp = operation({
  summary: 'Set up one-time codes',
  description:
    'Creates a secret for an authenticator app (RFC 6238). The secret becomes active when PUT confirms it with a code. Needs the current password.',
  tags,
  body: PasswordBody,
  answers: { 201: Type.Object({ totp: Type.Object({ secret: Type.String(), uri: Type.String() }) }) },
  handle: async (deps: OwnAccountDeps, request, reply) => {
    const name = await confirm(deps, request)
    const totp = await deps.accounts.factors.begin(name, new URL(request.link('/')).host)
    return reply.code(201).header('cache-control', 'no-store').send({ totp })
  },
})

export const confirmTotp = operation({
  summary: 'Switch one-time codes on',
  description:
    'Confirms the secret with a code of the app. Returns recovery codes, each valid for one sign-in without the app. They are shown only once.',
  tags,
  body: Type.Object({ code: Type.String({ maxLength: 100 }) }),
  answers: { 200: Type.Object({ totp: Type.Object({ recoveryCodes: Type.Array(Type.String()) }) }) },
  handle: async ({ accounts }: OwnAccountDeps, request, reply) => {
    refuseTokens(request)
    const recoveryCodes = await accounts.factors.confirm(callerName(request), request.body.code, request.ip)
    return reply.header('cache-control', 'no-store').send({ totp: { recoveryCodes } })
  },
})

export const endTotp = operation({
  summary: 'Switch one-time codes off',
  description: 'Needs the current password.',
  tags,
  body: PasswordBody,
  answers: { 200: empty() },
  handle: async (deps: OwnAccountDeps, request, reply) => {
    if (!(await deps.accounts.factors.switchOff(await confirm(deps, request))))
      throw notFound('second-factor-off', 'One-time codes are not on')
    return reply.code(200).send()
  },
})

const WirePasskey = Type.Object(
  { id: Type.String(), name: Type.String(), created: Type.String(), lastUsed: Type.Optional(Type.String()) },
  { title: 'Passkey' },
)

function toWirePasskey({ id, caption, createdAt, lastUsedAt }: Passkey) {
  return { id, name: caption, created: createdAt, lastUsed: lastUsedAt }
}

export const listOwnFactors = operation({
  summary: 'List own second factors',
  description: 'State of one-time codes, and the passkeys of the caller.',
  tags,
  answers: {
    200: Type.Object({ factors: Type.Object({ totp: Type.Boolean(), passkeys: Type.Array(WirePasskey) }) }),
  },
  handle: async ({ accounts }: OwnAccountDeps, request) => {
    const name = callerName(request)
    const passkeys = await accounts.passkeys.list(name)
    return { factors: { totp: await accounts.factors.isNeeded(name), passkeys: passkeys.map(toWirePasskey) } }
  },
})

/** Options of WebAuthn, with the text that must be sent back with the browser's response. */
const OptionsReply = Type.Object({
  passkey: Type.Object({
    options: Type.Object(
      {},
      { additionalProperties: true, description: 'Options of WebAuthn Level 3, as JSON' },
    ),
    transaction: Type.String(),
  }),
})

/** Passkeys belong to the address that people type. */
function siteOf(request: FastifyRequest) {
  const { origin, hostname } = new URL(request.link('/'))
  return { origin, id: hostname }
}

export const beginPasskey = operation({
  summary: 'Begin a new passkey',
  description: 'Options for `navigator.credentials.create`. Needs the current password.',
  tags,
  body: PasswordBody,
  answers: { 201: OptionsReply },
  handle: async (deps: OwnAccountDeps, request, reply) => {
    const name = await confirm(deps, request)
    const options = await deps.accounts.passkeys.registrationOptions(name, siteOf(request))
    const data = { name, challenge: options.challenge }
    const transaction = deps.accounts.transactions.seal('passkey', data, challengeSeconds)
    return reply.code(201).header('cache-control', 'no-store').send({ passkey: { options, transaction } })
  },
})

/** The browser's response; the library checks what is in it. */
const ResponseBody = {
  transaction: Type.String({ maxLength: 4000 }),
  response: Type.Object({ id: Type.String({ maxLength: 2000 }) }, { additionalProperties: true }),
}

export const createPasskey = operation({
  summary: 'Add a passkey',
  description: 'Stores the passkey created by `navigator.credentials.create`.',
  tags,
  body: Type.Object({
    passkey: Type.Object({ name: Type.String({ minLength: 1, maxLength: 100 }), ...ResponseBody }),
  }),
  answers: { 201: Type.Object({ passkey: WirePasskey }) },
  handle: async ({ accounts }: OwnAccountDeps, request, reply) => {
    refuseTokens(request)
    const { name: caption, transaction, response } = request.body.passkey
    const { name, challenge } = accounts.transactions.take('passkey', transaction) ?? {}
    if (name !== callerName(request) || typeof challenge !== 'string') throw lateTransaction()
    const passkey = await accounts.passkeys.register(name, { caption, response, challenge }, siteOf(request))
    return reply.code(201).send({ passkey: toWirePasskey(passkey) })
  },
})

function lateTransaction(): Error {
  return invalid(
    'late-transaction',
    '"transaction" is unknown, was used, or is older than 5 minutes: begin again',
  )
}

export const deletePasskey = operation({
  summary: 'Delete a passkey',
  description: 'The passkey can no longer be used to sign in.',
  tags,
  params: Type.Object({ id: Type.String({ description: 'Id of a passkey' }) }),
  answers: { 200: empty() },
  handle: async ({ accounts }: OwnAccountDeps, request, reply) => {
    refuseTokens(request)
    const { id } = request.params
    if (!(await accounts.passkeys.delete(callerName(request), id)))
      throw notFound('unknown-passkey', `Passkey ${id} does not exist`)
    return reply.code(200).send()
  },
})

export const beginPasskeySignIn = operation({
  summary: 'Begin a sign-in by passkey',
  description: 'Options for `navigator.credentials.get`; the browser offers the passkeys of this site.',
  tags,
  answers: { 200: OptionsReply },
  handle: async ({ accounts }: OwnAccountDeps, request, reply) => {
    const options = await accounts.passkeys.signInOptions(siteOf(request))
    const data = { challenge: options.challenge }
    const transaction = accounts.transactions.seal('passkey-sign-in', data, challengeSeconds)
    return reply.header('cache-control', 'no-store').send({ passkey: { options, transaction } })
  },
})

export const logInByPasskey = operation({
  summary: 'Log in by passkey',
  description: 'Sets the session cookie for the user whose passkey signed the challenge.',
  tags,
  body: Type.Object({ passkey: Type.Object(ResponseBody) }),
  answers: {
    200: Type.Object({
      session: Type.Object({ user: Type.String(), csrfToken: Type.String(), expires: Type.String() }),
    }),
  },
  handle: async ({ accounts }: OwnAccountDeps, request, reply) => {
    const { transaction, response } = request.body.passkey
    const { challenge } = accounts.transactions.take('passkey-sign-in', transaction) ?? {}
    if (typeof challenge !== 'string') throw lateTransaction()
    const name = await accounts.passkeys.verify({ response, challenge }, siteOf(request))
    const session = await accounts.logInByPasskey(name, originOf(request))
    request.signedIn = name
    setSession(request, reply, session)
    const { user, csrfToken, expiresAt } = session
    return reply
      .header('cache-control', 'no-store')
      .send({ session: { user: user.name, role: user.role, csrfToken, expires: expiresAt } })
  },
})
