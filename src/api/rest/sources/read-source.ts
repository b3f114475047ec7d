import { isAbsolute, join } from 'node:path'
import { invalid } from '../../../core/errors/errors.ts'
import { defined } from '../../../core/values/defined.ts'
import { isLocalLocation, parseLocation } from '../../../inputs/index.ts'
import type { SourceData, SourceInput, SourceSettings } from '../../../sources/index.ts'
import { readDatabaseBody } from '../importer/database-response.ts'
import { requireCharset } from '../importer/parameters.ts'
import { readStopIfBody } from '../importer/task-change.ts'
import { readTransformBody } from '../importer/transform-response.ts'
import type { SourceDataInput, SourceInputBody } from './bodies.ts'

const defaults: Omit<SourceSettings, 'data'> = {
  transforms: [],
  target: {},
  updateMode: 'REPLACE',
  schedule: null,
  overdueSeconds: 3600,
  retry: { times: 5, firstSeconds: 60 },
  receivers: [],
  enabled: true,
}

const usualQuietSeconds = 10
const usualFullEvery = 24

interface ReadData {
  data: SourceData
  password?: string
}

/**
 * Returns the settings in a body; absent ones are those of `before`, or the defaults. Throws `Failure`
 * (`invalid`).
 */
export function readSourceBody(
  { owner, data, stopIf, transforms, schedule, retry, ...rest }: SourceInputBody,
  { before, caller }: { before?: SourceSettings & { owner: string }; caller: string },
): SourceInput {
  const { owner: ownerBefore = caller, ...known } = before ?? { ...defaults, owner: caller, data: undefined }
  const read = data === undefined ? undefined : readData(data)
  const chosen = read?.data ?? known.data
  if (chosen === undefined) throw invalid('no-data', 'A source needs "data"')
  const settings: SourceSettings = {
    ...known,
    ...defined(rest),
    data: chosen,
    retry: { ...known.retry, ...defined(retry ?? {}) },
  }
  if (transforms !== undefined) settings.transforms = transforms.map(readTransformBody)
  if (stopIf !== undefined) settings.stopIf = readStopIfBody(stopIf) ?? undefined
  if (schedule !== undefined) settings.schedule = readSchedule(schedule)
  return { settings, owner: owner ?? ownerBefore, password: read?.password }
}

function readSchedule(schedule: NonNullable<SourceInputBody['schedule']> | null): SourceSettings['schedule'] {
  if (schedule === null) return null
  if ('watch' in schedule) return { watch: true, quietSeconds: schedule.quietSeconds ?? usualQuietSeconds }
  return { cron: schedule.cron.trim(), timeZone: schedule.timeZone ?? 'UTC' }
}

function readData(data: SourceDataInput): ReadData {
  checkCredentials(data)
  if (data.type === 'database') return readDatabase(data)
  if (data.type === 'service') return readService(data)
  const charset = requireCharset(data.charset)
  if (data.type === 'remote') {
    const { location, username, password } = readAddress(data)
    return { data: { type: 'remote', location, username, domain: data.domain, charset }, password }
  }
  const { file, location, type } = data
  const path =
    file === undefined || location === undefined || isAbsolute(file)
      ? (file ?? location)
      : join(location, file)
  if (path === undefined || path.trim() === '')
    throw invalid('no-location', 'The data need a file or a location')
  return { data: { type, path, charset } }
}

function readDatabase({ parameters, tables }: SourceDataInput): ReadData {
  if (parameters === undefined) throw invalid('invalid-source', 'Database data need "parameters"')
  const { connection, tables: chosen } = readDatabaseBody({ parameters, tables })
  const { password, ...place } = connection
  return { data: { type: 'database', connection: place, tables: chosen }, password }
}

function readService(data: SourceDataInput): ReadData {
  const { kind, layer, where, incremental, domain } = data
  if (kind === undefined || layer === undefined)
    throw invalid('invalid-source', 'Data of a service need "kind", "location" and "layer"')
  const { location, username, password } = readAddress(data)
  const increments =
    incremental === undefined
      ? undefined
      : { field: incremental.field, fullEvery: incremental.fullEvery ?? usualFullEvery }
  const service = { kind, location, layer, username, domain, where, incremental: increments }
  return { data: { type: 'service', ...service }, password }
}

/** Returns an address without credentials; those in the URL count unless others are named. */
function readAddress({ location, file, username, password, type }: SourceDataInput) {
  const text = (location ?? file ?? '').trim()
  if (text === '') throw invalid('no-location', `Data of the type "${type}" need a location`)
  if (isLocalLocation(text)) {
    if (type === 'service') throw invalid('invalid-source', 'The location of a service is an HTTP address')
    return { location: text, username, password }
  }
  const { location: address, credentials } = parseLocation(text)
  if (type === 'service' && !/^https?:/i.test(address.url))
    throw invalid('invalid-source', 'The location of a service is an HTTP address')
  return {
    location: address.url,
    username: username ?? credentials.username,
    password: password ?? credentials.password,
  }
}

function checkCredentials({ username, password, domain }: SourceDataInput): void {
  for (const [name, value] of Object.entries({ username, password, domain })) {
    if (value === undefined || !/\p{Cc}/u.test(value)) continue
    throw invalid('invalid-credentials', `${name} contains a control character`)
  }
}
