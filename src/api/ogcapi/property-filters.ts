import type { TObject } from 'typebox'
import { invalid } from '../../core/errors/errors.ts'
import { checkFilter } from '../../filters/check-filter.ts'
import type { Expression } from '../../filters/expression.ts'
import type { Filter } from '../../filters/filter.ts'
import { allOf } from '../../filters/filter.ts'
import type { Attribute, Schema } from '../../geo/schema.ts'
import type { RequestFilter } from '../../stores/reading/request-filter.ts'
import type { FastifyRequest } from '../app-types.ts'
import { crs84 } from '../crs-uris.ts'
import { unknownParameters } from '../errors.ts'

/**
 * Query parameters named like properties filter features by value (OGC 17-069r4, section 7.15.5; 19-079r2,
 * section 6.4). If a property has the name of another parameter, the parameter takes precedence. Throws
 * `unknown-parameter` for names that are neither.
 */
export function readPropertyFilters(request: FastifyRequest, { attributes }: Schema): Filter[] {
  const known = (request.routeOptions.schema?.querystring as TObject | undefined)?.properties ?? {}
  const given = Object.entries(request.query as Record<string, unknown>).filter(
    ([name]) => !Object.hasOwn(known, name),
  )
  const found = given.map(([name, value]) => ({
    name,
    value,
    attribute: attributes.find((one) => one.name === name && isFilterable(one)),
  }))
  const unknown = found.filter(({ attribute }) => attribute === undefined)
  if (unknown.length > 0) throw unknownParameters(unknown.map(({ name }) => name))
  const schema = { attributes, geometry: undefined }
  return found.flatMap(({ attribute, value }) =>
    attribute === undefined
      ? []
      : [checkFilter({ kind: 'call', op: '=', args: sides(attribute, value) }, schema)],
  )
}

/** True if a property can be a query parameter. */
export function isFilterable({ type }: Attribute): boolean {
  return type !== 'binary' && type !== 'time'
}

/** The filter with others besides. */
export function narrowed(
  filter: RequestFilter | undefined,
  others: readonly Filter[],
): RequestFilter | undefined {
  if (others.length === 0) return filter
  const parts = filter === undefined ? [] : [filter.requested]
  return { requested: allOf([...parts, ...others]), srs: filter?.srs ?? crs84.srs }
}

function sides(attribute: Attribute, value: unknown): Expression[] {
  const { name, type } = attribute
  if (typeof value !== 'string')
    throw invalid(
      'invalid-parameter',
      `"${name}" is given more than once: use a filter to match several values`,
    )
  const property: Expression = { kind: 'property', name }
  if (type === 'text' || type === 'date' || type === 'timestamp') return [property, { kind: 'text', value }]
  const wrong = (what: string): Error =>
    invalid('invalid-parameter', `${name} "${value.slice(0, 60)}" is ${what}`)
  if (type === 'boolean') {
    if (value !== 'true' && value !== 'false') throw wrong('neither true nor false')
    return [property, { kind: 'boolean', value: value === 'true' }]
  }
  if (!/^[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?$/.test(value)) throw wrong('no number')
  return [property, { kind: 'number', digits: value }]
}
