import {
  durationField,
  flagField,
  keyField,
  numberField,
  requiredText,
  SkippedRecord,
  textField,
} from './fields.ts'
import type { EventType } from './geonode-names.ts'
import { findEventType, severities } from './geonode-names.ts'
import type { NewCheck, NewDefinition, SeriesTarget } from './import-target.ts'
import type { DumpRecord } from './read-dump.ts'
import type { StagedNamed } from './stage-record.ts'
import type { Staging } from './staging.ts'
import type { Tally } from './tally.ts'

/** A check of the dump, without its scope of services and resources, which have other ids in the target. */
export interface ImportedCheck extends NewCheck {
  addresses: string[]
}

/** Comparisons; the first one is the default. Limits of `max_timeout` are durations. */
const comparisons = ['min_value', 'max_value', 'max_timeout'] as const
const defaultGraceSeconds = 600
const models = {
  check: 'notificationcheck',
  definition: 'notificationmetricdefinition',
  threshold: 'metricnotificationcheck',
  receiver: 'notificationreceiver',
} as const

/** Reads the checks of the dump with their definitions, thresholds and addresses. */
export function readChecks(
  target: Pick<SeriesTarget, 'findMetric'>,
  staging: Staging,
  tally: Tally,
): ImportedCheck[] {
  const checks = new Map<string, ImportedCheck>()
  const each = (model: string, use: (record: DumpRecord) => void): void => {
    for (const [pk, fields] of staging.objects<Record<string, unknown>>(model)) {
      try {
        use({ model, pk, fields })
        tally.loaded(model)
      } catch (error) {
        if (!(error instanceof SkippedRecord)) throw error
        tally.skipped(model, error.message)
      }
    }
  }
  const checkOf = (record: DumpRecord): ImportedCheck => {
    const check = checks.get(keyField(record, 'notification_check'))
    if (check === undefined) throw new SkippedRecord('its check is not in the dump')
    return check
  }
  each(models.check, (record) => checks.set(record.pk, readCheck(record)))
  const definitions = new Map<string, NewDefinition>()
  each(models.definition, (record) => {
    const check = checkOf(record)
    const definition = readDefinition(record, staging, target)
    if (check.definitions.some((one) => one.metric === definition.metric && one.option === definition.option))
      throw new SkippedRecord('a second definition of one field')
    check.definitions = [...check.definitions, definition]
    definitions.set(record.pk, definition)
  })
  each(models.threshold, (record) => addThreshold(record, definitions, staging))
  each(models.receiver, (record) => {
    const address = textField(record, 'email', 254)
    if (address === '') throw new SkippedRecord('its user is not in the dump')
    checkOf(record).addresses.push(address)
  })
  return [...checks.values()].filter(({ definitions: found }) => found.length > 0)
}

function readCheck(record: DumpRecord): ImportedCheck {
  return {
    name: requiredText(record, 'name', 255),
    description: textField(record, 'description', 255),
    severity: severities.find((one) => one === record.fields.severity) ?? 'error',
    isActive: flagField(record, 'active', true),
    graceSeconds: durationField(record, 'grace_period') ?? defaultGraceSeconds,
    windowSeconds: 60,
    definitions: [],
    addresses: [],
  }
}

function readDefinition(
  record: DumpRecord,
  staging: Staging,
  target: Pick<SeriesTarget, 'findMetric'>,
): NewDefinition {
  const name = staging.find<StagedNamed>('metric', keyField(record, 'metric'))?.name ?? ''
  if (target.findMetric(name) === undefined) throw new SkippedRecord('its metric is not known here')
  const fieldOption = textField(record, 'field_option')
  const option = comparisons.find((one) => one === fieldOption) ?? comparisons[0]
  const steps = numberField(record, 'steps') ?? 0
  return {
    metric: name,
    option,
    description: textField(record, 'description', 255),
    bounds: {
      min: numberField(record, 'min_value') ?? null,
      max: numberField(record, 'max_value') ?? null,
      steps: steps >= 1 && steps <= 1000 ? Math.trunc(steps) : null,
      usesService: flagField(record, 'use_service', false),
      usesResource: flagField(record, 'use_resource', false),
      usesLabel: flagField(record, 'use_label', false),
      usesOwsService: flagField(record, 'use_event_type', flagField(record, 'use_ows_service', false)),
    },
  }
}

function addThreshold(record: DumpRecord, definitions: Map<string, NewDefinition>, staging: Staging): void {
  const definition = definitions.get(keyField(record, 'definition'))
  if (definition === undefined) throw new SkippedRecord('its definition is not in the dump')
  if (
    keyField(record, 'service') !== '' ||
    keyField(record, 'resource') !== '' ||
    keyField(record, 'label') !== ''
  )
    throw new SkippedRecord('it is for one service, resource or label: set it again')
  const readLimit = definition.option === 'max_timeout' ? durationField : numberField
  const value = readLimit(record, definition.option)
  if (value === undefined) throw new SkippedRecord('it has no threshold')
  const eventType = eventTypeNamed(keyField(record, 'event_type'), staging)
  definition.threshold = eventType === undefined ? { value } : { value, eventType }
}

function eventTypeNamed(pk: string, staging: Staging): EventType | undefined {
  const name = staging.find<StagedNamed>('eventtype', pk)?.name
  return name === undefined ? undefined : findEventType(name)
}
