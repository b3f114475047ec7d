import { Readable } from 'node:stream'
import { Type } from 'typebox'

/** Selects and formats listed changes. */
export const ChangesQuery = Type.Object({
  format: Type.Optional(Type.String({ description: 'csv or geojson; default by `Accept`' })),
  limit: Type.Optional(Type.Integer({ minimum: 0, description: 'Default: all' })),
  offset: Type.Optional(Type.Integer({ minimum: 0 })),
})

const values = Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()])

/** Changes, one by one. */
export const ChangeListReply = Type.Object({
  type: Type.Literal('FeatureCollection'),
  features: Type.Array(
    Type.Object({
      type: Type.Literal('Feature'),
      geometry: values,
      properties: Type.Object({
        change: Type.Union(['added', 'changed', 'removed'].map((name) => Type.Literal(name))),
        featureId: Type.Union([Type.String(), Type.Null()]),
        key: Type.Object({}, { additionalProperties: true }),
        before: values,
        after: values,
      }),
    }),
  ),
})

/** Awaits the first part, so that an immediate error can be reported. */
export async function streamed(parts: AsyncIterable<Uint8Array>): Promise<Readable> {
  const reading = parts[Symbol.asyncIterator]()
  let part = await reading.next()
  async function* rest(): AsyncGenerator<Uint8Array> {
    try {
      for (; part.done !== true; part = await reading.next()) yield part.value
    } finally {
      await reading.return?.()
    }
  }
  return Readable.from(rest(), { objectMode: false })
}
