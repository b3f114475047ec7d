import type { Catalog } from '../../../catalog/index.ts'
import type { Dialect } from '../../../core/config/settings.ts'
import { notFound } from '../../../core/errors/errors.ts'
import { hasValues } from '../../../core/values/defined.ts'
import type { Importer, TaskRecord } from '../../../importer/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { statusOf } from '../../compat/geoserver-importer.ts'
import { media } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { requireMatch, sendEntity } from '../../etag.ts'
import { acceptedFormats, sendStyleDocument } from '../catalog/style-documents.ts'
import { documentAnswers } from '../catalog/style-response.ts'
import { TaskLayerBody } from './bodies.ts'
import type { DialectDeps, ImporterApiDeps } from './importer-api-deps.ts'
import { readLayerBody, requireLayer, toTaskLayerResponse } from './layer-response.ts'
import { TaskParams, taskPath } from './parameters.ts'
import { TaskLayerReply, TaskStyleReply } from './schemas.ts'
import { requireTask } from './shown-imports.ts'

const tags = ['importer']

function show(dialect: Dialect, request: FastifyRequest, task: TaskRecord) {
  return { layer: toTaskLayerResponse(request, task, dialect) }
}

export const showTaskLayer = operation({
  summary: 'Show the layer of a task',
  description: 'Name, title, CRS, bounds, attributes and style of the layer that the task makes or changes.',
  tags,
  params: TaskParams,
  answers: { 200: TaskLayerReply },
  handle: async ({ importer, dialect }: DialectDeps, request, reply) =>
    sendEntity(request, reply, show(dialect, request, await requireTask(importer, request.params))),
})

export const changeTaskLayer = operation({
  summary: "Change a task's layer",
  description:
    'Sets the name, texts, CRS (`srs`) or style of the layer. A task in `NO_CRS` becomes `READY` when its CRS is known.',
  tags,
  params: TaskParams,
  body: TaskLayerBody,
  answers: { 200: TaskLayerReply },
  olderAnswers: { 202: TaskLayerReply },
  handle: async ({ importer, dialect }: DialectDeps, request, reply) => {
    const task = await requireTask(importer, request.params)
    const layer = readLayerBody(task, request.body.layer, dialect)
    const change = hasValues(layer) ? { layer } : {}
    const changed = await importer.changeTask(task.importId, task.id, change, (current) =>
      requireMatch(request, show(dialect, request, current)),
    )
    reply.code(statusOf({ dialect }, 200, 202))
    return sendEntity(request, reply, show(dialect, request, changed))
  },
})

/** The style by name, or the document that came with the data. */
async function styleOf(importer: Importer, catalog: Catalog, task: TaskRecord) {
  const { style: name, ownStyle } = requireLayer(task)
  const { workspace } = await importer.kept.get(task.importId)
  if (ownStyle !== undefined)
    return { name, format: ownStyle.format, document: await importer.readOwnStyle(ownStyle) }
  const style = await catalog.styles.resolve(workspace, name)
  if (style === undefined) throw notFound('unknown-style', `Style "${name}" does not exist`)
  return style
}

export const showTaskStyle = operation({
  summary: "The style of a task's layer",
  description: 'The style that draws the layer of the task, or its document by `Accept`.',
  tags,
  params: TaskParams,
  answers: {
    200: media('The style, or its document by Accept', {
      'application/json': TaskStyleReply,
      ...documentAnswers,
    }),
  },
  handle: async ({ importer, catalog }: Pick<ImporterApiDeps, 'importer' | 'catalog'>, request, reply) => {
    const task = await requireTask(importer, request.params)
    const style = await styleOf(importer, catalog, task)
    reply.header('vary', 'accept')
    const requested = acceptedFormats(request.headers.accept)
    if (requested.length > 0) return sendStyleDocument(reply, style, requested, ['maplibre', 'sld'])
    const href = request.link(`${taskPath(task.importId, task.id)}/layer/style`)
    return sendEntity(request, reply, { style: { name: style.name, href, format: style.format } })
  },
})
