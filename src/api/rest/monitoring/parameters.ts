import type { TSchema } from 'typebox'
import { Type } from 'typebox'
import type { Dialect } from '../../../core/config/settings.ts'
import { notFound } from '../../../core/errors/errors.ts'
import { bodyRecord, Fields } from '../../../core/text/fields.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { parseTimeParameter } from './time-parameter.ts'

export type { Fields } from '../../../core/text/fields.ts'

const maxEchoLength = 100

/** Fields whose times are read as the dialect writes them. */
export function responseFields(values: unknown, dialect: Dialect): Fields {
  return new Fields(values, (text) => parseTimeParameter(text, dialect))
}

/** The parameters of a query. */
export function queryFields(request: Pick<FastifyRequest, 'query'>, dialect: Dialect): Fields {
  return responseFields(request.query, dialect)
}

/** The fields of a form or a JSON object; no body at all has none. */
export function bodyFields({ body }: Pick<FastifyRequest, 'body'>, dialect: Dialect): Fields {
  return responseFields(bodyRecord(body), dialect)
}

/** The id in a path; throws `Failure` (`notFound`) for what is not a number. */
export function pathId(text: string, what: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw notFound('unknown-id', `${what} ${text.slice(0, maxEchoLength)} does not exist`)
}

/**
 * Parameters or fields of a form, texts where only a description is given, for OpenAPI and `Terrane-Ignored`. Below `/monitoring`
 * schemas describe; `Fields` checks.
 */
export function describeFields(descriptions: Record<string, string | TSchema>): TSchema {
  const properties = Object.entries(descriptions).map(([name, described]) => [
    name,
    Type.Optional(typeof described === 'string' ? Type.String({ description: described }) : described),
  ])
  return Type.Object(Object.fromEntries(properties))
}
