// Reads of the time series, for the thread that answers queries, with metrics and types in them. Must not
// import collection or alerts. Start reading at `metric-data.ts`.

export {
  defaultLabel,
  findMetric,
  hasQuantiles,
  isHostMetric,
  type Metric,
  metricsOf,
  namesWhere,
  tellsUsers,
} from '../metrics/metrics.ts'
export {
  type EventType,
  eventTypeLabels,
  eventTypeOfId,
  eventTypes,
  isOws,
  type RequestEventType,
} from '../model/event-types.ts'
export {
  type HostRecord,
  type ServiceRecord,
  type ServiceSource,
  type ServiceValues,
  type Severity,
  type SourceKind,
  severities,
  sourceKinds,
  usualSources,
} from '../model/records.ts'
export { resourceTypeLabels, resourceTypes } from '../model/resource-types.ts'
export { pagesServiceId, type ServiceType, serviceTypes } from '../model/service-types.ts'
export {
  alignWindow,
  maxIntervalSeconds,
  maxPeriods,
  minIntervalSeconds,
  periodStart,
  type RequestedWindow,
  type TimeWindow,
  type WindowRefusal,
} from './align-window.ts'
export {
  type ExceptionFilter,
  exceptionReads,
  type ListedException,
  listExceptions,
  type WholeException,
} from './exception-reads.ts'
export { type Grouping, groupings, type RowKey } from './grouping.ts'
export type { LayerRequests, LayerRequestsQuery } from './layer-requests.ts'
export {
  findLabelIds,
  findResourceIds,
  type ListIds,
  type ListSlice,
  nameLabels,
  nameResources,
  type PeriodResourceQuery,
  type ResourceListQuery,
} from './list-reads.ts'
export { findResolution, type MetricData, type PeriodSpan } from './metric-data.ts'
export type { MetricDataQuery, ResourceName } from './metric-data-query.ts'
export type { NamedResource } from './names.ts'
export { readResources } from './names.ts'
export { type Reads, type SeriesReadLimits, type Slice, transferSlice } from './reads.ts'
export { coreReads, type RequestTotals, type RequestTotalsQuery } from './request-totals.ts'
export { unknownResource } from './resolve-query.ts'
export { type AnswerPart, SeriesReader } from './series-reader.ts'
export { serveReads } from './serve-reads.ts'
export { type MetricDataSlice, readMetricDataSlice, type SliceStart } from './slice-metric-data.ts'
export type { DemandCellSum } from './usage-reads.ts'
export {
  type ReportGrouping,
  reportGroupings,
} from './usage-report.ts'
export { reportedClasses } from './usage-sum.ts'
