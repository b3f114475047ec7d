import type { SeriesLimits } from '../../core/config/monitoring-settings.ts'
import { noneLabel, otherLabel } from '../metrics/metrics.ts'
import { resourceTypeId } from '../model/resource-types.ts'
import { DemandRow, maxDemandCells } from './demand-row.ts'
import type { SeriesDictionary } from './dictionary.ts'
import { dayOfMinute } from './minute-rows.ts'
import type { UsedResource } from './request-event.ts'
import { findKnown, resourceKey } from './resource-cap.ts'
import type { SeriesDatabase, SqlValue } from './series-database.ts'
import type { SeriesState } from './series-state.ts'
import type { CountedUsage, UsageCounts, UsageScope } from './usage-counts.ts'
import { usageScopes } from './usage-counts.ts'
import { UsageRow } from './usage-row.ts'

export const usageColumns = ['zone_id', 'day', 'scope', 'key_id', 'service_id', 'requests', 'cells'] as const
const usageKey = 'zone_id, day, scope, key_id, service_id'
export const demandColumns = ['zone_id', 'day', 'resource_id', 'service_id', 'cells'] as const
const demandKey = 'zone_id, day, resource_id, service_id'
const idsPerStatement = 500
/** Workspace of layers whose name has no workspace. */
const defaultWorkspace = 'default'

/** Every table with days of usage. */
export const usageTables = [
  'monitoring_usage',
  'monitoring_usage_open',
  'monitoring_demand',
  'monitoring_demand_open',
] as const

/** Tables of a day. */
interface DayTables {
  usage: 'monitoring_usage' | 'monitoring_usage_open'
  demand: 'monitoring_demand' | 'monitoring_demand_open'
  isClosed: boolean
}

function tablesOf(state: SeriesState, day: number): DayTables {
  return day < state.get('usage_closed_before')
    ? { usage: 'monitoring_usage', demand: 'monitoring_demand', isClosed: true }
    : { usage: 'monitoring_usage_open', demand: 'monitoring_demand_open', isClosed: false }
}

/** Scopes with labels that clients can choose freely, and their limits per day. */
const cappedScopes: readonly [scope: UsageScope, cap: (limits: SeriesLimits) => number][] = [
  ['workspace', ({ resources }) => resources],
  ['owner', ({ resources }) => resources],
  ['country', ({ labels }) => labels],
  ['program', ({ labels }) => labels],
  ['referrer', ({ labels }) => labels],
]

interface Writing {
  database: SeriesDatabase
  dictionary: SeriesDictionary
  state: SeriesState
  limits: SeriesLimits
}

/** A service's day in a zone. */
interface Day {
  zoneId: number
  serviceId: number
  day: number
  tables: DayTables
}

/**
 * Adds counted usage to the stored days, in the transaction that computes the minutes from which it was
 * counted. Resources that are not in the series become `(other)`, and so do labels beyond the limit; existing
 * ones stay.
 */
export async function writeUsage(writing: Writing, counts: UsageCounts): Promise<void> {
  const counted = await withKnownResources(writing.database, counts.all())
  if (counted.length === 0) return
  const zoneId = await zoneIdOf(writing, Math.min(...counted.map(({ day }) => day)))
  for (const usage of Map.groupBy(counted, ({ serviceId, day }) => `${serviceId} ${day}`).values()) {
    const [{ serviceId, day }] = usage as [CountedUsage]
    await addToDay(writing, { zoneId, serviceId, day, tables: tablesOf(writing.state, day) }, usage)
  }
}

/** Returns the id of the time zone whose days are counted. */
async function zoneIdOf({ database, limits }: Writing, since: number): Promise<number> {
  const zone = limits.zone ?? 'UTC'
  const sql = 'select id from monitoring_usage_zones where name = ?'
  const [known] = await database.arrays(sql, [zone])
  if (known !== undefined) return Number(known[0])
  const [added] = await database.arrays(
    'insert into monitoring_usage_zones (name, since) values (?, ?) returning id',
    [zone, since],
  )
  return Number(added?.[0])
}

/**
 * Returns the names in the default workspace for names of layers without a workspace, if the service has such
 * layers.
 */
export async function findAliases(
  database: SeriesDatabase,
  serviceId: number,
  resources: readonly (readonly UsedResource[])[],
): Promise<ReadonlyMap<string, string>> {
  const layers = resources.flat().filter(({ type }) => type === 'layer')
  const names = new Set(layers.map(({ name }) => name))
  const aliases = new Map<string, string>()
  for (const name of names) {
    if (name.includes(':')) continue
    const whole = `${defaultWorkspace}:${name}`
    if (names.has(whole) || (await isUsed(database, serviceId, whole))) aliases.set(name, whole)
  }
  return aliases
}

async function isUsed(database: SeriesDatabase, serviceId: number, layer: string): Promise<boolean> {
  const found = await database.arrays(
    `select 1 from monitoring_series s join monitoring_resources r on r.id = s.resource_id
     where r.type = ? and r.name = ? and s.service_id = ? limit 1`,
    [resourceTypeId('layer'), layer, serviceId],
  )
  return found.length > 0
}

async function withKnownResources(
  database: SeriesDatabase,
  usage: readonly CountedUsage[],
): Promise<CountedUsage[]> {
  const resources = usage.flatMap(({ resource }) => resource ?? [])
  const distinct = [...new Map(resources.map((one) => [resourceKey(one), one])).values()]
  const known = await findKnown(distinct, database)
  return usage.map((one) => {
    const { resource } = one
    if (resource === undefined || known.has(resourceKey(resource))) return one
    return { ...one, resource: { type: resource.type, name: otherLabel } }
  })
}

async function addToDay(writing: Writing, day: Day, usage: readonly CountedUsage[]): Promise<void> {
  const { dictionary, database } = writing
  const capped = await withCappedLabels(writing, day, usage)
  const named = capped.map((one) => ({
    ...one,
    key: one.resource === undefined ? labelKey(dictionary, one) : dictionary.resource(one.resource),
    owner: one.resource?.owner === undefined ? undefined : labelOf(dictionary, one.resource.owner, day.day),
  }))
  await dictionary.resolve(database)
  const rows = new RowsOfDay(writing, day)
  const demand = new DemandOfDay(writing, day)
  await rows.read(named.map(({ scope, key }) => ({ scope, keyId: key?.id ?? 0 })))
  await demand.read(named.flatMap(({ demand: some, key }) => (some === undefined ? [] : (key?.id ?? []))))
  for (const { scope, key, row, owner, demand: some } of named) {
    if (owner !== undefined) row.ownerId = owner.id
    rows.add(scope, key?.id ?? 0, row)
    if (some !== undefined && key !== undefined) demand.add(key.id, some)
  }
  const layers = named.flatMap(({ resource, key }) =>
    resource?.type === 'layer' && key !== undefined ? [{ name: resource.name, id: key.id }] : [],
  )
  for (const [plainId, id] of await plainLayers(database, layers)) {
    await rows.absorb(plainId, id)
    await demand.absorb(plainId, id)
  }
  await rows.write()
  await demand.write()
}

function labelKey(dictionary: SeriesDictionary, { label, day }: CountedUsage): { id: number } | undefined {
  return label === '' ? undefined : labelOf(dictionary, label, day)
}

function labelOf(dictionary: SeriesDictionary, label: string, day: number): { id: number } {
  // The day of a time zone ends up to a day after its start in UTC.
  return dictionary.label(label, null, dayOfMinute(day) + 86_400)
}

/**
 * Maps the id of a layer's name without the default workspace, if the series contain it, to that of its full
 * name.
 */
async function plainLayers(
  database: SeriesDatabase,
  layers: readonly { name: string; id: number }[],
): Promise<Map<number, number>> {
  const prefix = `${defaultWorkspace}:`
  const byPlain = new Map(
    layers
      .filter(({ name }) => name.startsWith(prefix))
      .map(({ name, id }) => [name.slice(prefix.length), id]),
  )
  const names = [...byPlain.keys()]
  const found = new Map<number, number>()
  for (let at = 0; at < names.length; at += idsPerStatement) {
    const some = names.slice(at, at + idsPerStatement)
    const rows = await database.arrays(
      `select id, name from monitoring_resources where type = ? and name in (${some.map(() => '?').join(',')})`,
      [resourceTypeId('layer'), ...some],
    )
    for (const [id, name] of rows) found.set(Number(id), byPlain.get(String(name)) ?? 0)
  }
  return found
}

async function withCappedLabels(
  { database, limits }: Writing,
  day: Day,
  usage: readonly CountedUsage[],
): Promise<CountedUsage[]> {
  const admitted = new Map<UsageScope, Set<string>>()
  for (const [scope, cap] of cappedScopes) {
    const labels = usage.filter((one) => one.scope === scope)
    if (labels.length > 0)
      admitted.set(scope, await admittedLabels(database, day, { labels, cap: cap(limits) }))
  }
  return usage.map((one) => {
    const names = admitted.get(one.scope)
    return names === undefined || names.has(one.label) ? one : { ...one, label: otherLabel }
  })
}

/** Returns the labels that are already in the day, and the most frequent new ones that fit. */
async function admittedLabels(
  database: SeriesDatabase,
  { zoneId, serviceId, day, tables }: Day,
  { labels, cap }: { labels: readonly CountedUsage[]; cap: number },
): Promise<Set<string>> {
  const scope = usageScopes[labels[0]?.scope ?? 'all']
  const rows = await database.arrays(
    `select l.name from ${tables.usage} u join monitoring_labels l on l.id = u.key_id
     where u.zone_id = ? and u.scope = ? and u.day = ? and u.service_id = ? and l.name <> ? and l.name <> ?`,
    [zoneId, scope, day, serviceId, noneLabel, otherLabel],
  )
  const known = new Set(rows.map(([name]) => String(name)))
  const added = labels
    .filter(({ label }) => !known.has(label) && label !== noneLabel && label !== otherLabel)
    .sort((a, b) => b.row.requests - a.row.requests || (a.label < b.label ? -1 : 1))
  for (const { label } of added.slice(0, Math.max(0, cap - known.size))) known.add(label)
  return known.add(noneLabel)
}

/** Stored usage rows of a day, to which requests are added. */
class RowsOfDay {
  readonly #writing: Writing
  readonly #day: Day
  readonly #rows = new Map<string, UsageRow>()

  constructor(writing: Writing, day: Day) {
    this.#writing = writing
    this.#day = day
  }

  async read(keys: readonly { scope: UsageScope; keyId: number }[]): Promise<void> {
    for (const [scope, some] of Map.groupBy(keys, (key) => key.scope)) {
      const ids = [...new Set(some.map(({ keyId }) => keyId))]
      for (let at = 0; at < ids.length; at += idsPerStatement)
        await this.#readPart(scope, ids.slice(at, at + idsPerStatement))
    }
  }

  async #readPart(scope: UsageScope, ids: readonly number[]): Promise<void> {
    const { zoneId, serviceId, day, tables } = this.#day
    const rows = await this.#writing.database.arrays(
      `select key_id, cells from ${tables.usage} where zone_id = ? and scope = ? and day = ?
       and service_id = ? and key_id in (${ids.map(() => '?').join(',')})`,
      [zoneId, usageScopes[scope], day, serviceId, ...ids],
    )
    for (const [id, cells] of rows)
      if (cells instanceof Uint8Array)
        this.#rows.set(`${usageScopes[scope]} ${Number(id)}`, UsageRow.decode(cells))
  }

  add(scope: UsageScope, keyId: number, added: UsageRow): void {
    const key = `${usageScopes[scope]} ${keyId}`
    const row = this.#rows.get(key) ?? new UsageRow({ hasCommonTimes: added.hasCommonTimes })
    this.#rows.set(key, row)
    row.merge(added)
  }

  /** Merges the row of a resource into another one. */
  async absorb(fromId: number, toId: number): Promise<void> {
    const { zoneId, serviceId, day, tables } = this.#day
    await this.#readPart('resource', [fromId])
    const key = `${usageScopes.resource} ${fromId}`
    const row = this.#rows.get(key)
    if (row === undefined) return
    this.#rows.delete(key)
    this.add('resource', toId, row)
    await this.#writing.database.run(
      `delete from ${tables.usage} where zone_id = ? and scope = ? and day = ? and key_id = ? and service_id = ?`,
      [zoneId, usageScopes.resource, day, fromId, serviceId],
    )
  }

  async write(): Promise<void> {
    const { zoneId, serviceId, day, tables } = this.#day
    const values = [...this.#rows].map(([key, row]): SqlValue[] => {
      const [scope = 0, keyId = 0] = key.split(' ').map(Number)
      if (tables.isClosed) row.close()
      return [zoneId, day, scope, keyId, serviceId, row.requests, row.encode()]
    })
    await this.#writing.database.insert(
      tables.usage,
      usageColumns,
      values,
      `on conflict (${usageKey}) do update set requests = excluded.requests, cells = excluded.cells`,
    )
  }
}

/** Stored demand rows of a day, to which requests are added. */
class DemandOfDay {
  readonly #writing: Writing
  readonly #day: Day
  readonly #rows = new Map<number, DemandRow>()

  constructor(writing: Writing, day: Day) {
    this.#writing = writing
    this.#day = day
  }

  async read(ids: readonly number[]): Promise<void> {
    const { zoneId, serviceId, day, tables } = this.#day
    for (let at = 0; at < ids.length; at += idsPerStatement) {
      const some = ids.slice(at, at + idsPerStatement)
      const rows = await this.#writing.database.arrays(
        `select resource_id, cells from ${tables.demand} where zone_id = ? and day = ? and service_id = ?
         and resource_id in (${some.map(() => '?').join(',')})`,
        [zoneId, day, serviceId, ...some],
      )
      for (const [id, cells] of rows)
        if (cells instanceof Uint8Array) this.#rows.set(Number(id), DemandRow.decode(cells))
    }
  }

  add(resourceId: number, added: DemandRow): void {
    if (added.isEmpty) return
    const row = this.#rows.get(resourceId) ?? new DemandRow()
    this.#rows.set(resourceId, row)
    row.merge(added, this.#writing.limits.demandCells ?? maxDemandCells)
  }

  /** Merges the row of a resource into another one. */
  async absorb(fromId: number, toId: number): Promise<void> {
    const { zoneId, serviceId, day, tables } = this.#day
    await this.read([fromId])
    const row = this.#rows.get(fromId)
    if (row === undefined) return
    this.#rows.delete(fromId)
    this.add(toId, row)
    await this.#writing.database.run(
      `delete from ${tables.demand} where zone_id = ? and day = ? and resource_id = ? and service_id = ?`,
      [zoneId, day, fromId, serviceId],
    )
  }

  async write(): Promise<void> {
    const { zoneId, serviceId, day, tables } = this.#day
    const { limits } = this.#writing
    const values = [...this.#rows].map(([resourceId, row]): SqlValue[] => {
      if (tables.isClosed) row.close(limits.demandCells ?? maxDemandCells)
      return [zoneId, day, resourceId, serviceId, row.encode()]
    })
    await this.#writing.database.insert(
      tables.demand,
      demandColumns,
      values,
      `on conflict (${demandKey}) do update set cells = excluded.cells`,
    )
  }
}
