import type { Catalog, GroupMember, GroupMode, GroupName, GroupValues } from '../../../catalog/index.ts'
import { groupModes } from '../../../catalog/index.ts'
import { invalid } from '../../../core/errors/errors.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { findReadableGroup, parseGroupName } from '../../readable-groups.ts'
import type { GroupContent } from './group-schemas.ts'

type Published = NonNullable<GroupContent['publishables']>['published']
type Styles = NonNullable<GroupContent['styles']>['style']

/** Parts of the catalogue that find the members of a group. */
type MemberCatalog = Pick<Catalog, 'layerGroups' | 'layers' | 'styles'>

/**
 * Returns the values that a body gives a group, over the present ones. Throws `Failure` for unknown members and
 * styles.
 */
export async function readGroupBody(
  catalog: MemberCatalog,
  request: FastifyRequest,
  place: GroupName,
  { content, current }: { content: GroupContent; current: GroupValues },
): Promise<GroupValues> {
  const { mode, title, abstractTxt, styles } = content
  const publishables = content.publishables ?? fromLayers(content.layers)
  const named =
    publishables === undefined
      ? current.members
      : await readMembers(catalog, request, place, listOf<Published>(publishables.published))
  const isChanged = publishables !== undefined || styles !== undefined
  return {
    mode: mode === undefined ? current.mode : readMode(mode),
    title: title ?? current.title,
    abstract: abstractTxt ?? current.abstract,
    members: isChanged ? await withStyles(catalog, named, listOf<Styles>(styles?.style ?? [])) : named,
  }
}

/** Returns the members of the older form, which are layers. */
function fromLayers(layers: GroupContent['layers']): GroupContent['publishables'] {
  if (layers === undefined) return undefined
  const names = listOf<typeof layers.layer>(layers.layer)
  return { published: names.map((one) => ({ name: typeof one === 'string' ? one : one.name })) }
}

function listOf<Value>(value: Value): Extract<Value, readonly unknown[]> {
  return (Array.isArray(value) ? value : [value]) as Extract<Value, readonly unknown[]>
}

function readMode(text: string): GroupMode {
  const mode = groupModes.find((one) => one === text)
  if (mode !== undefined) return mode
  throw invalid(
    'invalid-body',
    `layerGroup.mode "${text.slice(0, 40)}" is not one of ${groupModes.join(', ')}`,
  )
}

function readMembers(
  catalog: MemberCatalog,
  request: FastifyRequest,
  { workspace }: GroupName,
  published: Extract<Published, readonly unknown[]>,
): Promise<GroupMember[]> {
  return Promise.all(
    published.map(async ({ '@type': kind = 'layer', name: text }) => {
      const parsed = parseGroupName(text)
      const name =
        parsed.workspace === undefined && workspace !== undefined ? { ...parsed, workspace } : parsed
      const rights = await request.rights()
      if (kind === 'layerGroup') {
        const inner = await findReadableGroup(catalog, rights, name)
        if (inner !== undefined) return { ...name, kind, id: inner.group.id, style: undefined }
        throw invalid('unknown-layer-group', `Group "${text}" of the group does not exist`)
      }
      const layer = await catalog.layers.findForReading(name.workspace ?? '', name.name)
      if (layer?.details.kind === 'vector' && layer.details.schema.geometry === undefined)
        throw invalid('invalid-body', `Layer "${text}" has no geometry: a group draws its layers`)
      if (layer !== undefined && rights.can('read', layer))
        return { ...name, kind, id: layer.id, style: undefined }
      throw invalid('unknown-layer', `Layer "${text}" of the group does not exist`)
    }),
  )
}

/** Gives each member its style: as many styles as members, or none. */
async function withStyles(
  { styles }: Pick<Catalog, 'styles'>,
  members: readonly GroupMember[],
  given: Extract<Styles, readonly unknown[]>,
): Promise<GroupMember[]> {
  if (given.length > 0 && given.length !== members.length)
    throw invalid(
      'invalid-body',
      `layerGroup.styles has ${given.length} styles for ${members.length} members: write one for each, "" for the layer's own`,
    )
  return Promise.all(
    members.map(async (member, position) => {
      const style = styleName(given[position])
      if (style === undefined) return { ...member, style: undefined }
      if (member.kind === 'layerGroup')
        throw invalid('invalid-body', `"${member.name}" is a group: its layers have their styles there`)
      if ((await styles.resolve(member.workspace ?? '', style)) === undefined)
        throw invalid('unknown-style', `Style "${style}" of layer "${member.name}" does not exist`)
      return { ...member, style }
    }),
  )
}

function styleName(given: Extract<Styles, readonly unknown[]>[number] | undefined): string | undefined {
  const name = typeof given === 'string' ? given : given?.name
  return name === undefined || name === '' ? undefined : name
}
