import { eventTypeId } from '../model/event-types.ts'
import { resourceTypeId } from '../model/resource-types.ts'
import type { UsedResource } from './request-event.ts'
import type { SeriesDatabase, SqlValue } from './series-database.ts'

const maxKept = 200_000
const maxSplits = 20_000
const idsPerStatement = 512

/** A label with its id, which is 0 until `resolve`. */
export interface LabelRef {
  text: string
  user: string | null
  id: number
  /** Newest day of its rows in the database. */
  used: number
}

interface ResourceRef extends UsedResource {
  id: number
}

/** Key of the series of one split. */
export interface SplitRef {
  serviceId: number
  eventTypeId: number
  /** 0 if not split; a negative number for a type of resource; or a resource. */
  resource: number | ResourceRef
  /** Series by `metric id * 2 + isTotal`. */
  series: (SeriesRef | undefined)[]
}

export interface SeriesRef {
  split: SplitRef
  metricId: number
  isTotal: number
  id: number
}

/** Label of totals. */
export const noLabel: LabelRef = { text: '', user: null, id: 0, used: 0 }

/**
 * Cache of ids of labels, resources and series. Callers first request entries by text or split; `resolve`
 * then assigns the ids of all entries.
 */
export class SeriesDictionary {
  readonly #labels = new Map<string, LabelRef>()
  readonly #resources = new Map<string, ResourceRef>()
  readonly #splits = new Map<string, SplitRef>()
  readonly #newLabels = new Set<LabelRef>()
  #newResources: ResourceRef[] = []
  #newSeries: SeriesRef[] = []
  #version = -1

  /** `day`: the day of the row. */
  label(text: string, user: string | null, day: number): LabelRef {
    let label = this.#labels.get(text)
    if (label === undefined) {
      label = { text, user, id: 0, used: day }
      this.#labels.set(text, label)
      this.#newLabels.add(label)
    } else if (day > label.used || (user !== null && label.user === null)) {
      label.used = Math.max(label.used, day)
      label.user ??= user
      this.#newLabels.add(label)
    }
    return label
  }

  resource({ type, name }: UsedResource): ResourceRef {
    const key = `${type}=${name}`
    let resource = this.#resources.get(key)
    if (resource === undefined) {
      resource = { type, name, id: 0 }
      this.#resources.set(key, resource)
      this.#newResources.push(resource)
    }
    return resource
  }

  split(serviceId: number, eventType: number, resource: number | UsedResource): SplitRef {
    const name = typeof resource === 'number' ? resource : `${resource.type}=${resource.name}`
    const key = `${serviceId} ${eventType} ${name}`
    let split = this.#splits.get(key)
    if (split === undefined) {
      const ref = typeof resource === 'number' ? resource : this.resource(resource)
      split = { serviceId, eventTypeId: eventType, resource: ref, series: [] }
      this.#splits.set(key, split)
    }
    return split
  }

  series(split: SplitRef, metricId: number, isTotal: boolean): SeriesRef {
    const place = metricId * 2 + Number(isTotal)
    let series = split.series[place]
    if (series === undefined) {
      series = { split, metricId, isTotal: Number(isTotal), id: 0 }
      split.series[place] = series
      this.#newSeries.push(series)
    }
    return series
  }

  /** The split of samples. */
  hostSplit(serviceId: number): SplitRef {
    return this.split(serviceId, eventTypeId('all'), 0)
  }

  /** Discards entries that another process may have removed. Call it first in each transaction. */
  begin(version: number): void {
    if (version !== this.#version) this.clear()
    this.#version = version
    if (this.#labels.size > maxKept || this.#splits.size > maxSplits) this.clear()
  }

  /** Discards all entries. Call it after a failed transaction. */
  clear(): void {
    this.#labels.clear()
    this.#resources.clear()
    this.#splits.clear()
    this.#newLabels.clear()
    this.#newResources = []
    this.#newSeries = []
  }

  async resolve(database: SeriesDatabase): Promise<void> {
    await resolveAll(database, resourceKind, this.#newResources)
    this.#newResources = []
    await resolveAll(database, seriesKind, this.#newSeries)
    this.#newSeries = []
    const labels = [...this.#newLabels]
    this.#newLabels.clear()
    const known = labels.filter((label) => label.id !== 0)
    const unknown = labels.filter((label) => label.id === 0)
    const found = await resolveAll(database, labelKind, unknown)
    await refreshLabels(database, [...known, ...found])
  }
}

interface DictionaryEntryKind<T> {
  table: string
  columns: readonly string[]
  /** Number of the columns that form the key. */
  keys: number
  valuesOf(one: T): SqlValue[]
  /** Returns the ids of the existing ones, possibly among others. */
  find(database: SeriesDatabase, part: readonly T[]): Promise<IdRows>
}

const resourceKind: DictionaryEntryKind<ResourceRef> = {
  table: 'monitoring_resources',
  columns: ['type', 'name'],
  keys: 2,
  valuesOf: ({ type, name }) => [resourceTypeId(type), name],
  find: (database, part) =>
    findByName(
      database,
      'monitoring_resources',
      'type, name',
      part.map(({ name }) => name),
    ),
}

const seriesKind: DictionaryEntryKind<SeriesRef> = {
  table: 'monitoring_series',
  columns: ['service_id', 'metric_id', 'event_type', 'resource_id', 'is_total', 'load_id'],
  keys: 6,
  valuesOf: ({ split: { serviceId, eventTypeId: eventType, resource }, metricId, isTotal }) => [
    serviceId,
    metricId,
    eventType,
    typeof resource === 'number' ? resource : resource.id,
    isTotal,
    0,
  ],
  find: findSeries,
}

const labelKind: DictionaryEntryKind<LabelRef> = {
  table: 'monitoring_labels',
  columns: ['name', 'user_name', 'used'],
  keys: 1,
  valuesOf: ({ text, user, used }) => [text, user, used],
  find: (database, part) =>
    findByName(
      database,
      'monitoring_labels',
      'name',
      part.map(({ text }) => text),
    ),
}

/** Finds or creates the ids of all entries. Returns the entries that already existed. */
async function resolveAll<T extends { id: number }>(
  database: SeriesDatabase,
  kind: DictionaryEntryKind<T>,
  all: readonly T[],
): Promise<T[]> {
  const found: T[] = []
  for (let start = 0; start < all.length; start += idsPerStatement) {
    const part = all.slice(start, start + idsPerStatement)
    setIds(kind, part, await kind.find(database, part))
    found.push(...part.filter((one) => one.id !== 0))
    const missing = part.filter((one) => one.id === 0)
    if (missing.length > 0) setIds(kind, missing, await addRows(database, kind, missing))
  }
  return found
}

/** Rows of an id and the key columns. */
type IdRows = SqlValue[][]

function setIds<T extends { id: number }>(
  kind: DictionaryEntryKind<T>,
  part: readonly T[],
  rows: IdRows,
): void {
  const ids = new Map(rows.map(([id, ...key]) => [key.join(' '), Number(id)]))
  for (const one of part) one.id = ids.get(kind.valuesOf(one).slice(0, kind.keys).join(' ')) ?? 0
}

async function addRows<T>(
  database: SeriesDatabase,
  { table, columns, keys, valuesOf }: DictionaryEntryKind<T>,
  part: readonly T[],
): Promise<IdRows> {
  const row = `(${placeholders(columns.length)})`
  return database.arrays(
    `insert into ${table} (${columns.join(', ')}) values ${Array(part.length).fill(row).join(',')}
     returning id, ${columns.slice(0, keys).join(', ')}`,
    part.flatMap(valuesOf),
  )
}

async function findByName(
  database: SeriesDatabase,
  table: string,
  columns: string,
  names: SqlValue[],
): Promise<IdRows> {
  const room = padded(names, 1)
  return database.arrays(`select id, ${columns} from ${table} where name in (${placeholders(room)})`, names)
}

async function findSeries(database: SeriesDatabase, part: readonly SeriesRef[]): Promise<IdRows> {
  const keys = part.flatMap((one) => seriesKind.valuesOf(one))
  const width = seriesKind.keys
  const room = padded(keys, width)
  // PostgreSQL derives the types of all rows from the first one.
  const rows = [
    `(${Array(width).fill('cast(? as bigint)').join(',')})`,
    ...Array(room - 1).fill(`(${placeholders(width)})`),
  ]
  const columns = seriesKind.columns.join(', ')
  return database.arrays(
    `select id, ${columns} from monitoring_series where (${columns}) in (values ${rows.join(',')})`,
    keys,
  )
}

/** Records the last use of labels, and users that were unknown before. */
async function refreshLabels(database: SeriesDatabase, labels: readonly LabelRef[]): Promise<void> {
  for (const [day, some] of Map.groupBy(labels, (label) => label.used))
    await updateLabels(database, 'set used = ? where used < ?', [day, day], some)
  for (const [user, some] of Map.groupBy(labels, (label) => label.user)) {
    if (user !== null) await updateLabels(database, 'set user_name = ? where user_name is null', [user], some)
  }
}

async function updateLabels(
  database: SeriesDatabase,
  sql: string,
  values: readonly SqlValue[],
  labels: readonly LabelRef[],
): Promise<void> {
  for (let start = 0; start < labels.length; start += idsPerStatement) {
    const ids: SqlValue[] = labels.slice(start, start + idsPerStatement).map((label) => label.id)
    const room = padded(ids, 1)
    await database.run(`update monitoring_labels ${sql} and id in (${placeholders(room)})`, [
      ...values,
      ...ids,
    ])
  }
}

/**
 * Repeats the last values up to a power of two, so that there are few distinct statements. Returns the number
 * of values.
 */
function padded(values: SqlValue[], keys: number): number {
  const count = values.length / keys
  const room = 2 ** Math.ceil(Math.log2(count))
  const last = values.slice(-keys)
  for (let left = room - count; left > 0; left -= 1) values.push(...last)
  return room
}

function placeholders(count: number): string {
  return Array(count).fill('?').join(',')
}
