import type { FastifyContextConfig } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Dialect } from '../core/config/settings.ts'
import { defined } from '../core/values/defined.ts'
import type { Access, App, CountsAs, FastifyReply, FastifyRequest, OperationMarks } from './app-types.ts'
import type { Description } from './description.ts'

/** HTTP method of an endpoint. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

/** Required access: the same in both dialects, or by dialect. */
export type AccessRule = Access | Readonly<Record<Dialect, Access>>

/** A request whose parts have the types of the schemas that they were checked against. */
type Call<P extends TSchema, Q extends TSchema, B extends TSchema> = FastifyRequest<{
  Params: Static<P>
  Querystring: Static<Q>
  Body: Static<B>
}>

interface Definition<Parts, P extends TSchema, Q extends TSchema, B extends TSchema>
  extends Description,
    OperationMarks {
  params?: P
  query?: Q
  body?: B
  /** A request without a body counts as one with an empty object. */
  isBodyOptional?: true
  /** Maximum size of a body in bytes; default: the limit of JSON. */
  bodyLimit?(parts: Parts): number
  /** True if HEAD runs `handle`; otherwise it is answered like GET, without the body. */
  handlesHead?: boolean
  /** Validates only what a schema cannot express, calls one function and maps its result. */
  handle(parts: Parts, request: Call<P, Q, B>, reply: FastifyReply): unknown
}

/**
 * An operation of the server, independent of its path: description, validation and handler. Plain data
 * without dependencies.
 */
export type Operation<Parts> = Omit<Definition<Parts, TSchema, TSchema, TSchema>, 'handle' | 'bodyLimit'> & {
  // A property, not a method: an operation with fewer dependencies can be used where more are available, but
  // not the reverse.
  handle: (parts: Parts, request: FastifyRequest, reply: FastifyReply) => unknown
  bodyLimit?: (parts: Parts) => number
}

/** Types an operation by its schemas. */
export function operation<Parts, P extends TSchema, Q extends TSchema, B extends TSchema>(
  definition: Definition<Parts, P, Q, B>,
): Operation<Parts> {
  // The server passes only requests that were validated against the schemas.
  return definition as Operation<Parts>
}

/** One line of an endpoint table. */
export interface Endpoint<Parts> {
  method: Method
  /** The whole path below the base path, with `:names` of its parameters. */
  path: string
  access: AccessRule
  /** Event type under which monitoring counts a request. */
  countsAs: CountsAs
  /** The operation's name, in code and in the OpenAPI document. */
  id: string
  operation: Operation<Parts>
  /** The only dialect that has it. */
  dialect?: Dialect
}

/** An endpoint without regard to what its handler needs. */
export type AnyEndpoint = Endpoint<never>

/** A line of a table: `endpoint('GET', '/rest/things/:id', 'user', 'view', { showThing })`. */
export function endpoint<Parts>(
  method: Method,
  path: string,
  access: AccessRule,
  countsAs: CountsAs,
  named: Record<string, Operation<Parts>>,
  { dialect }: { dialect?: Dialect } = {},
): Endpoint<Parts> {
  const [[id, only] = [], ...others] = Object.entries(named)
  if (id === undefined || only === undefined || others.length > 0)
    throw new Error(`${method} ${path} needs exactly one operation`)
  return { method, path, access, countsAs, id, operation: only, dialect }
}

/** Adds the endpoints of a table to a server, or to a scope of it; handlers receive `parts`. */
export function addEndpoints<Parts>(app: App, endpoints: readonly Endpoint<Parts>[], parts: Parts): void {
  for (const one of endpoints) {
    if (one.dialect !== undefined && one.dialect !== app.dialect) continue
    addEndpoint(app, one, parts)
  }
}

function addEndpoint<Parts>(app: App, one: Endpoint<Parts>, parts: Parts): void {
  const { method, path: url, operation: requested } = one
  const handler = (request: FastifyRequest, reply: FastifyReply): unknown =>
    requested.handle(parts, request, reply)
  const options = { url, ...optionsOf(one, app.dialect, parts) }
  if (method === 'GET' && requested.handlesHead === true) {
    app.route({ ...options, method: 'HEAD', handler })
    app.route({ ...options, method, exposeHeadRoute: false, handler })
  } else {
    app.route({ ...options, method, handler })
  }
}

function optionsOf<Parts>(one: Endpoint<Parts>, dialect: Dialect, parts: Parts) {
  const { params, query: querystring, body, bodyLimit, isBodyOptional } = one.operation
  return {
    config: configOf(one, dialect),
    // Fastify warns about a schema that is undefined.
    schema: defined({ params, querystring, body }),
    bodyLimit: bodyLimit === undefined ? undefined : bodyLimit(parts),
    preValidation: isBodyOptional === true ? takeNoBody : undefined,
  }
}

async function takeNoBody(request: FastifyRequest): Promise<void> {
  request.body ??= {}
}

function configOf(
  { access, countsAs, id, operation: requested }: AnyEndpoint,
  dialect: Dialect,
): FastifyContextConfig {
  const { isPublicRead, idempotent, takesForms, keepsNulls, hidesFromOthers, takesTokenInUrl } = requested
  const { isTile, knowsParameters, ignoresCredentials, isHeavy } = requested
  return {
    isPublicRead,
    idempotent,
    takesForms,
    keepsNulls,
    hidesFromOthers,
    takesTokenInUrl,
    isTile,
    knowsParameters,
    ignoresCredentials,
    isHeavy,
    access: typeof access === 'string' ? access : access[dialect],
    countsAs,
    operation: { id, ...requested },
  }
}
