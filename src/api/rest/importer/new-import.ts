import { isAbsolute, join } from 'node:path'
import { invalid } from '../../../core/errors/errors.ts'
import { ownValue } from '../../../core/values/record-keys.ts'
import {
  type MosaicTime,
  type NewImport,
  type RemoteRequest,
  requireMosaicTime,
  type SourceRequest,
  sourceTypes,
} from '../../../importer/index.ts'
import type { DataInput, ImportInput, TargetStoreInput, TimeInput } from './bodies.ts'
import { requireCharset } from './parameters.ts'
import { readTransformBody } from './transform-response.ts'

export function storeName(requested: TargetStoreInput | undefined): string | undefined {
  return (requested?.dataStore ?? requested?.coverageStore ?? requested?.store)?.name
}

const elsewhere: Record<string, string> = {
  database: 'Database data are imported by the command line: terrane import --database URL [--table T ...]',
  table:
    'Data of type "table" are created by the command line: terrane import --database URL [--table T ...]',
}

function readRemoteBody({ location, file, username, password, domain }: DataInput): RemoteRequest {
  const address = location ?? file
  if (address === undefined || address.trim() === '') {
    throw invalid('no-location', 'Remote data need a location')
  }
  const given = Object.entries({ username, password, domain })
  for (const [name, value] of given) {
    if (value === undefined || (value.length <= 1000 && !/\p{Cc}/u.test(value))) continue
    throw invalid(
      'invalid-credentials',
      `${name} has at most 1000 characters, none of them a control character`,
    )
  }
  return { location: address.trim(), ...Object.fromEntries(given.filter(([, value]) => value)) }
}

function readTimeBody({ mode, filenameRegex: pattern, timeFormat: format }: TimeInput): MosaicTime {
  return requireMosaicTime({ mode, pattern, format })
}

/** Returns the location of a new import's data; undefined for none. */
function readDataBody(data: DataInput | undefined): SourceRequest | undefined {
  if (data === undefined) return undefined
  const { type = 'file', file, location } = data
  const source = sourceTypes.find((one) => one === type)
  if (source === undefined) {
    throw invalid('unknown-data-type', ownValue(elsewhere, type) ?? `Unknown data type "${type}"`)
  }
  const charset = requireCharset(data.charset ?? data.charsetEncoding)
  if (source === 'remote') {
    return { type: source, remote: readRemoteBody(data), charset }
  }
  const path =
    file === undefined || location === undefined || isAbsolute(file)
      ? (file ?? location)
      : join(location, file)
  if (path?.trim() === '') throw invalid('no-location', 'The data need a file or location that is not empty')
  if (source === 'file' && path === undefined) return undefined
  return {
    type: source,
    time: source === 'mosaic' && data.time !== undefined ? readTimeBody(data.time) : undefined,
    path,
    charset,
  }
}

export function readImportBody(
  requested: ImportInput | undefined,
  options: { isAsync: boolean; proposedId?: number; user?: string; source?: SourceRequest },
): NewImport {
  const workspace = requested?.targetWorkspace?.workspace?.name
  const store = storeName(requested?.targetStore)
  const source = options.source ?? readDataBody(requested?.data)
  return {
    ...options,
    transforms: (requested?.transforms ?? []).map(readTransformBody),
    isArchived: requested?.archive ?? false,
    allowEmpty: requested?.allowEmpty || undefined,
    workspace,
    store,
    source: source ?? options.source,
  }
}
