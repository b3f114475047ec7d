import { FieldFailure } from '../../core/errors/errors.ts'
import type { ResourceType } from '../model/resource-types.ts'
import { resourceTypeOfId } from '../model/resource-types.ts'
import type { RequestEvent } from '../series/request-event.ts'
import type { SeriesDatabase, SqlValue } from '../series/series-database.ts'
import { countAtMost } from './answer-size.ts'
import type { Reads, SeriesReadLimits } from './reads.ts'
import { HeavyRead } from './reads.ts'

/** Filter of exceptions; times in milliseconds since 1970. */
export interface ExceptionFilter {
  from?: number | undefined
  /** End of the period, exclusive. */
  to?: number | undefined
  serviceIds: readonly number[]
  errorType?: string | undefined
  resourceId?: number | undefined
  limit: number
}

export interface ListedException {
  id: number
  serviceId: number
  /** Milliseconds since 1970. */
  created: number
  errorType: string
}

export interface WholeException extends ListedException {
  message: string
  stack: string
  /** Request that caused the exception; absent for other exceptions, such as those of jobs. */
  request?: Partial<RequestEvent>
  resources: { id: number; type: ResourceType; name: string }[]
}

interface Row extends ListedException {
  message: string
  stack: string
  request: string | null
  resourceIds: string
}

const listed = 'id, service_id as "serviceId", created, error_type as "errorType"'

/** Reads of exceptions; `exception` returns undefined for an unknown id. */
export const exceptionReads = { exception: findException } satisfies Reads

/**
 * Lists exceptions, newest first. Throws `FieldFailure` for a resource that does not exist, and `HeavyRead`.
 */
export async function listExceptions(
  database: SeriesDatabase,
  filter: ExceptionFilter,
  { isLight, rowsPerRead }: SeriesReadLimits,
): Promise<ListedException[]> {
  const { from, to, serviceIds, errorType, resourceId, limit } = filter
  if (resourceId !== undefined) await requireResource(database, resourceId)
  if (serviceIds.length === 0) return []
  const conditions: [sql: string, values: readonly SqlValue[]][] = [
    [`service_id in (${serviceIds.map(() => '?').join(', ')})`, serviceIds],
  ]
  if (from !== undefined) conditions.push(['created >= ?', [from]])
  if (to !== undefined) conditions.push(['created < ?', [to]])
  if (errorType !== undefined) conditions.push(['error_type = ?', [errorType]])
  if (resourceId !== undefined) {
    const ids = "(',' || substr(resource_ids, 2, length(resource_ids) - 2) || ',')"
    conditions.push([`${ids} like ?`, [`%,${resourceId},%`]])
  }
  const where = conditions.map(([sql]) => sql).join(' and ')
  if (isLight) await refuseHeavy(database, filter, rowsPerRead)
  return database.all<ListedException>(
    `select ${listed} from monitoring_exceptions where ${where} order by created desc, id desc limit ?`,
    [...conditions.flatMap(([, values]) => values), limit],
  )
}

/**
 * Throws `HeavyRead` if the period has too many exceptions: all of them are read before the filters apply.
 */
async function refuseHeavy(
  database: SeriesDatabase,
  { from = 0, to = Number.MAX_SAFE_INTEGER, errorType, resourceId }: ExceptionFilter,
  rowsPerRead: number,
): Promise<void> {
  if (errorType === undefined && resourceId === undefined) return
  const sql = `select 1 from monitoring_exceptions where created >= ${Math.floor(from)} and created < ${Math.ceil(to)}`
  if ((await countAtMost(database, sql, rowsPerRead)) > rowsPerRead) throw new HeavyRead()
}

async function requireResource(database: SeriesDatabase, id: number): Promise<void> {
  const found = await database.all('select 1 from monitoring_resources where id = ?', [id])
  if (found.length > 0) return
  const message = `Select a valid choice. ${id} is not one of the available choices.`
  throw new FieldFailure({ resource: [message] })
}

async function findException(
  database: SeriesDatabase,
  { id }: { id: number },
): Promise<WholeException | undefined> {
  const [row] = await database.all<Row>(
    `select ${listed}, message, stack, request, resource_ids as "resourceIds" from monitoring_exceptions where id = ?`,
    [id],
  )
  if (row === undefined) return undefined
  const { request, resourceIds, ...exception } = row
  return {
    ...exception,
    request: request === null ? undefined : (JSON.parse(request) as Partial<RequestEvent>),
    resources: await listResources(database, JSON.parse(resourceIds) as number[]),
  }
}

async function listResources(
  database: SeriesDatabase,
  ids: readonly number[],
): Promise<WholeException['resources']> {
  const resources: WholeException['resources'] = []
  for (const id of ids) {
    const [found] = await database.all<{ type: number; name: string }>(
      'select type, name from monitoring_resources where id = ?',
      [id],
    )
    if (found !== undefined)
      resources.push({ id, type: resourceTypeOfId(found.type) ?? 'other', name: found.name })
  }
  return resources
}
