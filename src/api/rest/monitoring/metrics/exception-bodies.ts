import type { TSchema } from 'typebox'
import { Type } from 'typebox'
import { nullable } from '../bodies.ts'

const Text = nullable(Type.String())
const Time = Type.String({ description: 'ISO 8601' })
const Service = nullable(Type.Object({ type: Type.String(), name: Type.String() }))

export const ListedExceptionBody: TSchema = Type.Object({
  id: Type.Integer(),
  url: Type.String({ description: 'Path of the exception' }),
  error_type: Type.String(),
  service: Service,
  created: Time,
})

export const ExceptionReply: TSchema = Type.Object({
  error_type: Type.String(),
  error_message: Type.String(),
  error_data: Type.String({ description: 'Stack trace' }),
  service: Service,
  created: Time,
  request: Type.Object(
    {
      event_type: Text,
      client: Type.Object({
        ip: Text,
        position: Type.Object({
          lat: nullable(Type.Number()),
          lon: nullable(Type.Number()),
          country: Text,
          city: Text,
        }),
        user_agent: Text,
        user_agent_family: Text,
      }),
      request: Type.Object({ path: Text, host: Text, method: Text, created: nullable(Time) }),
      response: Type.Object({
        status: nullable(Type.Integer()),
        time: nullable(Type.Integer({ description: 'Milliseconds' })),
        type: Text,
        size: nullable(Type.Integer({ description: 'Bytes' })),
      }),
      resources: Type.Array(Type.Object({ id: Type.Integer(), type: Type.String(), name: Type.String() })),
    },
    { description: 'Null if the failure was not caused by a request' },
  ),
})
