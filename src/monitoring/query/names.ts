import type { ResourceType } from '../model/resource-types.ts'
import { resourceTypeOfId } from '../model/resource-types.ts'
import type { SeriesDatabase } from '../series/series-database.ts'
import { integers } from './series-sql.ts'

export interface LabelName {
  name: string
  user: string | null
}

const smallId = 2 ** 20

/** Returns the distinct ids. */
export function distinctIds(ids: Float64Array): Set<number> {
  const found = new Set<number>()
  const isFound = new Uint8Array(smallId)
  for (const id of ids) {
    if (id >= 0 && id < smallId) {
      if (isFound[id] === 1) continue
      isFound[id] = 1
    }
    found.add(id)
  }
  return found
}

/** Maps ids by `numbers`, which must contain all of them. */
export function numbersOf(ids: Float64Array, numbers: Map<number, number>): Uint32Array {
  const small = new Uint32Array(smallId)
  for (const [id, number] of numbers) if (id >= 0 && id < smallId) small[id] = number
  const found = new Uint32Array(ids.length)
  for (let at = 0; at < ids.length; at += 1) {
    const id = ids[at] ?? 0
    found[at] = id >= 0 && id < smallId ? (small[id] ?? 0) : (numbers.get(id) ?? 0)
  }
  return found
}

const idsPerStatement = 5000

/** Reads the names of labels by id. */
export async function readLabelNames(
  database: SeriesDatabase,
  ids: number[],
): Promise<Map<number, LabelName>> {
  const labels = new Map<number, LabelName>()
  for (let start = 0; start < ids.length; start += idsPerStatement) {
    const some = integers(ids.slice(start, start + idsPerStatement))
    const sql = `select id, name, user_name from monitoring_labels where id in (${some})`
    for (const [id, name, user] of await database.arrays(sql))
      labels.set(Number(id), { name: String(name), user: user === null ? null : String(user) })
  }
  return labels
}

export interface NamedResource {
  id: number
  type: ResourceType
  name: string
}

/** Reads resources by id. */
export async function readResources(
  database: SeriesDatabase,
  ids: number[],
): Promise<Map<number, NamedResource>> {
  const resources = new Map<number, NamedResource>()
  if (ids.length === 0) return resources
  const sql = `select id, type, name from monitoring_resources where id in (${integers(ids)})`
  for (const [id, type, name] of await database.arrays(sql))
    resources.set(Number(id), {
      id: Number(id),
      type: resourceTypeOfId(Number(type)) ?? 'other',
      name: String(name),
    })
  return resources
}

/** Returns the id of the label with that name; with `isId`, first that of the label with that id. */
export async function findLabel(
  database: SeriesDatabase,
  name: string,
  { isId = false } = {},
): Promise<number | undefined> {
  if (isId && /^\d{1,15}$/.test(name)) {
    const [byId] = await database.arrays('select id from monitoring_labels where id = ?', [Number(name)])
    if (byId !== undefined) return Number(byId[0])
  }
  const [found] = await database.arrays('select id from monitoring_labels where name = ?', [name])
  return found === undefined ? undefined : Number(found[0])
}
