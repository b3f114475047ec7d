import type { Dialect } from '../../../core/config/settings.ts'
import { notFound } from '../../../core/errors/errors.ts'
import type { TaskRecord } from '../../../importer/index.ts'
import { describeTransform } from '../../../transforms/chain.ts'
import { findTransform, type TransformSpec } from '../../../transforms/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { findCurrentTransformName, toTransformId, toTransformName } from '../../compat/geoserver-importer.ts'
import { taskPath } from './parameters.ts'

/** Returns the type with a name, ignoring case; an unknown name is unchanged. */
function readTransformTypeBody(type: string): string {
  return findCurrentTransformName(type) ?? findTransform(type)?.type ?? type
}

/**
 * Returns a transformation, or a change of one, in stored form: without links, and under its current name.
 */
export function readTransformBody({ href: _href, ...body }: Record<string, unknown>): TransformSpec {
  const spec = body as TransformSpec
  return spec.type === undefined ? spec : { ...spec, type: readTransformTypeBody(spec.type) }
}

/** Returns a transformation with its parameters, defaults filled in, and its name in the dialect. */
export function toSpecResponse(
  spec: TransformSpec,
  dialect: Dialect,
): Record<string, unknown> & { type: string } {
  const { type, ...parameters } = describeTransform(spec)
  return { type: toTransformName(String(type), dialect), ...parameters }
}

export function toTransformResponse(
  request: FastifyRequest,
  task: TaskRecord,
  index: number,
  dialect: Dialect,
): Record<string, unknown> {
  const transform = task.transforms[index]
  if (transform === undefined) throw notFound('unknown-transform', `No such transform: ${index}`)
  const { type, ...parameters } = toSpecResponse(transform.spec, dialect)
  const id = toTransformId(transform.id, index, dialect)
  return { type, href: request.link(`${taskPath(task.importId, task.id)}/transforms/${id}`), ...parameters }
}

export function toTransformsResponse(request: FastifyRequest, task: TaskRecord, dialect: Dialect) {
  return task.transforms.map((_, index) => toTransformResponse(request, task, index, dialect))
}

/** Reports parameters in a body that the transformation does not have. */
export function reportUnknownParameters(
  request: FastifyRequest,
  body: Record<string, unknown>,
  transform: Record<string, unknown>,
  path = '',
): void {
  const unknown = Object.keys(body).filter((name) => name !== 'href' && !(name in transform))
  request.reportIgnored(unknown.map((name) => path + name))
}
