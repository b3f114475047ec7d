import { Type } from 'typebox'
import { hasRole } from '../../../access/index.ts'
import type { Dialect } from '../../../core/config/settings.ts'
import { Failure } from '../../../core/errors/errors.ts'
import { neededRole, type SourceInput, type Sources } from '../../../sources/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { empty } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { clientSignal } from '../../request-properties.ts'
import {
  AcceptBody,
  NewSourceBody,
  RunBody,
  RunList,
  RunReply,
  SourceBody,
  SourceList,
  SourceReply,
} from './bodies.ts'
import { readSourceBody } from './read-source.ts'
import { sourcePath, toRunResponse, toSourceResponse } from './source-response.ts'

/** Dependencies of the endpoints of sources. */
export interface SourceDeps {
  sources: Sources
  dialect: Dialect
}

const tags = ['sources']
const NameParams = Type.Object({ source: Type.String({ description: 'Name of the source' }) })
const RunParams = Type.Object({
  ...NameParams.properties,
  run: Type.Integer({ minimum: 1, description: 'Number of a run' }),
})
const ListQuery = Type.Object({
  layer: Type.Optional(Type.String({ maxLength: 600, description: '`workspace:layer`' })),
})
const PageQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
})

/** Runs have the rights of the owner: only an administrator may name another user. */
function checkRights({ caller }: FastifyRequest, { owner, settings }: SourceInput, before?: string): void {
  const isOwn = owner === caller.name || owner === before
  if (!isOwn && !hasRole(caller, 'admin'))
    throw new Failure('forbidden', 'forbidden', 'Only an administrator may change the owner of a source')
  if (before !== undefined && before !== caller.name && !hasRole(caller, 'admin'))
    throw new Failure('forbidden', 'forbidden', `Only its owner "${before}" and administrators may change it`)
  const role = neededRole({ settings })
  if (!hasRole(caller, role))
    throw new Failure(
      'forbidden',
      'forbidden',
      `Data of the type "${settings.data.type}" need the role ${role}`,
    )
}

function triggerOf({ caller }: FastifyRequest): 'person' | 'api' {
  return caller.by === 'session' ? 'person' : 'api'
}

export const listSources = operation({
  summary: 'List the sources: imports that repeat',
  description:
    'Sources with settings, state, next and last run. `layer` selects the sources that load a layer. Passwords are not returned.',
  tags,
  query: ListQuery,
  answers: { 200: SourceList },
  handle: async ({ sources, dialect }: SourceDeps, request) => ({
    sources: (await sources.list(request.query)).map((one) => toSourceResponse(request, one, dialect)),
  }),
})

export const createSource = operation({
  summary: 'Create a source',
  description:
    'The first run creates the layer; later ones replace its rows, match them by `keys`, or append. Runs have the rights of the owner at their time.',
  tags,
  body: NewSourceBody,
  answers: { 201: SourceReply },
  handle: async ({ sources, dialect }: SourceDeps, request, reply) => {
    const { name, ...body } = request.body.source
    const input = readSourceBody(body, { caller: request.caller.name ?? '' })
    checkRights(request, input)
    await sources.create(name, input)
    reply.code(201).header('location', request.link(sourcePath(name)))
    return { source: toSourceResponse(request, await sources.get(name), dialect) }
  },
})

export const showSource = operation({
  summary: 'A source with its state',
  description: 'Settings, state, next and last run. The password is not returned.',
  tags,
  params: NameParams,
  answers: { 200: SourceReply },
  handle: async ({ sources, dialect }: SourceDeps, request) => ({
    source: toSourceResponse(request, await sources.get(request.params.source), dialect),
  }),
})

export const changeSource = operation({
  summary: 'Change a source',
  description:
    'Absent settings keep their values. The stored password is kept unless the URL of the data changes. A running run continues with the settings it started with.',
  tags,
  params: NameParams,
  body: SourceBody,
  keepsNulls: true,
  answers: { 200: SourceReply },
  handle: async ({ sources, dialect }: SourceDeps, request) => {
    const { source: name } = request.params
    const { name: _name, ...body } = request.body.source
    const { source } = await sources.get(name)
    const before = { ...source.settings, owner: source.owner }
    const input = readSourceBody(body, { before, caller: request.caller.name ?? '' })
    checkRights(request, input, source.owner)
    await sources.change(name, input)
    return { source: toSourceResponse(request, await sources.get(name), dialect) }
  },
})

export const removeSource = operation({
  summary: 'Delete a source with its history',
  description: 'Its layers and their versions stay.',
  tags,
  params: NameParams,
  answers: { 200: empty() },
  handle: async ({ sources }: SourceDeps, request, reply) => {
    const { source } = await sources.get(request.params.source)
    const { owner, settings } = source
    checkRights(request, { owner, settings }, owner)
    await sources.remove(source.name)
    return reply.code(200).send()
  },
})

export const runSource = operation({
  summary: 'Run a source now',
  description: 'Queues the run if another one is running. Unchanged data are not loaded.',
  tags,
  params: NameParams,
  body: RunBody,
  isBodyOptional: true,
  answers: { 202: RunReply },
  handle: async ({ sources }: SourceDeps, request, reply) => {
    const { source: name } = request.params
    const { recreate, complete } = request.body
    const trigger = triggerOf(request)
    const id = await sources.run(name, { trigger, recreates: recreate, isComplete: complete })
    reply.code(202).header('location', request.link(`${sourcePath(name)}/runs/${id}`))
    return { run: toRunResponse(request, await sources.getRun(name, id)) }
  },
})

export const listSourceRuns = operation({
  summary: 'List the runs of a source, newest first',
  description: 'Trigger, outcome, rows, changes, import and layer versions of each run.',
  tags,
  params: NameParams,
  query: PageQuery,
  answers: { 200: RunList },
  handle: async ({ sources }: SourceDeps, request) => {
    const { limit = 100, offset = 0 } = request.query
    const runs = await sources.runs(request.params.source, { limit, offset })
    return { runs: runs.map((run) => toRunResponse(request, run)) }
  },
})

export const showSourceRun = operation({
  summary: 'A run of a source',
  description: '`outcome` is null while the run is queued or running.',
  tags,
  params: RunParams,
  answers: { 200: RunReply },
  handle: async ({ sources }: SourceDeps, request) => ({
    run: toRunResponse(request, await sources.getRun(request.params.source, request.params.run)),
  }),
})

export const acceptSourceRun = operation({
  summary: 'Accept the changes that stopped the last run',
  description:
    'Commits the load that `stopIf` has stopped. If the layer was changed by others (`edited`), starts a run that overwrites their changes.',
  tags,
  params: RunParams,
  body: AcceptBody,
  answers: { 200: RunReply },
  handle: async ({ sources }: SourceDeps, request, reply) => {
    const { source: name, run: id } = request.params
    const run = await sources.accept(name, id, {
      stopped: request.body.stopped,
      by: request.caller.name ?? '',
      trigger: triggerOf(request),
      signal: clientSignal(reply),
    })
    return { run: toRunResponse(request, run) }
  },
})
