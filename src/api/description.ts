import type { TSchema } from 'typebox'
import { Type } from 'typebox'
import type { XmlElement } from '../core/text/xml-tree.ts'

/** A response in media types other than JSON, or in several. */
export interface MediaAnswer {
  description: string
  content: Record<string, { schema: TSchema }>
}

/**
 * Schemas of an operation's responses by status. They are documentation only: the handler's result is sent
 * unchanged.
 */
export type Answers = Readonly<Record<number, TSchema | MediaAnswer>>

/** A response without a body. */
export function empty(description = 'Done; the response has no body'): TSchema {
  return Type.Null({ description })
}

/** A response in other media types than JSON. */
export function media(description: string, schemas: Record<string, TSchema>): MediaAnswer {
  const content = Object.entries(schemas).map(([type, schema]) => [type, { schema }] as const)
  return { description, content: Object.fromEntries(content) }
}

/** Bytes of a file. */
export const Bytes = Type.String({ format: 'binary' })

/** Description of an operation in the OpenAPI document. */
export interface Description {
  summary: string
  tags: readonly string[]
  description?: string
  deprecated?: boolean
  /** By status; failures are described by the server. */
  answers: Answers
  /** In the dialect of older systems, where they differ. */
  olderAnswers?: Answers
  /** Documented schemas of parts that are validated differently or not at all. */
  reported?: { params?: TSchema; query?: TSchema; body?: TSchema }
  /** Media types of the body; default JSON. */
  consumes?: readonly string[]
  /** XML of GeoServer's REST API that does not follow from the JSON. */
  xml?: XmlDocument
}

/** Conversion between XML and the value of a body or response. */
interface XmlDocument {
  read?(root: XmlElement): unknown
  write?(value: unknown): string | undefined
}

/** The same with the operation's name. */
export interface NamedDescription extends Description {
  id: string
}
