import { FieldFailure } from '../../core/errors/errors.ts'
import { isHostMetric, metricNamed, noneLabel, otherLabel } from '../metrics/metrics.ts'
import { resourceTypeId } from '../model/resource-types.ts'
import type { SeriesDatabase } from '../series/series-database.ts'
import { groupingShape } from './grouping.ts'
import type { MetricDataQuery, ResourceName } from './metric-data-query.ts'
import { findLabel } from './names.ts'
import type { ResolvedQuery } from './series-sql.ts'

/** Replaces names in a query by their ids. Throws `FieldFailure` for a resource that does not exist. */
export async function resolveQuery(database: SeriesDatabase, query: MetricDataQuery): Promise<ResolvedQuery> {
  const metric = metricNamed(query.metric)
  const { grouping, serviceIds, eventType, resourceType, user, label, isLabelId, resource } = query
  const labelId =
    label === undefined ? undefined : await findLabel(database, label, { isId: isLabelId ?? false })
  const isOfRequests = metric.isLabelled && !isHostMetric(metric)
  const otherId = isOfRequests ? await findLabel(database, otherLabel) : undefined
  const noneId = isOfRequests ? await findLabel(database, noneLabel) : undefined
  const resourceId = resource === undefined ? undefined : await findResource(database, resource)
  return {
    metric,
    shape: groupingShape(grouping, metric),
    serviceIds,
    eventType,
    resourceType,
    user,
    labelId,
    otherId,
    uncountedIds: [otherId, noneId].filter((id) => id !== undefined),
    resourceId,
  }
}

async function findResource(database: SeriesDatabase, resourceName: ResourceName): Promise<number> {
  const [condition, values] =
    'id' in resourceName
      ? ['id = ?', [resourceName.id]]
      : ['type = ? and name = ?', [resourceTypeId(resourceName.type), resourceName.name]]
  const [found] = await database.arrays(`select id from monitoring_resources where ${condition}`, values)
  if (found !== undefined) return Number(found[0])
  throw unknownResource(resourceName)
}

/** The error for a resource that was never used, or that the caller may not see. */
export function unknownResource(name: ResourceName): FieldFailure {
  const text = 'id' in name ? name.id : `${name.type}=${name.name}`.slice(0, 100)
  return new FieldFailure({ resource: [`Resource ${text} does not exist.`] }, { code: 'unknown-resource' })
}
