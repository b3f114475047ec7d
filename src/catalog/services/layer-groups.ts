import { conflict, Failure, invalid, notFound } from '../../core/errors/errors.ts'
import { laterThan } from '../../core/time/later-than.ts'
import type { GroupMember, LayerGroup } from '../records.ts'
import {
  countGroups,
  deleteGroup,
  findGroup,
  type GroupValues,
  insertGroup,
  listGroups,
  membersOf,
  updateGroup,
} from '../rows/group-rows.ts'
import { findLayer } from '../rows/layer-rows.ts'
import { checkName } from '../rows/workspace-rows.ts'
import type { WriteDeps } from './transaction.ts'
import { nowOf } from './transaction.ts'

type Queryable = WriteDeps['database']['kysely']

/** Name of a group; `workspace` is undefined for a global group. */
export type GroupName = Pick<LayerGroup, 'workspace' | 'name'>

/** A layer that a group draws. */
export interface GroupLayer {
  id: number
  workspace: string
  name: string
  /** Undefined: the default style of the layer. */
  style: string | undefined
}

/** Maximum number of layers of a group including those of nested groups: that of a map. */
const maxGroupLayers = 50
/** Maximum number of levels of nested groups. */
const maxLevels = 10
/** Maximum number of groups: more would make capabilities slow. */
const maxGroups = 10_000

/** Groups of layers: names under which several layers are drawn as one. A group gives no right to read its layers. */
export class LayerGroups {
  readonly #deps: Pick<WriteDeps, 'database' | 'clock'>

  constructor(deps: Pick<WriteDeps, 'database' | 'clock'>) {
    this.#deps = deps
  }

  /** Lists all groups, those of a workspace, or the global ones (`''`), by workspace and name. */
  list(workspace?: string): Promise<LayerGroup[]> {
    return listGroups(this.#deps.database.kysely, { workspace })
  }

  find(name: GroupName): Promise<LayerGroup | undefined> {
    return findGroup(this.#deps.database.kysely, name)
  }

  /** Returns the layers of a group and of the groups in it, the lowest first; a layer may occur several times. */
  async layersOf({ members }: Pick<LayerGroup, 'members'>): Promise<GroupLayer[]> {
    if (members.every(({ kind }) => kind === 'layer')) return members.flatMap(toGroupLayer)
    return expand(members, await membersOf(this.#deps.database.kysely))
  }

  /** The same for each of several groups. */
  async layersOfEach(groups: readonly LayerGroup[]): Promise<GroupLayer[][]> {
    const all = groups.some(({ members }) => members.some(({ kind }) => kind === 'layerGroup'))
      ? await membersOf(this.#deps.database.kysely)
      : new Map<number, GroupMember[]>()
    return groups.map(({ members }) => expand(members, all))
  }

  /** Creates a group. Throws `Failure` for an invalid name, a name in use, and invalid members. */
  async create(name: GroupName, values: GroupValues): Promise<LayerGroup> {
    checkName('Group', name.name)
    const at = nowOf(this.#deps.clock)
    await this.#deps.database.transaction(async (db) => {
      if ((await countGroups(db)) >= maxGroups)
        throw conflict('too-many-layer-groups', `There are ${maxGroups} groups of layers already: delete one`)
      await requireMembers(db, name, values.members)
      const layer = name.workspace === undefined ? undefined : await findLayer(db, name.workspace, name.name)
      if (layer !== undefined)
        throw conflict('layer-group-exists', `A layer is named "${textOf(name)}" already`)
      if (!(await insertGroup(db, { ...name, ...values }, at)))
        throw conflict('layer-group-exists', `Group "${textOf(name)}" exists already`)
    })
    return this.#get(name)
  }

  /**
   * Changes a group. Throws `Failure` for invalid members, and if the group has changed since it was read.
   */
  async change(group: LayerGroup, values: GroupValues): Promise<LayerGroup> {
    const at = laterThan(group.updatedAt, this.#deps.clock.now())
    await this.#deps.database.transaction(async (db) => {
      await requireMembers(db, group, values.members, group.id)
      if (await updateGroup(db, group, values, at)) return
      if ((await findGroup(db, group)) === undefined) throw unknownGroup(group)
      const text = `Group "${textOf(group)}" was changed meanwhile: read it again`
      throw new Failure('precondition', 'changed-meanwhile', text)
    })
    return this.#get(group)
  }

  /** Deletes a group and removes it from the groups that contain it. Its layers are not deleted. */
  async delete(group: Pick<LayerGroup, 'id'>): Promise<void> {
    await deleteGroup(this.#deps.database.kysely, group)
  }

  async #get(name: GroupName): Promise<LayerGroup> {
    const group = await this.find(name)
    if (group === undefined) throw unknownGroup(name)
    return group
  }
}

/** Returns the name of a group in services. */
export function textOf({ workspace, name }: GroupName): string {
  return workspace === undefined ? name : `${workspace}:${name}`
}

/** The error for a group that does not exist, or of which the caller may read no layer. */
export function unknownGroup(name: GroupName): Failure {
  return notFound('unknown-layer-group', `Group "${textOf(name).slice(0, 300)}" does not exist`)
}

function toGroupLayer({ id, workspace, name, style }: GroupMember): GroupLayer[] {
  return workspace === undefined ? [] : [{ id, workspace, name, style }]
}

type MembersOfGroups = ReadonlyMap<number, readonly GroupMember[]>

/**
 * Returns the layers of members and of nested groups. Stops at a group that contains itself, which concurrent
 * changes can cause, and above the maximum number of layers.
 */
function expand(
  members: readonly GroupMember[],
  all: MembersOfGroups,
  above: readonly number[] = [],
): GroupLayer[] {
  const layers: GroupLayer[] = []
  for (const member of members) {
    if (layers.length > maxGroupLayers) break
    if (member.kind === 'layer') layers.push(...toGroupLayer(member))
    else if (!above.includes(member.id))
      layers.push(...expand(all.get(member.id) ?? [], all, [...above, member.id]))
  }
  return layers
}

/** Returns the number of levels of groups below members, counted up to one more than allowed. */
function levelsOf(members: readonly GroupMember[], all: MembersOfGroups): number {
  let groups = groupIdsOf(members)
  let levels = 0
  while (groups.size > 0 && levels <= maxLevels) {
    levels += 1
    groups = groupIdsOf([...groups].flatMap((id) => all.get(id) ?? []))
  }
  return levels
}

function groupIdsOf(members: readonly GroupMember[]): ReadonlySet<number> {
  return new Set(members.flatMap(({ kind, id }) => (kind === 'layerGroup' ? [id] : [])))
}

/**
 * Throws `Failure` for a group without members or with too many layers, for members of another workspace, and
 * for a group that contains itself. `id` is the id of an existing group.
 */
async function requireMembers(
  db: Queryable,
  { workspace, name }: GroupName,
  members: readonly GroupMember[],
  id?: number,
): Promise<void> {
  if (members.length === 0) throw invalid('invalid-body', 'A group has at least one layer or group')
  const foreign = members.find((member) => workspace !== undefined && member.workspace !== workspace)
  if (foreign !== undefined)
    throw invalid(
      'invalid-body',
      `"${textOf(foreign)}" is not in workspace "${workspace}": only a group of no workspace may contain it`,
    )
  const all = await membersOf(db)
  if (id !== undefined) {
    requireNoCycle(members, all, { id, name })
    all.set(id, [...members])
  }
  requireSize(members, all)
  for (const [outer, its] of all) if (contains(all, outer, id)) requireSize(its, all)
}

/** Throws `Failure` for members with too many layers, or with groups in too many levels. */
function requireSize(members: readonly GroupMember[], all: MembersOfGroups): void {
  if (levelsOf(members, all) > maxLevels)
    throw invalid('too-many-levels', `Groups contain groups in at most ${maxLevels} levels`)
  if (expand(members, all).length > maxGroupLayers)
    throw invalid('too-many-layers', `A group has at most ${maxGroupLayers} layers, with those of its groups`)
}

function contains(
  all: MembersOfGroups,
  outer: number,
  inner: number | undefined,
  above: readonly number[] = [],
): boolean {
  if (inner === undefined || above.includes(outer)) return false
  return (all.get(outer) ?? []).some(
    ({ kind, id }) => kind === 'layerGroup' && (id === inner || contains(all, id, inner, [...above, outer])),
  )
}

function requireNoCycle(
  members: readonly GroupMember[],
  all: MembersOfGroups,
  { id, name }: { id: number; name: string },
): void {
  const inner = members.find(
    (member) => member.kind === 'layerGroup' && (member.id === id || contains(all, member.id, id)),
  )
  if (inner !== undefined)
    throw invalid(
      'layer-group-cycle',
      `Group "${textOf(inner)}" contains group "${name}": it cannot be a member of it`,
    )
}
