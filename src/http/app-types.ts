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
import type { Catalog } from '../catalog/catalog.ts'
import type { DataDirectory } from '../config/data-directory.ts'
import type { Dialect, Settings } from '../config/settings.ts'
import type { Database } from '../db/connection.ts'
import type { Importer } from '../importer/importer.ts'
import type { Clock } from '../lib/clock.ts'
import type { Failure } from '../lib/errors.ts'
import type { EventBus } from '../lib/events.ts'
import type { Logger } from '../lib/logger.ts'
import type { OwnEventType } from '../monitoring/model/event-types.ts'
import type { Monitoring } from '../monitoring/monitoring.ts'
import type { MoveIn } from '../monitoring/move-in/move-in.ts'
import type { Notifications } from '../monitoring/notify/notifications.ts'
import type { SeriesReader } from '../monitoring/query/series-reader.ts'
import type { Services } from '../monitoring/services/services.ts'
import type { Access } from './auth/access.ts'
import type { NamedDescription } from './description.ts'
import type { SeriesReads } from './monitoring/counted/reader-thread.ts'

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

/** What areas are given that have no table yet. */
export interface HttpContext {
  settings: Settings
  directory: DataDirectory
  database: Database
  catalog: Catalog
  importer: Importer
  /** What monitoring watches. */
  services: Services
  /** Absent where it is off. */
  monitoring?: Monitoring
  /** Answers questions about what monitoring has stored, off this thread. */
  series: SeriesReader<SeriesReads>
  moveIn: MoveIn
  /** Checks and what they tell whom. */
  notifications: Notifications
  events: EventBus
  log: Logger
  clock: Clock
  version: string
}

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
    explainError(error: unknown): Failure | undefined
  }
  interface FastifyRequest {
    /** Who calls; `anonymous` until authentication has run. */
    caller: Caller
    /** What proves that a page of ours sent an unsafe request of this session. */
    csrfToken?: string | undefined
    /** Absolute link to a path below the base path: `request.link('/rest/imports/1')`. */
    link(path: string): string
    /** Names keys or parameters that were ignored in `Terrane-Ignored`. */
    reportIgnored(names: Iterable<string>): void
  }
}

export type { FastifyReply, FastifyRequest }
