import type { TProperties, TSchema } from 'typebox'
import { Type } from 'typebox'

export const nullable = (schema: TSchema): TSchema => Type.Union([schema, Type.Null()])

export const OkReply = Type.Object({
  status: Type.Literal('ok'),
  success: Type.Literal(true),
  errors: Type.Object({}, { description: 'Empty' }),
})

/** The envelope around `data`, with further keys. */
export function envelopeReply(data: TSchema, beside: TProperties = {}): TSchema {
  return Type.Object({ ...OkReply.properties, data, ...beside })
}

/** Responses of a list: under its own name, and in the envelope for clients of older systems. */
export function listReplies(name: string, item: TSchema) {
  const list = { [name]: Type.Array(item) }
  const Key = Type.Object({ key: Type.String({ description: 'Name of the list beside it' }) })
  return { answers: { 200: Type.Object(list) }, olderAnswers: { 200: envelopeReply(Key, list) } }
}

export const FailureReply = Type.Object(
  {
    status: Type.Literal('error'),
    success: Type.Literal(false),
    errors: Type.Record(Type.String(), Type.Array(Type.String()), {
      description: 'Messages by field; general ones are under __all__',
    }),
    data: Type.Array(Type.Unknown(), { description: 'Empty' }),
  },
  { title: 'FieldProblem' },
)

/** An id in a path. Described as the number that it is; a handler is given its text. */
export const IdParams = Type.Object({ id: Type.Unsafe<string>(Type.Integer({ minimum: 0 })) })

export const Host = Type.Object({ id: Type.Integer(), name: Type.String(), ip: Type.String() })
export const HostBody = Type.Object({
  name: Type.Optional(Type.String()),
  ip: Type.Optional(Type.String()),
  host: Type.Optional(Type.Object({ name: Type.Optional(Type.String()), ip: Type.Optional(Type.String()) })),
})

const Source = Type.Object({
  kind: Type.String({
    description: 'own, log, geoserver-monitor, node-exporter or geoserver-status, as the type allows',
  }),
  path: Type.Optional(Type.String({ description: 'Only for source `log`: absolute path of an access log' })),
  url: Type.Optional(Type.String({ description: 'Last three formats only: path of the numbers' })),
  user: Type.Optional(Type.String()),
  password: Type.Optional(
    Type.String({ description: 'Returned as `********`; sending that value keeps the stored one' }),
  ),
})

const shortService = {
  id: Type.Integer(),
  name: Type.String(),
  type: Type.String(),
  host: Type.String({ description: 'Name of the host' }),
  check_interval: Type.Integer({ description: 'Seconds' }),
  last_check: nullable(Type.String({ description: 'The last collection that succeeded' })),
  active: Type.Boolean(),
}
export const ShortService = Type.Object(shortService)
export const Service = Type.Object({
  ...shortService,
  url: Type.String(),
  notes: Type.String(),
  problem: nullable(Type.String({ description: 'Problem of the last collection' })),
  source: Source,
})

const serviceValues = {
  name: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  host: Type.Optional(Type.String({ description: 'Name of a host that exists' })),
  url: Type.Optional(Type.String()),
  notes: Type.Optional(Type.String()),
  active: Type.Optional(Type.Boolean()),
  check_interval: Type.Optional(Type.Integer({ minimum: 60, maximum: 86_400 })),
  source: Type.Optional(Source),
}
export const ServiceBody = Type.Object({
  ...serviceValues,
  service: Type.Optional(Type.Object(serviceValues)),
})
