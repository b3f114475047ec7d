import type { Dialect } from '../../../core/config/settings.ts'
import { invalid, notFound } from '../../../core/errors/errors.ts'
import type { TaskRecord } from '../../../importer/index.ts'
import type { TransformSpec } from '../../../transforms/index.ts'
import { toTransformId, toTransformListResponse } from '../../compat/geoserver-importer.ts'
import { empty } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { requireMatch, sendEntity } from '../../etag.ts'
import { TransformBody, TransformChange } from './bodies.ts'
import type { DialectDeps } from './importer-api-deps.ts'
import { parseId, TaskParams, TransformParams } from './parameters.ts'
import { OlderTransformList, TransformList, TransformReply } from './schemas.ts'
import { requireTask } from './shown-imports.ts'
import {
  readTransformBody,
  reportUnknownParameters,
  toTransformResponse,
  toTransformsResponse,
} from './transform-response.ts'

const tags = ['importer']

/** Returns the position of a transformation in the chain. */
function placeOf(task: TaskRecord, text: string, dialect: Dialect): number {
  const id = parseId(text, 'transform')
  const place = task.transforms.findIndex((one, index) => toTransformId(one.id, index, dialect) === id)
  if (place < 0) throw notFound('unknown-transform', `No such transform: ${id}`)
  return place
}

/** A transformation with its changes; another type would be another transformation. */
function changedSpec(spec: TransformSpec, change: TransformSpec): TransformSpec {
  const type = change.type ?? spec.type
  if (type.toLowerCase() === spec.type.toLowerCase()) return { ...spec, ...change, type: spec.type }
  throw invalid('other-transform-type', `${spec.type} cannot become ${type}: delete it and add the other`)
}

export const listTransforms = operation({
  summary: 'Transformations in chain order',
  description:
    'The transformations of a task in the order in which they are applied, with all their parameters.',
  tags,
  params: TaskParams,
  answers: { 200: TransformList },
  olderAnswers: { 200: OlderTransformList },
  handle: async ({ importer, dialect }: DialectDeps, request) => {
    const task = await requireTask(importer, request.params)
    return toTransformListResponse(task, toTransformsResponse(request, task, dialect), dialect)
  },
})

export const createTransform = operation({
  summary: 'Append a transformation',
  description:
    'Appends a transformation to the chain of the task. `GET /rest/transforms` lists the types and their parameters.',
  tags,
  idempotent: true,
  params: TaskParams,
  body: TransformBody,
  answers: { 201: TransformReply },
  handle: async ({ importer, dialect }: DialectDeps, request, reply) => {
    const task = await requireTask(importer, request.params)
    const changed = await importer.editTransforms(task.importId, task.id, (current) => {
      const added = { id: current.nextTransformId, spec: readTransformBody(request.body) }
      return { transforms: [...current.transforms, added], nextTransformId: current.nextTransformId + 1 }
    })
    const transform = toTransformResponse(request, changed, changed.transforms.length - 1, dialect)
    reportUnknownParameters(request, request.body, transform)
    return reply.code(201).header('location', String(transform.href)).send(transform)
  },
})

export const showTransform = operation({
  summary: 'Show one transformation',
  description: 'One transformation of a task with all its parameters, defaults filled in.',
  tags,
  params: TransformParams,
  answers: { 200: TransformReply },
  handle: async ({ importer, dialect }: DialectDeps, request, reply) => {
    const task = await requireTask(importer, request.params)
    const place = placeOf(task, request.params.transformId, dialect)
    return sendEntity(request, reply, toTransformResponse(request, task, place, dialect))
  },
})

export const changeTransform = operation({
  summary: 'Change a transformation',
  description: 'Changes the parameters that the body names; the position in the chain stays.',
  tags,
  params: TransformParams,
  body: TransformChange,
  answers: { 200: TransformReply },
  handle: async ({ importer, dialect }: DialectDeps, request, reply) => {
    const { transformId } = request.params
    const task = await requireTask(importer, request.params)
    const change = readTransformBody(request.body)
    const changed = await importer.editTransforms(task.importId, task.id, (current) => {
      const place = placeOf(current, transformId, dialect)
      requireMatch(request, toTransformResponse(request, current, place, dialect))
      const transforms = current.transforms.map((one, index) =>
        index === place ? { ...one, spec: changedSpec(one.spec, change) } : one,
      )
      return { transforms, nextTransformId: current.nextTransformId }
    })
    const transform = toTransformResponse(request, changed, placeOf(changed, transformId, dialect), dialect)
    reportUnknownParameters(request, request.body, transform)
    return sendEntity(request, reply, transform)
  },
})

export const deleteTransform = operation({
  summary: 'Delete a transformation',
  description: 'Removes the transformation from the chain of the task.',
  tags,
  params: TransformParams,
  answers: { 200: empty() },
  handle: async ({ importer, dialect }: DialectDeps, request, reply) => {
    const task = await requireTask(importer, request.params)
    await importer.editTransforms(task.importId, task.id, (current) => {
      const place = placeOf(current, request.params.transformId, dialect)
      requireMatch(request, toTransformResponse(request, current, place, dialect))
      const transforms = current.transforms.filter((_, index) => index !== place)
      return { transforms, nextTransformId: current.nextTransformId }
    })
    return reply.code(200).send()
  },
})
