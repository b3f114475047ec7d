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
import type { Caller } from '../accounts/caller.ts'
import type { Dialect } from '../config/settings.ts'
import type { Failure } from '../lib/errors.ts'
import type { Logger } from '../lib/logger.ts'
import type { OwnEventType } from '../monitoring/model/event-types.ts'
import type { Access } from './access.ts'
import type { NamedDescription } from './description.ts'

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

/** One area of paths: adds its routes to `app`, which is a scope of its own (parsers and hooks stay inside). */
export type Area = (app: App) => void | Promise<void>

/** What monitoring counts requests of an endpoint as. */
export type CountsAs = OwnEventType | 'unrecorded'

/** What the server minds in requests of an operation. */
export interface OperationMarks {
  /** Everyone may read it: pages of every origin too, without credentials. */
  isPublicRead?: boolean
  /** Honours `Idempotency-Key`. */
  idempotent?: boolean
  /** A form of a page may send it: the session's token is taken from the field `csrf_token` too. */
  takesForms?: boolean
  /** `null` in a JSON body's own keys means something; elsewhere it is absent. */
  keepsNulls?: boolean
  /** In the dialect of older systems: who may not call is answered 403 `{"error":"unauthorized_request"}`. */
  hidesFromOthers?: boolean
  /** A token may stand in its address, for clients that cannot send headers; who comes by one reads, whatever their role. */
  takesTokenInUrl?: boolean
  /** Asked for in masses: monitoring counts it by the minute, under the path of its route with the layer filled in. */
  isTile?: boolean
  /** It takes parameters beyond those of its schema, and refuses those that it does not know by itself. */
  knowsParameters?: boolean
}

declare module 'fastify' {
  interface FastifyContextConfig extends OperationMarks {
    /** Who may call; a route without it does not start. */
    access?: Access
    countsAs?: CountsAs
    /** What the OpenAPI document tells. */
    operation?: NamedDescription
  }
  interface FastifyInstance {
    dialect: Dialect
    /** Where the server stands, such as `/geoserver`; without a slash behind. */
    basePath: string
    /** Time in which the answer of a request that reads must begin. */
    requestMs: number
    explainError(error: unknown): Failure | undefined
    /** What a path answers that no route takes: an area whose failures look different has it answer its own. */
    answerUnknownPath(request: FastifyRequest, reply: FastifyReply): never
  }
  interface FastifyRequest {
    /** Who calls; `anonymous` until authentication has run. */
    caller: Caller
    /** What proves that a page of ours sent an unsafe request of this session. */
    csrfToken?: string | undefined
    /** True if the answer has links and their host is the `Host` header of the client; absent without links. */
    namesClientHost?: boolean
    /** Absolute link to a path below the base path: `request.link('/rest/imports/1')`. */
    link(path: string): string
    /** Names keys or parameters that were ignored in `Terrane-Ignored`. */
    reportIgnored(names: Iterable<string>): void
  }
}

export type { FastifyReply, FastifyRequest }
