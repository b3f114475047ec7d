import type { TaskRecord } from '../../importer/model/model.ts'
import { invalid, notFound } from '../../lib/errors.ts'
import type { App, FastifyRequest } from '../app-types.ts'
import { requireMatch, sendEntity } from '../etag.ts'
import { TaskParams, Transform, TransformChange, TransformParams } from './bodies.ts'
import type { ImporterScope } from './scope.ts'
import { findTaskOf, staff, tags } from './scope.ts'
import { parseId } from './wire.ts'
import { fromWireTransform, toWireTransform, toWireTransforms } from './wire-transforms.ts'

const base = '/rest/imports/:importId/tasks/:taskId/transforms'

/** Names the parameters of a body that the transformation, as it is shown, does not have. */
export function reportUnknownParameters(
  request: FastifyRequest,
  body: Record<string, unknown>,
  transform: Record<string, unknown>,
  path = '',
): void {
  const unknown = Object.keys(body).filter((name) => name !== 'href' && !(name in transform))
  request.reportIgnored(unknown.map((name) => path + name))
}

/** `/rest/imports/<importId>/tasks/<taskId>/transforms` and one of them. */
export function addTransformRoutes(app: App, scope: ImporterScope): void {
  const { importer } = scope
  const { dialect } = scope.context.settings.server

  /** Place in the chain of a transformation's id. */
  function placeOf(task: TaskRecord, text: string): number {
    const id = parseId(text, 'transform')
    const place = dialect === 'geoserver' ? id : task.transforms.findIndex((one) => one.id === id)
    if (task.transforms[place] === undefined) throw notFound('unknown-transform', `No such transform: ${id}`)
    return place
  }

  app.get(
    base,
    { config: staff, schema: { tags, summary: 'Transformations in chain order', params: TaskParams } },
    async (request) => {
      const task = await findTaskOf(scope, request.params)
      const transforms = toWireTransforms(request, task, dialect)
      if (dialect === 'contract') return { transforms }
      return { transformChain: { type: task.kind === 'raster' ? 'raster' : 'vector', transforms } }
    },
  )

  app.post(
    base,
    {
      config: { access: 'staff', idempotent: true },
      schema: { tags, summary: 'Append a transformation', params: TaskParams, body: Transform },
    },
    async (request, reply) => {
      const task = await findTaskOf(scope, request.params)
      const changed = await importer.editTransforms(task.importId, task.id, (current) => ({
        transforms: [
          ...current.transforms,
          { id: current.nextTransformId, spec: fromWireTransform(request.body) },
        ],
        nextTransformId: current.nextTransformId + 1,
      }))
      const transform = toWireTransform(request, changed, changed.transforms.length - 1, dialect)
      reportUnknownParameters(request, request.body, transform)
      return reply.code(201).header('location', String(transform.href)).send(transform)
    },
  )

  app.get(
    `${base}/:transformId`,
    { config: staff, schema: { tags, summary: 'One transformation', params: TransformParams } },
    async (request, reply) => {
      const task = await findTaskOf(scope, request.params)
      const place = placeOf(task, request.params.transformId)
      return sendEntity(request, reply, toWireTransform(request, task, place, dialect))
    },
  )

  app.put(
    `${base}/:transformId`,
    {
      config: staff,
      schema: { tags, summary: 'Change a transformation', params: TransformParams, body: TransformChange },
    },
    async (request, reply) => {
      const task = await findTaskOf(scope, request.params)
      const change = fromWireTransform(request.body)
      const changed = await importer.editTransforms(task.importId, task.id, (current) => {
        const place = placeOf(current, request.params.transformId)
        requireMatch(request, toWireTransform(request, current, place, dialect))
        const transforms = current.transforms.map((one, index) => {
          if (index !== place) return one
          const type = change.type ?? one.spec.type
          if (type.toLowerCase() !== one.spec.type.toLowerCase()) {
            throw invalid(
              'other-transform-type',
              `${one.spec.type} cannot become ${type}: delete it and add the other`,
            )
          }
          return { ...one, spec: { ...one.spec, ...change, type: one.spec.type } }
        })
        return { transforms, nextTransformId: current.nextTransformId }
      })
      const place = placeOf(changed, request.params.transformId)
      const transform = toWireTransform(request, changed, place, dialect)
      reportUnknownParameters(request, request.body, transform)
      return sendEntity(request, reply, transform)
    },
  )

  app.delete(
    `${base}/:transformId`,
    { config: staff, schema: { tags, summary: 'Delete a transformation', params: TransformParams } },
    async (request, reply) => {
      const task = await findTaskOf(scope, request.params)
      await importer.editTransforms(task.importId, task.id, (current) => {
        const place = placeOf(current, request.params.transformId)
        requireMatch(request, toWireTransform(request, current, place, dialect))
        const transforms = current.transforms.filter((_, index) => index !== place)
        return { transforms, nextTransformId: current.nextTransformId }
      })
      return reply.code(200).send()
    },
  )
}
