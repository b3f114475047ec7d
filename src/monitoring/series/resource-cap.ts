import { otherLabel } from '../metrics/metrics.ts'
import { resourceTypeOfId } from '../model/resource-types.ts'
import type { RequestGroup } from './minute-counts.ts'
import type { UsedResource } from './request-event.ts'
import type { SeriesDatabase } from './series-database.ts'

/** The series may contain this multiple of the maximum number of resources per minute. */
const minutesFull = 20
const namesPerStatement = 512

interface Counted {
  resource: UsedResource
  requests: number
}

/**
 * Selects the resources with the most requests in the groups, which keep their names: at most `cap`, and of
 * those that are not yet in the series only as many as fit. The others become `(other)` of their type.
 */
export async function capResources(
  groups: readonly RequestGroup[],
  cap: number,
  database: SeriesDatabase,
): Promise<void> {
  const counted = countResources(groups)
  const named = await admitted(counted.slice(0, cap), cap * minutesFull, database)
  if (named.size === counted.length) return
  for (const group of groups) group.resources = withOthers(group.resources, named)
}

/** The same for resources of exceptions: returns a function that maps each list. */
export async function knownResources(
  resources: readonly UsedResource[],
  cap: number,
  database: SeriesDatabase,
): Promise<(used: readonly UsedResource[]) => UsedResource[]> {
  const distinct = new Map(resources.map((resource) => [resourceKey(resource), { resource, requests: 1 }]))
  const named = await admitted([...distinct.values()], cap * minutesFull, database)
  return (used) => withOthers(used, named)
}

/** Counts requests by resource; returns the most frequent resources first. */
function countResources(groups: readonly RequestGroup[]): Counted[] {
  const counted = new Map<string, Counted>()
  for (const { resources, requests } of groups) {
    for (const resource of resources) {
      const key = resourceKey(resource)
      const one = counted.get(key)
      if (one === undefined) counted.set(key, { resource, requests })
      else one.requests += requests
    }
  }
  return [...counted.values()].sort(
    (a, b) => b.requests - a.requests || (resourceKey(a.resource) < resourceKey(b.resource) ? -1 : 1),
  )
}

/** Returns the resources that are in the series, and others as long as they fit. */
async function admitted(
  counted: readonly Counted[],
  most: number,
  database: SeriesDatabase,
): Promise<Set<string>> {
  const all = new Set(counted.map(({ resource }) => resourceKey(resource)))
  if (all.size === 0) return all
  const [found] = await database.arrays('select count(*) from monitoring_resources')
  let room = most - Number(found?.[0])
  if (room >= all.size) return all
  const known = await findKnown(
    counted.map(({ resource }) => resource),
    database,
  )
  for (const key of all) {
    if (known.has(key)) continue
    if (room > 0) room -= 1
    else all.delete(key)
  }
  return all
}

/** Returns those that are in the series, by `resourceKey`. */
export async function findKnown(
  resources: readonly UsedResource[],
  database: SeriesDatabase,
): Promise<Set<string>> {
  const known = new Set<string>()
  for (let start = 0; start < resources.length; start += namesPerStatement) {
    const names = resources.slice(start, start + namesPerStatement).map(({ name }) => name)
    const placeholders = names.map(() => '?').join(',')
    const sql = `select type, name from monitoring_resources where name in (${placeholders})`
    for (const [type, name] of await database.arrays(sql, names)) {
      known.add(resourceKey({ type: resourceTypeOfId(Number(type)) ?? '', name: String(name) }))
    }
  }
  return known
}

function withOthers(resources: readonly UsedResource[], named: ReadonlySet<string>): UsedResource[] {
  const kept = resources.filter((resource) => named.has(resourceKey(resource)))
  const rest = resources.filter((resource) => !named.has(resourceKey(resource)))
  const types = new Set(rest.map(({ type }) => type))
  const others = [...types].map((type) => ({ type, name: otherLabel }))
  return [...kept.filter(({ type, name }) => name !== otherLabel || !types.has(type)), ...others]
}

export function resourceKey({ type, name }: UsedResource): string {
  return `${type}=${name}`
}
