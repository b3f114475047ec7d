import { Type } from 'typebox'
import {
  type Catalog,
  type GroupName,
  groupText,
  type LayerGroup,
  unknownGroup,
} from '../../../catalog/index.ts'
import { invalid } from '../../../core/errors/errors.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import { loginNeeded } from '../../app-types.ts'
import { boundsOfLayers } from '../../bounds-of-layers.ts'
import { keepPrivately } from '../../caching.ts'
import { empty } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { etagOf, requireMatch, sendEntity } from '../../etag.ts'
import type { LayerBounds } from '../../layer-bounds.ts'
import { eachOnce, findReadableGroup } from '../../readable-groups.ts'
import { isWorkspaceReadable } from '../../readable-workspace.ts'
import { unknownWorkspace, WorkspaceParams } from '../catalog/paths.ts'
import {
  GroupBody,
  type GroupContent,
  GroupList,
  GroupReply,
  groupPath,
  toGroupResponse,
} from './group-schemas.ts'
import { readGroupBody } from './read-group.ts'

/** Dependencies of the endpoints of groups. */
export interface GroupDeps {
  catalog: Pick<Catalog, 'layerGroups' | 'layers' | 'styles' | 'workspaces' | 'cards'>
  bounds: LayerBounds
}

const tags = ['layer groups']
const layergroup = Type.String({ description: 'Name of a group' })
const GlobalParams = Type.Object({ layergroup })
const PlacedParams = Type.Object({ ...WorkspaceParams.properties, layergroup })
const newGroup = { mode: 'SINGLE' as const, title: '', abstract: undefined, members: [] }

const descriptions = {
  list: {
    summary: 'List groups of layers',
    description: 'Names and links of the groups of which the caller may read a layer, by name.',
    tags,
    isPublicRead: true,
    answers: { 200: GroupList },
  },
  create: {
    summary: 'Create a group of layers',
    description:
      'Layers and other groups under one name for WMS, WMTS and tiles, the lowest first. A group gives nobody a right to read its layers. A group of a workspace contains layers of that workspace only.',
    tags,
    idempotent: true,
    body: GroupBody,
    answers: { 201: GroupReply },
  },
  show: {
    summary: 'One group of layers',
    description:
      'Members that the caller may not read are left out; a group without others counts as missing.',
    tags,
    isPublicRead: true,
    answers: { 200: GroupReply },
  },
  change: {
    summary: 'Change a group of layers',
    description:
      'What the body leaves out stays; new `publishables` without `styles` have the styles of their layers.',
    tags,
    body: GroupBody,
    answers: { 200: GroupReply },
  },
  delete: {
    summary: 'Delete a group of layers',
    description: 'Its layers stay. It leaves the groups that contain it.',
    tags,
    answers: { 200: empty() },
  },
}

export const listLayerGroups = operation({
  ...descriptions.list,
  handle: (deps: GroupDeps, request, reply) => listGroupsIn(deps, request, reply, ''),
})

export const createLayerGroup = operation({
  ...descriptions.create,
  handle: (deps: GroupDeps, request, reply) =>
    createGroupIn(deps, request, reply, { workspace: undefined, content: request.body.layerGroup }),
})

export const showLayerGroup = operation({
  ...descriptions.show,
  params: GlobalParams,
  handle: (deps: GroupDeps, request, reply) => sendGroup(deps, request, reply, globalName(request.params)),
})

export const changeLayerGroup = operation({
  ...descriptions.change,
  params: GlobalParams,
  handle: (deps: GroupDeps, request, reply) =>
    changeGroup(deps, request, reply, { name: globalName(request.params), content: request.body.layerGroup }),
})

export const deleteLayerGroup = operation({
  ...descriptions.delete,
  params: GlobalParams,
  handle: (deps: GroupDeps, request, reply) => removeGroup(deps, request, reply, globalName(request.params)),
})

export const listLayerGroupsOfWorkspace = operation({
  ...descriptions.list,
  params: WorkspaceParams,
  handle: async (deps: GroupDeps, request, reply) => {
    const { workspace } = request.params
    await requireReadable(deps, request, workspace)
    return listGroupsIn(deps, request, reply, workspace)
  },
})

export const createLayerGroupOfWorkspace = operation({
  ...descriptions.create,
  params: WorkspaceParams,
  handle: async (deps: GroupDeps, request, reply) => {
    const { name: workspace } = await deps.catalog.workspaces.get(request.params.workspace)
    return createGroupIn(deps, request, reply, { workspace, content: request.body.layerGroup })
  },
})

export const showLayerGroupOfWorkspace = operation({
  ...descriptions.show,
  params: PlacedParams,
  handle: (deps: GroupDeps, request, reply) => sendGroup(deps, request, reply, placedName(request.params)),
})

export const changeLayerGroupOfWorkspace = operation({
  ...descriptions.change,
  params: PlacedParams,
  handle: async (deps: GroupDeps, request, reply) => {
    const name = await existingPlace(deps, request.params)
    return changeGroup(deps, request, reply, { name, content: request.body.layerGroup })
  },
})

export const deleteLayerGroupOfWorkspace = operation({
  ...descriptions.delete,
  params: PlacedParams,
  handle: async (deps: GroupDeps, request, reply) =>
    removeGroup(deps, request, reply, await existingPlace(deps, request.params)),
})

function globalName(params: { layergroup: string }): GroupName {
  return { workspace: undefined, name: params.layergroup }
}

function placedName({ workspace, layergroup: name }: { workspace: string; layergroup: string }): GroupName {
  return { workspace, name }
}

/** Throws `Failure` for a workspace that does not exist. */
async function existingPlace(
  { catalog: { workspaces } }: GroupDeps,
  params: { workspace: string; layergroup: string },
): Promise<GroupName> {
  await workspaces.get(params.workspace)
  return placedName(params)
}

/** A workspace in which the caller may read nothing does not show whether it exists. */
async function requireReadable(
  { catalog }: GroupDeps,
  request: FastifyRequest,
  workspace: string,
): Promise<void> {
  if (await isWorkspaceReadable(catalog, await request.rights(), workspace)) return
  throw request.caller.role === 'anonymous' ? loginNeeded() : unknownWorkspace(workspace)
}

async function listGroupsIn(
  { catalog: { layerGroups, cards } }: GroupDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  workspace: string,
) {
  const groups = await layerGroups.list(workspace)
  const { byId } = (await cards.now()).readableBy(await request.rights())
  const layers = await layerGroups.layersOfEach(groups)
  const shown = groups.filter((_group, index) => layers[index]?.some(({ id }) => byId.has(id)))
  keepPrivately(reply)
  return {
    layerGroups: {
      layerGroup: shown.map((group) => ({ name: group.name, href: request.link(groupPath(group)) })),
    },
  }
}

async function createGroupIn(
  deps: GroupDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { workspace, content }: { workspace: string | undefined; content: GroupContent },
): Promise<unknown> {
  if (content.name === undefined) throw invalid('invalid-body', 'A new group needs "layerGroup.name"')
  const name = { workspace, name: content.name }
  const current = { ...newGroup, title: content.name }
  const values = await readGroupBody(deps.catalog, request, name, { content, current })
  const group = await deps.catalog.layerGroups.create(name, values)
  return reply
    .code(201)
    .header('location', request.link(groupPath(group)))
    .send(await describe(deps, request, group))
}

async function sendGroup(
  deps: GroupDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  name: GroupName,
): Promise<unknown> {
  const found = await findReadableGroup(deps.catalog, await request.rights(), name)
  if (found === undefined) throw request.caller.role === 'anonymous' ? loginNeeded() : unknownGroup(name)
  keepPrivately(reply)
  return sendEntity(request, reply, await describe(deps, request, found.group))
}

async function changeGroup(
  deps: GroupDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { name, content }: { name: GroupName; content: GroupContent },
): Promise<unknown> {
  const group = await getGroup(deps, name)
  requireMatch(request, await describe(deps, request, group))
  if (content.name !== undefined && content.name !== group.name)
    throw invalid(
      'invalid-body',
      `The name of group "${groupText(group)}" cannot be changed: create another one`,
    )
  const values = await readGroupBody(deps.catalog, request, group, { content, current: group })
  const changed = await describe(deps, request, await deps.catalog.layerGroups.change(group, values))
  return reply.header('etag', etagOf(changed)).send(changed)
}

async function removeGroup(
  deps: GroupDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  name: GroupName,
): Promise<unknown> {
  const group = await getGroup(deps, name)
  requireMatch(request, await describe(deps, request, group))
  await deps.catalog.layerGroups.delete(group)
  return reply.code(200).send()
}

/** Returns a group for a caller who may change it; a group whose layers were all deleted is found too. */
async function getGroup({ catalog }: GroupDeps, name: GroupName): Promise<LayerGroup> {
  const group = await catalog.layerGroups.find(name)
  if (group === undefined) throw unknownGroup(name)
  return group
}

/** Returns the response for a group, with the members that the caller may read. */
async function describe({ catalog, bounds }: GroupDeps, request: FastifyRequest, group: LayerGroup) {
  const { byId } = (await catalog.cards.now()).readableBy(await request.rights())
  const layers = await Promise.all(
    group.members.map(async (member) => {
      if (member.kind === 'layer') return [{ ...member, workspace: member.workspace ?? '' }]
      const inner = await catalog.layerGroups.find(member)
      return inner === undefined ? [] : catalog.layerGroups.layersOf(inner)
    }),
  )
  const isShown = group.members.map(
    (_member, index) => layers[index]?.some(({ id }) => byId.has(id)) === true,
  )
  const members = await Promise.all(
    group.members
      .filter((_member, index) => isShown[index])
      .map(async (member) => {
        const { workspace = '', style } = member
        return {
          member,
          style: style === undefined ? undefined : await catalog.styles.resolve(workspace, style),
        }
      }),
  )
  const cards = eachOnce(layers.flat()).flatMap(({ id }) => byId.get(id) ?? [])
  return toGroupResponse(request, group, { members, bounds: await boundsOfLayers(bounds, cards) })
}
