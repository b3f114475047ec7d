import type { Static } from 'typebox'
import { Type } from 'typebox'
import type { GroupMember, GroupName, LayerGroup, StyleRecord } from '../../../catalog/index.ts'
import { groupText } from '../../../catalog/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { Linked, layerPath, stylePath, workspacePath } from '../catalog/paths.ts'

const kinds = Type.Union([Type.Literal('layer'), Type.Literal('layerGroup')])

const PublishedBody = Type.Object({
  '@type': Type.Optional(kinds),
  name: Type.String({
    maxLength: 300,
    description: '`<workspace>:<name>`; the workspace of the group may be left out',
  }),
})
const LayerName = Type.Union([
  Type.String({ minLength: 1, maxLength: 300 }),
  Type.Object({ name: Type.String({ maxLength: 300 }) }),
])
const StyleBody = Type.Union([
  Type.Null(),
  Type.String({ maxLength: 200 }),
  Type.Object({ name: Type.Optional(Type.String({ maxLength: 200 })) }),
])

/** One value or a list: GeoServer writes a list of one as its only value. */
function oneOrSeveral<Schema extends typeof PublishedBody | typeof LayerName | typeof StyleBody>(
  schema: Schema,
) {
  return Type.Union([Type.Array(schema, { maxItems: 100 }), schema])
}

export const GroupBody = Type.Object({
  layerGroup: Type.Object({
    name: Type.Optional(Type.String()),
    mode: Type.Optional(Type.String({ description: '`SINGLE` (default) or `NAMED`' })),
    title: Type.Optional(Type.String({ maxLength: 200, description: 'Default: the name' })),
    abstractTxt: Type.Optional(Type.String({ maxLength: 10_000 })),
    publishables: Type.Optional(
      Type.Object({ published: oneOrSeveral(PublishedBody) }, { description: 'Members, the lowest first' }),
    ),
    layers: Type.Optional(
      Type.Object(
        { layer: oneOrSeveral(LayerName) },
        { description: 'Members that are layers, in the older form of GeoServer' },
      ),
    ),
    styles: Type.Optional(
      Type.Object(
        { style: oneOrSeveral(StyleBody) },
        { description: "Style of each member; empty: the layer's own" },
      ),
    ),
  }),
})

export const GroupReply = Type.Object({
  layerGroup: Type.Object({
    name: Type.String(),
    mode: Type.Union([Type.Literal('SINGLE'), Type.Literal('NAMED')]),
    title: Type.String(),
    abstractTxt: Type.Optional(Type.String()),
    workspace: Type.Optional(Type.Object({ name: Type.String() })),
    publishables: Type.Object({
      published: Type.Array(Type.Object({ '@type': kinds, name: Type.String(), href: Type.String() }), {
        description: 'Members that the caller may read, the lowest first',
      }),
    }),
    styles: Type.Object({
      style: Type.Array(Type.Union([Type.Literal(''), Linked]), {
        description: "Style of each member; empty: the layer's own",
      }),
    }),
    bounds: Type.Optional(
      Type.Object(
        {
          minx: Type.Number(),
          miny: Type.Number(),
          maxx: Type.Number(),
          maxy: Type.Number(),
          crs: Type.Literal('EPSG:4326'),
        },
        { description: 'Longitudes are x; absent where no layer has known bounds' },
      ),
    ),
    dateCreated: Type.String(),
    dateModified: Type.String(),
  }),
})

export const GroupList = Type.Object({ layerGroups: Type.Object({ layerGroup: Type.Array(Linked) }) })

export type GroupContent = Static<typeof GroupBody>['layerGroup']

export function groupPath({ workspace, name }: GroupName): string {
  const place = workspace === undefined ? '/rest' : workspacePath(workspace)
  return `${place}/layergroups/${encodeURIComponent(name)}`
}

/** A member of a group that the caller may read. */
export interface ShownMember {
  member: GroupMember
  /** Style that the group names; undefined: the style that the layer has, also if the named one was deleted. */
  style: Pick<StyleRecord, 'workspace' | 'name'> | undefined
}

/** Returns a group with those of its members that the caller may read. */
export function toGroupResponse(
  request: FastifyRequest,
  group: LayerGroup,
  { members, bounds }: { members: readonly ShownMember[]; bounds: readonly number[] | undefined },
): Static<typeof GroupReply> {
  const { name, mode, title, abstract: abstractTxt, workspace } = group
  const [minx = 0, miny = 0, maxx = 0, maxy = 0] = bounds ?? []
  return {
    layerGroup: {
      name,
      mode,
      title,
      abstractTxt,
      workspace: workspace === undefined ? undefined : { name: workspace },
      publishables: {
        published: members.map(({ member }) => ({
          '@type': member.kind,
          name: groupText(member),
          href: request.link(memberPath(member)),
        })),
      },
      styles: {
        style: members.map(({ style }) =>
          style === undefined ? ('' as const) : { name: style.name, href: request.link(stylePath(style)) },
        ),
      },
      bounds: bounds === undefined ? undefined : { minx, miny, maxx, maxy, crs: 'EPSG:4326' },
      dateCreated: group.createdAt,
      dateModified: group.updatedAt,
    },
  }
}

function memberPath({ kind, workspace = '', name }: GroupMember): string {
  return kind === 'layer'
    ? layerPath({ workspace, name })
    : groupPath({ workspace: workspace || undefined, name })
}
