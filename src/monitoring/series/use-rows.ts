import { noneLabel, otherLabel } from '../metrics/metrics.ts'
import type { Dictionary } from './dictionary.ts'
import { noLabel } from './dictionary.ts'
import { dayOf } from './minute-rows.ts'
import { OtherSketch } from './other-sketch.ts'
import { QuantileSketch } from './quantile-sketch.ts'
import type { UsedResource } from './request-event.ts'
import { findKnown, keyOf } from './resource-cap.ts'
import type { SeriesDatabase, SqlValue } from './series-database.ts'
import type { CountedUse, Use, UseCounts, UseDay } from './use-counts.ts'
import { cappedSplits, mergeUse, useSplits } from './use-counts.ts'

export const useColumns = [
  ...(['service_id', 'zone', 'day', 'resource_id', 'split', 'label_id', 'day_end', 'requests'] as const),
  ...(['errors', 'bytes', 'timed', 'milliseconds', 'last_use', 'times', 'visitors'] as const),
] as const
const columns = useColumns.join(', ')
const keyNames = ['service_id', 'zone', 'day', 'resource_id', 'split', 'label_id']
const updates = useColumns
  .filter((name) => !keyNames.includes(name))
  .map((name) => `${name} = excluded.${name}`)
  .join(', ')

interface Writing {
  database: SeriesDatabase
  dictionary: Dictionary
  /** Labels of a day, service and split that have rows of their own. */
  labels: number
}

/**
 * Adds what was counted to the rows that are there, in the same transaction as that it is counted no more. Resources that
 * the series do not know are `(other)`, and so are labels beyond the cap; those that came first stay.
 */
export async function writeUses({ database, dictionary, labels }: Writing, counts: UseCounts): Promise<void> {
  const counted = await withKnownResources(database, counts.all())
  const days = Map.groupBy(counted, ({ day }) => `${day.serviceId} ${day.zone} ${day.start}`)
  for (const uses of days.values()) {
    const capped = await withCappedLabels(database, uses, labels)
    await addToDay({ database, dictionary, labels }, merged(capped))
  }
}

async function withKnownResources(
  database: SeriesDatabase,
  uses: readonly CountedUse[],
): Promise<CountedUse[]> {
  const resources = uses.map(({ resource }) => resource).filter((one) => one !== undefined)
  const distinct = [...new Map(resources.map((one) => [keyOf(one), one])).values()]
  const known = await findKnown(distinct, database)
  return uses.map((one) => ({ ...one, resource: knownResource(one.resource, known) }))
}

function knownResource(
  resource: UsedResource | undefined,
  known: ReadonlySet<string>,
): UsedResource | undefined {
  if (resource === undefined || known.has(keyOf(resource))) return resource
  return { type: resource.type, name: otherLabel }
}

/** The labels of a service's day are the same for all resources: the most frequent of those that come at once. */
async function withCappedLabels(
  database: SeriesDatabase,
  uses: readonly CountedUse[],
  cap: number,
): Promise<CountedUse[]> {
  const [first] = uses
  if (first === undefined) return []
  const admitted = new Map<string, Set<string>>()
  for (const split of cappedSplits) {
    const known = await knownLabels(database, first.day, useSplits[split])
    const counted = uses
      .filter((one) => one.split === split && one.resource === undefined && !known.has(one.label))
      .filter(({ label }) => label !== noneLabel && label !== otherLabel)
      .sort((a, b) => b.use.requests - a.use.requests || (a.label < b.label ? -1 : 1))
    for (const { label } of counted.slice(0, Math.max(0, cap - known.size))) known.add(label)
    admitted.set(split, known.add(noneLabel))
  }
  return uses.map((one) => {
    const names = admitted.get(one.split)
    return names === undefined || names.has(one.label) ? one : { ...one, label: otherLabel }
  })
}

async function knownLabels(
  database: SeriesDatabase,
  { serviceId, zone, start }: UseDay,
  split: number,
): Promise<Set<string>> {
  const rows = await database.arrays(
    `select l.name from monitoring_uses u join monitoring_labels l on l.id = u.label_id
     where u.service_id = ? and u.zone = ? and u.day = ? and u.resource_id = 0 and u.split = ?
       and l.name <> ? and l.name <> ?`,
    [serviceId, zone, start, split, noneLabel, otherLabel],
  )
  return new Set(rows.map(([name]) => String(name)))
}

/** One for each resource, split and label. */
function merged(uses: readonly CountedUse[]): CountedUse[] {
  const found = new Map<string, CountedUse>()
  for (const one of uses) {
    const name = one.resource === undefined ? '' : keyOf(one.resource)
    const key = JSON.stringify([name, one.split, one.label])
    const known = found.get(key)
    if (known === undefined) found.set(key, one)
    else mergeUse(known.use, one.use)
  }
  return [...found.values()]
}

async function addToDay({ database, dictionary }: Writing, uses: readonly CountedUse[]): Promise<void> {
  const named = uses.map((one) => ({
    ...one,
    resourceRef: one.resource === undefined ? undefined : dictionary.resource(one.resource),
    labelRef: one.label === '' ? noLabel : dictionary.label(one.label, null, dayOf(one.day.start)),
  }))
  await dictionary.resolve(database)
  const [first] = uses
  if (first === undefined) return
  const { serviceId, zone, start, end } = first.day
  const ids = [...new Set(named.map(({ resourceRef }) => resourceRef?.id ?? 0))]
  const stored = await readStored(database, first.day, ids)
  const rows = named.map(({ resourceRef, labelRef, split, use }): SqlValue[] => {
    const key = [resourceRef?.id ?? 0, useSplits[split], labelRef.id]
    const before = stored.get(key.join(' '))
    if (before !== undefined) mergeUse(use, before)
    return [serviceId, zone, start, ...key, end, ...amountsOf(use)]
  })
  await database.insert(
    'monitoring_uses',
    useColumns,
    rows,
    `on conflict (${keyNames.join(', ')}) do update set ${updates}`,
  )
}

function amountsOf({
  requests,
  errors,
  bytes,
  timed,
  milliseconds,
  lastUse,
  times,
  visitors,
}: Use): SqlValue[] {
  return [requests, errors, bytes, timed, milliseconds, lastUse, times.encode(), visitors?.encode() ?? null]
}

const idsPerStatement = 500

async function readStored(
  database: SeriesDatabase,
  { serviceId, zone, start }: UseDay,
  resourceIds: readonly number[],
): Promise<Map<string, Use>> {
  const stored = new Map<string, Use>()
  for (let at = 0; at < resourceIds.length; at += idsPerStatement) {
    const ids = resourceIds.slice(at, at + idsPerStatement)
    const rows = await database.arrays(
      `select ${columns} from monitoring_uses where service_id = ? and zone = ? and day = ?
       and resource_id in (${ids.map(() => '?').join(',')})`,
      [serviceId, zone, start, ...ids],
    )
    for (const row of rows) stored.set(row.slice(3, 6).map(Number).join(' '), useOf(row.slice(7)))
  }
  return stored
}

/** Reads the amounts of a row, from `requests` on. */
export function useOf(values: readonly SqlValue[]): Use {
  const [requests = 0, errors = 0, bytes = 0, timed = 0, milliseconds = 0, lastUse = 0] = values.map(Number)
  const [times, visitors] = values.slice(6)
  return {
    ...{ requests, errors, bytes, timed, milliseconds, lastUse },
    times: QuantileSketch.decode(times instanceof Uint8Array ? times : new Uint8Array([0])),
    ...(visitors instanceof Uint8Array ? { visitors: OtherSketch.decode(visitors) } : {}),
  }
}
