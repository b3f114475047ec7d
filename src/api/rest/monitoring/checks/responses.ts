import {
  amountText,
  type ChangedCheck,
  type Check,
  type CheckProblems,
  type Delivery,
  type DescribedField,
  fieldName,
  type NamedScope,
  type Problem,
  stepCount,
  type Threshold,
} from '../../../../monitoring/index.ts'
import { type Severity, severities } from '../../../../monitoring/query/index.ts'
import type { FastifyRequest } from '../../../app-types.ts'
import type { MonitoringNames } from '../../../compat/geonode-monitoring.ts'

const durationClass = 'datetime.timedelta'
const decimalClass = 'decimal.Decimal'

function toDurationResponse(seconds: number) {
  return { class: durationClass, seconds }
}

function configPath(checkId: number): string {
  return `/monitoring/api/notifications/config/${checkId}/`
}

/** Fields of a check in lists. */
export function toListedCheck(check: Check, wire: MonitoringNames, request: FastifyRequest) {
  const { id, name, description, severity, isActive, graceSeconds, lastSend } = check
  return {
    id,
    url: request.link(configPath(id)),
    name,
    description,
    severity,
    active: isActive,
    grace_period: toDurationResponse(graceSeconds),
    last_send: lastSend === undefined ? null : wire.time(Date.parse(lastSend)),
  }
}

/** A NotificationCheck; its thresholds by field name or by id. */
export function toCheckResponse(check: Check, wire: MonitoringNames, keys: 'names' | 'ids') {
  const { id, name, description, severity, isActive, graceSeconds, windowSeconds, lastSend } = check
  const { failingSince, definitions } = check
  const timeOf = (iso: string | undefined): string | null =>
    iso === undefined ? null : wire.time(Date.parse(iso))
  const entries = definitions.map((one) => [
    keys === 'names' ? fieldName(one) : String(one.id),
    {
      metric: one.metric,
      description: one.description,
      min: one.bounds.min,
      max: one.bounds.max,
      steps: stepCount(one.bounds),
    },
  ])
  return {
    id,
    name,
    description,
    severity,
    grace_period: toDurationResponse(graceSeconds),
    window: toDurationResponse(windowSeconds),
    last_send: timeOf(lastSend),
    failing_since: timeOf(failingSince),
    active: isActive,
    user_threshold: Object.fromEntries(entries) as Record<string, unknown>,
  }
}

/** A check after a change, with the secrets that were made by it. */
export function toChangedCheck({ check, secrets }: ChangedCheck, wire: MonitoringNames) {
  return { ...toCheckResponse(check, wire, 'names'), ...secrets }
}

/** Scope of a threshold, by names. */
export interface ScopeNames {
  service: string | null
  resource: number | null
  label: string | null
  ows_service: string | null
}

export function toScopeResponse(
  { service, resourceId, label, eventType }: NamedScope,
  wire: MonitoringNames,
): ScopeNames {
  return {
    service: service ?? null,
    resource: resourceId ?? null,
    label: label ?? null,
    ows_service: eventType === undefined ? null : wire.eventType(eventType),
  }
}

/** Returns a configuration field: one definition with its current value. */
export function toFieldResponse(check: Check, field: DescribedField, wire: MonitoringNames) {
  const { definition, name, metricId, unit, choices } = field
  const { id, metric, option, description, bounds, threshold } = definition
  const boundText = (value: number | null): string | null => (value === null ? null : amountText(value))
  return {
    id,
    field_name: name,
    field_option: option,
    description,
    metric: { class: 'Metric', name: metric, id: metricId ?? null },
    notification_check: { class: 'NotificationCheck', name: check.name, id: check.id },
    min_value: boundText(bounds.min),
    max_value: boundText(bounds.max),
    steps: stepCount(bounds),
    steps_calculated: choices ?? null,
    current_value: threshold === undefined ? null : currentValue(field, threshold, wire),
    unit,
    is_enabled: threshold !== undefined,
    use_resource: bounds.usesResource,
    use_label: bounds.usesLabel,
    use_ows_service: bounds.usesOwsService,
    use_service: bounds.usesService,
    scope: toScopeResponse(field.scope, wire),
  }
}

function currentValue(
  { isDuration }: DescribedField,
  { value }: Threshold,
  { hasLimitClasses }: MonitoringNames,
) {
  if (isDuration) return hasLimitClasses ? { class: durationClass, value } : toDurationResponse(value)
  return hasLimitClasses ? { class: decimalClass, value: amountText(value) } : amountText(value)
}

/** A problem of a check; `spotted_at` is since when it does not hold. */
export function toProblemResponse(
  check: Check,
  problem: Problem,
  wire: MonitoringNames,
  request: FastifyRequest,
) {
  return {
    name: problem.metric,
    severity: problem.severity,
    message: problem.message,
    description: problem.description,
    offending_value: problem.offendingValue,
    threshold_value: problem.thresholdValue,
    spotted_at: wire.time(
      check.failingSince === undefined ? problem.validTo : Date.parse(check.failingSince),
    ),
    valid_from: wire.time(problem.validFrom),
    valid_to: wire.time(problem.validTo),
    check_url: request.link(configPath(check.id)),
    check_id: check.id,
  }
}

/** The highest severity among problems; `ok` without any. */
export function healthLevel(checks: readonly CheckProblems[]): Severity | 'ok' {
  const found = checks.flatMap(({ problems }) => problems.map(({ severity }) => severity))
  return severities.findLast((one) => found.includes(one)) ?? 'ok'
}

export function toDeliveryResponse(delivery: Delivery, wire: MonitoringNames) {
  const { id, kind, receiver, state, attempts, nextTry, error, createdAt, finishedAt } = delivery
  return {
    id,
    kind,
    receiver,
    state,
    attempts,
    created: wire.time(Date.parse(createdAt)),
    finished: finishedAt === undefined ? null : wire.time(Date.parse(finishedAt)),
    next_try: state === 'pending' ? wire.time(Date.parse(nextTry)) : null,
    error: error ?? null,
  }
}
