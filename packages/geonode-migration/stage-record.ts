import {
  addressField,
  countField,
  durationField,
  flagField,
  keyField,
  numberField,
  requiredText,
  SkippedRecord,
  textField,
  timeField,
} from './fields.ts'
import type { DumpRecord } from './read-dump.ts'
import type { Staging } from './staging.ts'
import type { Tally } from './tally.ts'

export interface StagedHost {
  name: string
  ip: string
}

export interface StagedService {
  name: string
  host: string
  type: string
  /** In seconds. */
  checkInterval: number
  notes: string
  url: string
  isActive: boolean
}

export interface StagedNamed {
  name: string
}

export interface StagedResource {
  type: string
  name: string
}

export interface StagedRequest {
  service: string
  created: number
  eventType: string
  host: string
  path: string
  method: string
  status: number
  size: number
  milliseconds: number | null
  contentType: string
  userAgent: string
  userAgentFamily: string
  clientIp: string
  country: string
  region: string
  city: string
  latitude: number | null
  longitude: number | null
  visitor: string
  userName: string
  resources: string[]
}

export interface StagedException {
  service: string
  created: number
  errorType: string
  message: string
  stack: string
  request: string
}

const defaultInterval = 60
const longNotes = 2000
const longText = 1_000_000
const maxResources = 100

const named = (record: DumpRecord): StagedNamed => ({ name: requiredText(record, 'name', 255) })

/** Stored fields of the objects of each model, except labels and values. */
const objectReaders = new Map<string, (record: DumpRecord) => object>(
  Object.entries<(record: DumpRecord) => object>({
    host: (record): StagedHost => ({
      name: requiredText(record, 'name', 255),
      ip: addressField(record, 'ip'),
    }),
    servicetype: named,
    service: (record): StagedService => ({
      name: requiredText(record, 'name', 255),
      host: keyField(record, 'host'),
      type: keyField(record, 'service_type'),
      checkInterval: durationField(record, 'check_interval') ?? defaultInterval,
      notes: textField(record, 'notes', longNotes),
      url: textField(record, 'url', longNotes),
      isActive: flagField(record, 'active', true),
    }),
    metric: named,
    servicetypemetric: (record) => ({ metric: keyField(record, 'metric') }),
    eventtype: named,
    owsservice: named,
    monitoredresource: (record): StagedResource => ({
      type: textField(record, 'type', 255),
      name: textField(record, 'name', 255),
    }),
    requestevent: readRequest,
    exceptionevent: (record): StagedException => ({
      service: keyField(record, 'service'),
      created: timeField(record, 'created'),
      errorType: requiredText(record, 'error_type', 255),
      message: textField(record, 'error_message', longText),
      stack: textField(record, 'error_data', longText),
      request: keyField(record, 'request'),
    }),
    notificationcheck: plainFields,
    notificationmetricdefinition: plainFields,
    metricnotificationcheck: plainFields,
    notificationreceiver: plainFields,
  }),
)

/** Returns the fields without lists and objects, which are not used. */
function plainFields({ fields }: DumpRecord): object {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => typeof value !== 'object' || value === null),
  )
}

/** Writes one object of the dump to the staging database; counts unusable objects with their reason. */
export function stageRecord(record: DumpRecord, staging: Staging, tally: Tally): void {
  const { model, pk } = record
  tally.read(model)
  try {
    const readObject = objectReaders.get(model)
    if (model === 'metricvalue') stageValue(record, staging)
    else if (model === 'metriclabel') stageLabel(record, staging)
    else if (readObject !== undefined) staging.putObject(model, pk, readObject(record))
    else throw new SkippedRecord('there is nothing like it here')
  } catch (error) {
    if (!(error instanceof SkippedRecord)) throw error
    tally.skipped(model, error.message)
  }
}

function stageLabel(record: DumpRecord, staging: Staging): void {
  const user = textField(record, 'user', 150)
  staging.putLabel(record.pk, textField(record, 'name'), user === '' ? null : user)
}

function stageValue(record: DumpRecord, staging: Staging): void {
  const value = numberField(record, 'value_num') ?? numberField(record, 'value')
  if (value === undefined) throw new SkippedRecord('it has no number')
  staging.putValue({
    from: timeField(record, 'valid_from') / 1000,
    to: timeField(record, 'valid_to') / 1000,
    service: keyField(record, 'service'),
    metric: keyField(record, 'service_metric'),
    eventType: keyField(record, 'event_type' in record.fields ? 'event_type' : 'ows_service'),
    resource: keyField(record, 'resource'),
    label: keyField(record, 'label'),
    value: Math.abs(value),
    samples: countField(record, 'samples_count'),
  })
}

function readRequest(record: DumpRecord): StagedRequest {
  const { resources } = record.fields
  return {
    service: keyField(record, 'service'),
    created: timeField(record, 'created'),
    eventType: keyField(record, 'event_type' in record.fields ? 'event_type' : 'ows_service'),
    host: textField(record, 'host', 255),
    path: textField(record, 'request_path').replace(/\?.*$/s, ''),
    method: textField(record, 'request_method', 16),
    status: countField(record, 'response_status'),
    size: countField(record, 'response_size'),
    milliseconds: numberField(record, 'response_time') ?? null,
    contentType: textField(record, 'response_type', 255),
    userAgent: textField(record, 'user_agent'),
    userAgentFamily: textField(record, 'user_agent_family', 255),
    clientIp: textField(record, 'client_ip', 45),
    country: textField(record, 'client_country', 255),
    region: textField(record, 'client_region', 255),
    city: textField(record, 'client_city', 255),
    latitude: numberField(record, 'client_lat') ?? null,
    longitude: numberField(record, 'client_lon') ?? null,
    visitor: textField(record, 'user_identifier', 255),
    userName: textField(record, 'user_username', 150),
    resources: Array.isArray(resources) ? resources.slice(0, maxResources).map(String) : [],
  }
}
