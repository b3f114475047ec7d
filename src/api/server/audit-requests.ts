import { anonymous, type Caller } from '../../access/index.ts'
import { type AuditEntry, type AuditOutcome, toState } from '../../audit/index.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { App, FastifyReply, FastifyRequest } from '../app-types.ts'
import { readCredentials } from '../auth/credentials.ts'
import { toHttpProblem } from '../errors.ts'
import { actionOf, hasPlainBody, isAdministration, isAudited, operationOf } from './audit-actions.ts'
import { SignInMemory } from './sign-in-memory.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** State of the resource before the handler ran. */
    stateBefore: unknown
    /** The error of the response. */
    auditError: unknown
  }
}

/** Dependencies of the audit of requests. */
export interface RequestAudit {
  log: { record(entry: AuditEntry | Promise<AuditEntry>): void }
  clock: Clock
  /** Returns the state of the resource in the path, for operations whose response is not the state after. */
  readState(route: string, params: Readonly<Record<string, string>>): Promise<unknown>
}

const maxNameChars = 200

/**
 * Records every change, every sign-in, and refused administration, all in this place: an operation needs no code
 * for it. The response does not wait for the entry.
 */
export function auditRequests(app: App, audit: RequestAudit): void {
  const memory = new SignInMemory(audit.clock)
  app.decorateRequest('stateBefore')
  app.decorateRequest('auditError')
  app.addHook('preHandler', async (request) => {
    if (isAudited(request)) request.stateBefore = await stateOf(audit, request)
  })
  app.addHook('onError', (request, _reply, error, done) => {
    request.auditError = error
    done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    noteSignIn(audit, memory, request)
    const outcome = outcomeOf(request, reply)
    if (outcome !== undefined) audit.log.record(entryOf(audit, { request, reply, outcome, payload }))
    done(null, payload)
  })
}

async function stateOf({ readState }: RequestAudit, request: FastifyRequest): Promise<unknown> {
  const params = request.params as Record<string, string>
  return readState(request.routeOptions.url ?? '', params).catch(() => undefined)
}

/** Undefined if the request is not recorded: it changed nothing, and nothing was refused. */
function outcomeOf(request: FastifyRequest, reply: FastifyReply): AuditOutcome | undefined {
  const { signInFailure } = request
  const status = signInFailure === undefined ? reply.statusCode : toHttpProblem(signInFailure, request).status
  if (status === 401 && isFailedSignIn(request)) return 'refused'
  if (status === 403 && (isAdministration(request) || isAudited(request))) return 'refused'
  if (!isAudited(request)) return undefined
  if (status < 400) return 'done'
  return status >= 500 ? 'failed' : undefined
}

/** Browsers and many programs send their first request without credentials. */
function isFailedSignIn(request: FastifyRequest): boolean {
  const { authorization } = request.headers
  return authorization !== undefined || actionOf(idOf(request)) === 'sign-in'
}

/** Programs that sign in with each request have one entry an hour. */
function noteSignIn({ log, clock }: RequestAudit, memory: SignInMemory, request: FastifyRequest): void {
  const { viewer, seenAs, ip, id } = request
  const caller = viewer ?? request.caller
  if (seenAs !== undefined) noteSeeing(log, clock, memory, request)
  if (caller.name === undefined || caller.by === 'session' || caller.by === 'local') return
  if (!memory.isFirst(`${caller.name}\n${viaOf(caller)}\n${ip}`)) return
  log.record({
    time: clock.now().toISOString(),
    user: caller.name,
    via: viaOf(caller),
    address: ip,
    action: 'sign-in',
    outcome: 'done',
    resource: undefined,
    before: undefined,
    after: undefined,
    request: id,
  })
}

/** One entry an hour for each subject that an administrator sees as. */
function noteSeeing(
  log: RequestAudit['log'],
  clock: Clock,
  memory: SignInMemory,
  { viewer = anonymous, seenAs = '', ip, id }: FastifyRequest,
): void {
  if (!memory.isFirst(`${viewer.name}\nsees as\n${seenAs}\n${ip}`)) return
  log.record({
    time: clock.now().toISOString(),
    user: viewer.name,
    via: viaOf(viewer),
    address: ip,
    action: 'see-as',
    outcome: 'done',
    resource: decodePath(seenAs),
    before: undefined,
    after: undefined,
    request: id,
  })
}

interface Ending {
  request: FastifyRequest
  reply: FastifyReply
  outcome: AuditOutcome
  payload: unknown
}

function entryOf(audit: RequestAudit, ending: Ending): AuditEntry | Promise<AuditEntry> {
  const { request, reply, outcome } = ending
  const isRefusedSignIn = reply.statusCode === 401
  const action = isRefusedSignIn ? 'sign-in' : actionOf(idOf(request))
  const { caller = anonymous } = request
  const entry: AuditEntry = {
    time: audit.clock.now().toISOString(),
    user: (caller.name ?? request.signedIn ?? claimedName(request))?.slice(0, maxNameChars),
    via: caller.by === 'nothing' ? claimedMethod(request) : viaOf(caller),
    address: request.ip,
    action,
    outcome,
    resource: action === 'sign-in' ? undefined : resourceOf(request, reply),
    before: toState(request.stateBefore),
    after: undefined,
    request: request.id,
  }
  if (outcome !== 'done' || action === 'sign-in') return entry
  const known = bodyState(ending)
  if (known !== undefined || request.method === 'DELETE') return { ...entry, after: toState(known) }
  return stateOf(audit, request).then((state) => ({ ...entry, after: toState(state) }))
}

function idOf(request: FastifyRequest): string {
  return operationOf(request) ?? 'unknown'
}

function viaOf({ by, via }: Caller): string {
  return via ?? (by === 'local' ? 'system' : 'none')
}

/** The state after is what the response shows, else what the body asked for. */
function bodyState({ request, payload }: Ending): unknown {
  if (!hasPlainBody(idOf(request))) return undefined
  const shown = typeof payload === 'string' ? parseJson(payload) : undefined
  if (shown !== undefined) return shown
  const { body } = request
  return typeof body === 'object' && body !== null && !Buffer.isBuffer(body) ? body : undefined
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** A layer by its name, anything else by its path; a new resource by its `Location`. */
function resourceOf(request: FastifyRequest, reply: FastifyReply): string {
  const { layer, collectionId } = request.params as Record<string, string | undefined>
  const [used, ...others] = request.usedService === undefined ? [] : (request.usedLayers ?? [])
  if (used !== undefined)
    return [used, ...others]
      .map(({ workspace, name }) => `${workspace}:${name}`)
      .join(', ')
      .slice(0, 1000)
  const name = layer ?? collectionId
  if (name?.includes(':') === true) return name.slice(0, 1000)
  const location = reply.getHeader('location')
  const base = request.server.basePath
  const path =
    typeof location === 'string' && URL.canParse(location)
      ? new URL(location).pathname.slice(base.length)
      : request.url.split('?', 1)[0]
  return decodePath(path ?? '').slice(0, 1000)
}

function decodePath(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

/** The name that a refused sign-in claimed. */
function claimedName({ headers, body }: FastifyRequest): string | undefined {
  if (headers.authorization !== undefined) {
    try {
      const credentials = readCredentials({ authorization: headers.authorization })
      return credentials?.kind === 'basic' ? credentials.name : undefined
    } catch {
      return undefined
    }
  }
  const name = (body as { session?: { name?: unknown } } | undefined)?.session?.name
  return typeof name === 'string' ? name : undefined
}

function claimedMethod({ headers, routeOptions }: FastifyRequest): string {
  if (headers.authorization !== undefined)
    return /^bearer /i.test(headers.authorization) ? 'token' : 'password'
  const id = routeOptions.config?.operation?.id
  if (id === 'finishOidc' || id === 'endByProvider') return 'oidc'
  return id === 'logIn' || id === 'logInByPasskey' ? 'password' : 'none'
}
