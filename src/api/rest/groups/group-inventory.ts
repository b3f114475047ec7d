import { Type } from 'typebox'
import type { Catalog } from '../../../catalog/index.ts'
import { groupText } from '../../../catalog/index.ts'
import { operation } from '../../endpoint.ts'
import { eachOnce } from '../../readable-groups.ts'
import { pageOf, pageQuery } from '../catalog/inventory.ts'
import { groupPath } from './group-schemas.ts'

const GroupInventories = Type.Object({
  total: Type.Integer({ minimum: 0 }),
  groups: Type.Array(
    Type.Object({
      name: Type.String(),
      workspace: Type.Union([Type.String(), Type.Null()], {
        description: 'null for a group of no workspace',
      }),
      title: Type.String(),
      mode: Type.Union([Type.Literal('SINGLE'), Type.Literal('NAMED')]),
      members: Type.Array(
        Type.Object({
          kind: Type.Union([Type.Literal('layer'), Type.Literal('layerGroup')]),
          name: Type.String(),
          style: Type.Optional(Type.String({ description: "Absent: the layer's own" })),
        }),
        { description: 'The lowest first' },
      ),
      layers: Type.Array(Type.String(), {
        description: 'Layers of the group and of the groups in it, the lowest first, each once',
      }),
      dateModified: Type.String(),
      href: Type.String(),
    }),
  ),
})

export const listGroupInventories = operation({
  summary: 'List the layer groups of all workspaces with their members',
  description: 'For lists on pages: all groups with title, mode and members in one response.',
  tags: ['layer groups'],
  query: Type.Object({
    ...pageQuery,
    q: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name or title' })),
    workspace: Type.Optional(
      Type.String({ description: 'Groups of this workspace; empty for groups of no workspace' }),
    ),
  }),
  answers: { 200: GroupInventories },
  handle: async (
    { catalog: { layerGroups, workspaces } }: { catalog: Pick<Catalog, 'layerGroups' | 'workspaces'> },
    request,
  ) => {
    const { workspace, ...requested } = request.query
    if (workspace !== undefined && workspace !== '') await workspaces.require(workspace)
    const textOf = ({ name, title }: { name: string; title: string }) => `${name}\n${title}`
    const { total, page } = pageOf(await layerGroups.list(workspace), requested, textOf)
    const layers = await layerGroups.layersOfEach(page)
    return {
      total,
      groups: page.map((group, index) => ({
        name: group.name,
        workspace: group.workspace ?? null,
        title: group.title,
        mode: group.mode,
        members: group.members.map((member) => ({
          kind: member.kind,
          name: groupText(member),
          style: member.style,
        })),
        layers: eachOnce(layers[index] ?? []).map(groupText),
        dateModified: group.updatedAt,
        href: request.link(groupPath(group)),
      })),
    }
  },
})
