import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifyTypeProvider,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { Static, TSchema } from 'typebox'
import { type Action, type Caller, isLimited, type Rights, type Role } from '../access/index.ts'
import type { Dialect } from '../core/config/settings.ts'
import { Failure } from '../core/errors/errors.ts'
import type { Logger } from '../core/log/logger.ts'
import type { RequestEventType } from '../monitoring/query/index.ts'
import type { NamedDescription } from './description.ts'

/** A right for what the path of a route names: `:layer` or `:collectionId`, `:workspace`, `:style`. */
export interface ResourceAccess {
  on: 'layer' | 'workspace' | 'style'
  action: Action
  /** True if anonymous callers need a login even for what they may read. */
  needsLogin: boolean
}

const onResource = (on: ResourceAccess['on'], action: Action, needsLogin = true): ResourceAccess => ({
  on,
  action,
  needsLogin,
})

/** Rights for what a path names. Without an action: to read it, which needs no login if it is public. */
export const resourceAccesses = {
  workspace: onResource('workspace', 'read', false),
  layer: onResource('layer', 'read', false),
  style: onResource('style', 'read', false),
  'workspace:read': onResource('workspace', 'read'),
  'workspace:manage': onResource('workspace', 'manage'),
  'layer:read': onResource('layer', 'read'),
  'layer:download': onResource('layer', 'download'),
  'layer:edit': onResource('layer', 'edit'),
  'layer:manage': onResource('layer', 'manage'),
} as const satisfies Record<string, ResourceAccess>

/**
 * Required access of a route. `public`: everyone; the handler decides about layers. `some:import`: who may
 * import anything. `user`, `admin`: that role and those above. `staff`: who may manage everything.
 */
export type Access = 'public' | 'some:import' | Role | keyof typeof resourceAccesses

/** The error that anonymous users get for a resource that is not public, whether or not it exists. */
export function loginNeeded(): Failure {
  return new Failure(
    'unauthenticated',
    'login-needed',
    'This needs a login: user name and password, or a token',
  )
}

/** The error for an action that the caller may not do with what the caller may read. */
export function forbidden(caller: Caller, action: Action, text: string): Failure {
  const role = action === 'read' || action === 'download' ? 'user' : 'staff'
  const limit = isLimited(caller) ? ', and the API token is good for less than its user' : ''
  return new Failure(
    'forbidden',
    'not-allowed',
    `This needs the role ${role}, ${caller.name} is ${caller.role}; or the right "${action}" for ${text}${limit}`,
  )
}

/** Request types follow from the route's TypeBox schemas. */
export interface TypeBoxProvider extends FastifyTypeProvider {
  validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown
  serializer: unknown
}

/** The server that areas add their routes to. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  Logger,
  TypeBoxProvider
>

/**
 * One area of paths: adds its routes to `app`, which is a scope of its own (parsers and hooks stay inside).
 */
export type ApiArea = (app: App) => void | Promise<void>

/** Event type under which monitoring counts requests of an endpoint. */
export type CountsAs = RequestEventType | 'unrecorded'

/** Properties of an operation that the server enforces for its requests. */
export interface OperationMarks {
  /** Everyone may read it: pages of every origin too, without credentials. */
  isPublicRead?: boolean
  /** Honours `Idempotency-Key`. */
  idempotent?: boolean
  /** A form of a page may send it: the session's token is taken from the field `csrf_token` too. */
  takesForms?: boolean
  /** `null` in a JSON body's own keys means something; elsewhere it is absent. */
  keepsNulls?: boolean
  /** In the dialect of older systems: a caller without access gets 403 `{"error":"unauthorized_request"}`. */
  hidesFromOthers?: boolean
  /**
   * Accepts a token in the URL, for clients that cannot send headers; such a token only reads, whatever the
   * user's role.
   */
  takesTokenInUrl?: boolean
  /**
   * Requested in large numbers: monitoring counts it by the minute, under the path of its route with the
   * layer filled in.
   */
  isTile?: boolean
  /** Accepts parameters outside its schema, and rejects unknown ones itself. */
  knowsParameters?: boolean
  /** Answers everyone alike and checks no credentials, which are in the catalogue. */
  ignoresCredentials?: boolean
  /** May take much time of workers: refused to clients that have used up their budget for heavy work. */
  isHeavy?: boolean | ((request: FastifyRequest) => boolean)
}

declare module 'fastify' {
  interface FastifyContextConfig extends OperationMarks {
    /** Required access; a route without it prevents the server's start. */
    access?: Access
    countsAs?: CountsAs
    /** Description in the OpenAPI document. */
    operation?: NamedDescription
    /** Bodies and responses in JSON exist as XML of GeoServer too. */
    hasXml?: boolean
  }
  interface FastifyInstance {
    dialect: Dialect
    /** Path prefix of the server, such as `/geoserver`; without a trailing slash. */
    basePath: string
    /** Time in which the response of a reading request must begin. */
    requestMs: number
    explainError(error: unknown): Failure | undefined
    /** Responds to a path without a route: an area with other error documents uses its own. */
    answerUnknownPath(request: FastifyRequest, reply: FastifyReply): never
  }
  interface FastifyRequest {
    /** The caller; `anonymous` until authentication has run. */
    caller: Caller
    /** Returns the rights of the caller at the time of the first call. */
    rights(): Promise<Rights>
    /** Token that proves that a page of this server sent an unsafe request of this session. */
    csrfToken?: string | undefined
    /** Name of the user whom the request has signed in. */
    signedIn?: string
    /** Why a sign-in did not succeed whose response is a redirect. */
    signInFailure?: Failure
    /** True if the response has links whose host is the client's `Host` header; absent without links. */
    namesClientHost?: boolean
    /** Throws `Failure` (429 `too-much-work`) if the client has used up its budget for heavy work. */
    requireHeavyWork(): void
    /** Absolute link to a path below the base path: `request.link('/rest/imports/1')`. */
    link(path: string): string
    /** Names keys or parameters that were ignored in `Terrane-Ignored`. */
    reportIgnored(names: Iterable<string>): void
  }
}

export type { FastifyReply, FastifyRequest }
