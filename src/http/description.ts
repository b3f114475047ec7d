import type { TSchema } from 'typebox'
import { Type } from 'typebox'

/** An answer in media types other than JSON, or in several. */
export interface MediaAnswer {
  description: string
  content: Record<string, { schema: TSchema }>
}

/**
 * The shapes of an operation's answers by status. They describe and write nothing: what a handler gives is sent as it is.
 */
export type Answers = Readonly<Record<number, TSchema | MediaAnswer>>

/** An answer without a body. */
export function empty(description = 'Done; the answer has no body'): TSchema {
  return Type.Null({ description })
}

/** An answer in other media types than JSON. */
export function media(description: string, schemas: Record<string, TSchema>): MediaAnswer {
  const content = Object.entries(schemas).map(([type, schema]) => [type, { schema }] as const)
  return { description, content: Object.fromEntries(content) }
}

/** Bytes of a file. */
export const Bytes = Type.String({ format: 'binary' })

/** What an operation says of itself in the OpenAPI document. */
export interface Description {
  summary: string
  tags: readonly string[]
  description?: string
  deprecated?: boolean
  /** By status; failures are described by the server. */
  answers: Answers
  /** In the dialect of older systems, where they differ. */
  olderAnswers?: Answers
  /** What the document tells of parts where something else, or nothing, is checked. */
  told?: { params?: TSchema; query?: TSchema; body?: TSchema }
  /** Media types of the body; JSON where it is not said. */
  consumes?: readonly string[]
}

/** The same with the operation's name. */
export interface NamedDescription extends Description {
  id: string
}
