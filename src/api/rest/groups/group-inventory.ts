import { Type } from 'typebox'
import type { Catalog, LayerGroup } from '../../../catalog/index.ts'
import { groupText } from '../../../catalog/index.ts'
import { foldText } from '../../../core/text/fold-text.ts'
import { operation } from '../../endpoint.ts'
import { eachOnce } from '../../readable-groups.ts'
import { groupPath } from './group-schemas.ts'

const defaultLimit = 1000

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

/** True if the name or title of a group contains the text. */
function matches({ name, title }: LayerGroup, words: string): boolean {
  return words === '' || foldText(`${name}\n${title}`).includes(words)
}

export const listGroupInventories = operation({
  summary: 'List the layer groups of all workspaces with their members',
  description: 'For lists on pages: all groups with title, mode and members in one response.',
  tags: ['layer groups'],
  query: Type.Object({
    q: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name or title' })),
    workspace: Type.Optional(
      Type.String({ description: 'Groups of this workspace; empty for groups of no workspace' }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'Default 1000' })),
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
  }),
  answers: { 200: GroupInventories },
  handle: async (
    { catalog: { layerGroups, workspaces } }: { catalog: Pick<Catalog, 'layerGroups' | 'workspaces'> },
    request,
  ) => {
    const { q = '', workspace, limit = defaultLimit, offset = 0 } = request.query
    if (workspace !== undefined && workspace !== '') await workspaces.require(workspace)
    const words = foldText(q)
    const found = (await layerGroups.list(workspace)).filter((group) => matches(group, words))
    const page = found.slice(offset, offset + limit)
    const layers = await layerGroups.layersOfEach(page)
    return {
      total: found.length,
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
