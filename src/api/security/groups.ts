import { Type } from 'typebox'
import type { Accounts, Group } from '../../access/index.ts'
import { invalid } from '../../core/errors/errors.ts'
import type { FastifyRequest } from '../app-types.ts'
import { empty } from '../description.ts'
import { operation } from '../endpoint.ts'
import { requireMatch, sendEntity } from '../etag.ts'
import { GroupBody, GroupList, GroupReply, toGroupResponse } from './bodies.ts'

export type GroupDeps = Pick<Accounts, 'groups'>

const tags = ['security']
const params = Type.Object({ group: Type.String({ description: 'Name of a group' }) })

function show(request: FastifyRequest, group: Group) {
  return { group: toGroupResponse(request, group) }
}

export const listGroups = operation({
  summary: 'List groups',
  description: 'All groups with their members, by name. Needs the role `admin`.',
  tags,
  answers: { 200: GroupList },
  handle: async ({ groups }: GroupDeps, request) => ({
    groups: (await groups.list()).map((group) => toGroupResponse(request, group)),
  }),
})

export const createGroup = operation({
  summary: 'Create a group',
  description: 'A group of users. Groups do not contain groups. Needs the role `admin`.',
  tags,
  idempotent: true,
  body: GroupBody,
  answers: { 201: GroupReply },
  handle: async ({ groups }: GroupDeps, request, reply) => {
    const { name, title, members } = request.body.group
    if (name === undefined) throw invalid('invalid-body', 'A new group needs "group.name"')
    const shown = show(request, await groups.create({ name, title, members }))
    return reply.code(201).header('location', shown.group.href).send(shown)
  },
})

export const showGroup = operation({
  summary: 'Show one group',
  description: 'One group with its members. `ETag` names the state for a later `If-Match`.',
  tags,
  params,
  answers: { 200: GroupReply },
  handle: async ({ groups }: GroupDeps, request, reply) =>
    sendEntity(request, reply, show(request, await groups.get(request.params.group))),
})

export const changeGroup = operation({
  summary: 'Change a group',
  description:
    'Changes the members in the body: title, local members, or the name. Permissions follow a new name. Needs the role `admin`.',
  tags,
  params,
  body: GroupBody,
  answers: { 200: GroupReply },
  handle: async ({ groups }: GroupDeps, request) => {
    const changed = await groups.change(request.params.group, request.body.group, (group) =>
      requireMatch(request, show(request, group)),
    )
    return show(request, changed)
  },
})

export const deleteGroup = operation({
  summary: 'Delete a group',
  description: 'Deletes the group with its memberships and permissions. Needs the role `admin`.',
  tags,
  params,
  answers: { 200: empty() },
  handle: async ({ groups }: GroupDeps, request, reply) => {
    requireMatch(request, show(request, await groups.get(request.params.group)))
    await groups.delete(request.params.group)
    return reply.code(200).send()
  },
})
