import { metricNamed } from '../../metrics/metrics.ts'
import type { ResourceType } from '../../model/resource-types.ts'
import { resourceTypeId, resourceTypeOfId } from '../../model/resource-types.ts'
import type { SeriesDatabase } from '../../series/series-database.ts'
import type { ValueQuery } from '../model/model.ts'

const maxLabels = 200

/** Reads of the alert thread in addition to values. */
export const checkReads = { checkLabels, checkResource, findCheckResource }

/** Returns the labels of the minute rows of a metric, some services and a period. */
async function checkLabels(
  database: SeriesDatabase,
  { metric, serviceIds, from, to }: ValueQuery,
): Promise<string[]> {
  if (serviceIds.length === 0) return []
  const rows = await database.all<{ name: string }>(
    `select distinct l.name as name from monitoring_series s
     join monitoring_minutes m on m.series_id = s.id join monitoring_labels l on l.id = m.label_id
     where s.metric_id = ? and s.is_total = 0 and s.resource_id = 0
     and s.service_id in (${serviceIds.map(() => '?').join(', ')}) and m.period >= ? and m.period < ?
     order by name limit ${maxLabels}`,
    [metricNamed(metric).id, ...serviceIds, from, to],
  )
  return rows.map(({ name }) => name)
}

/** Returns the name of a resource. */
async function checkResource(database: SeriesDatabase, id: number): Promise<string | undefined> {
  const rows = await database.all<{ type: number; name: string }>(
    'select type, name from monitoring_resources where id = ?',
    [id],
  )
  const [row] = rows
  return row === undefined ? undefined : `${resourceTypeOfId(row.type) ?? ''} ${row.name}`.trim()
}

/** Returns the id of the resource with this type and name. */
async function findCheckResource(
  database: SeriesDatabase,
  { type, name }: { type: ResourceType; name: string },
): Promise<number | undefined> {
  const index = resourceTypeId(type)
  const rows = await database.all<{ id: number }>(
    'select id from monitoring_resources where type = ? and name = ?',
    [index, name],
  )
  return rows[0]?.id
}
