import type { Dialect } from '../../../../core/config/settings.ts'
import type { Transfer } from '../../../../core/workers/handlers.ts'
import type { SeriesDatabase } from '../../../../monitoring/index.ts'
import {
  type ExceptionFilter,
  findLabelIds,
  findResolution,
  findResourceIds,
  type ListIds,
  type ListSlice,
  listExceptions,
  type NamedResource,
  nameLabels,
  nameResources,
  type PeriodResourceQuery,
  type Reads,
  type ResourceListQuery,
  type ResourceName,
  readMetricDataSlice,
  readResources,
  type SeriesReadLimits,
  type ServiceRecord,
  type Slice,
  transferSlice,
  unknownResource,
} from '../../../../monitoring/query/index.ts'
import { hasListEnvelope, namesOfDialect } from '../../../compat/geonode-monitoring.ts'
import { envelope } from '../response-envelope.ts'
import { bytesOf } from './byte-text.ts'
import { toListedException } from './exception-response.ts'
import { isHidden } from './hidden-rows.ts'
import type { MetricDataRequest } from './metric-data-writer.ts'
import { writeMetricData } from './metric-data-writer.ts'

/** Request for a list to a reader thread. */
interface ListRequest<T> {
  query: T
  dialect: Dialect
  /** Entries that are left; absent for the first slice. */
  rest?: ListIds
  /** True if nothing was written so far. */
  isEmpty?: boolean
  /** Names of the layers that the caller may read; absent: all. */
  shown?: ReadonlySet<string>
}

interface ExceptionListRequest {
  query: ExceptionFilter
  dialect: Dialect
  /** Path of the list, below which each entry has its details. */
  path: string
  services: readonly Pick<ServiceRecord, 'id' | 'name' | 'type'>[]
}

type SlicedRead<A> = (
  database: SeriesDatabase,
  request: A,
  limits: SeriesReadLimits,
) => Promise<Transfer<Slice<A>>>

/** Reads whose results are slices of JSON. */
export const metricDataReads = {
  metricData: sliceMetricData,
  labels: slicedList('labels', findLabelIds, nameLabels) satisfies SlicedRead<
    ListRequest<PeriodResourceQuery>
  >,
  resources: slicedList('resources', findResourceIds, nameResources, shownResources) satisfies SlicedRead<
    ListRequest<ResourceListQuery>
  >,
  exceptionList: sliceExceptions,
} satisfies Reads

/** The first slice of a result may be the whole result. */
const wholeWindow = { first: 0, expected: Number.POSITIVE_INFINITY }

async function sliceMetricData(
  database: SeriesDatabase,
  request: MetricDataRequest,
  limits: SeriesReadLimits,
): Promise<Transfer<Slice<MetricDataRequest>>> {
  const { query, start = wholeWindow, shown } = request
  if (shown !== undefined && start === wholeWindow) await refuseHiddenId(database, query.resource, shown)
  const slice = await readMetricDataSlice(database, query, start, limits)
  const resolution = slice.whole && (await findResolution(database, slice.whole))
  const bytes = writeMetricData(request, slice, resolution)
  return transferSlice({ bytes, next: slice.next && { ...request, start: slice.next } })
}

/** Throws the error for an unknown resource if the id of a filter is of a layer that the caller may not read. */
async function refuseHiddenId(
  database: SeriesDatabase,
  resource: ResourceName | undefined,
  shown: ReadonlySet<string>,
): Promise<void> {
  if (resource === undefined || !('id' in resource)) return
  const found = (await readResources(database, [resource.id])).get(resource.id)
  if (found !== undefined && isHidden(found, shown)) throw unknownResource(resource)
}

/** Leaves out layers that the caller may not read. */
function shownResources(
  entries: readonly NamedResource[],
  { shown }: { shown?: ReadonlySet<string> },
): NamedResource[] {
  return entries.filter((entry) => !isHidden(entry, shown))
}

function slicedList<Q, T>(
  key: string,
  find: (database: SeriesDatabase, query: Q, limits: SeriesReadLimits) => Promise<ListIds>,
  name: (database: SeriesDatabase, ids: ListIds, count: number) => Promise<ListSlice<T>>,
  select: (entries: readonly T[], request: { shown?: ReadonlySet<string> }) => readonly T[] = (all) => all,
): SlicedRead<ListRequest<Q>> {
  return async (database, request, limits) => {
    const ids = request.rest ?? (await find(database, request.query, limits))
    const { entries, rest } = await name(database, ids, limits.rowsPerRead)
    const [head, tail] = listFrame(key, request.dialect)
    const isFirst = request.rest === undefined
    const isLast = rest.length === 0
    const list = JSON.stringify(select(entries, request)).slice(1, -1)
    const comma = isFirst || request.isEmpty === true || list === '' ? '' : ','
    const isEmpty = list === '' && (isFirst || request.isEmpty === true)
    const bytes = bytesOf(`${isFirst ? head : ''}${comma}${list}${isLast ? tail : ''}`)
    return transferSlice({ bytes, next: isLast ? undefined : { ...request, rest, isEmpty } })
  }
}

async function sliceExceptions(
  database: SeriesDatabase,
  { query, dialect, path, services }: ExceptionListRequest,
  limits: SeriesReadLimits,
): Promise<Transfer<Slice<ExceptionListRequest>>> {
  const found = await listExceptions(database, query, limits)
  const wire = namesOfDialect(dialect)
  const known = new Map(services.map((service) => [service.id, service]))
  const exceptions = found.map((one) =>
    toListedException(one, { wire, service: known.get(one.serviceId), path }),
  )
  const [head, tail] = listFrame('exceptions', dialect)
  const bytes = bytesOf(`${head}${JSON.stringify(exceptions).slice(1, -1)}${tail}`)
  return transferSlice<ExceptionListRequest>({ bytes, next: undefined })
}

/** Returns the text around the entries of a list. */
function listFrame(key: string, dialect: Dialect): [head: string, tail: string] {
  const around = hasListEnvelope(dialect) ? envelope({ key }) : {}
  return [JSON.stringify({ ...around, [key]: [] }).slice(0, -2), ']}']
}
