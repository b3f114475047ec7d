import { isAbsolute, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Dialect } from '../../config/settings.ts'
import { requireMosaicTime } from '../../importer/importer.ts'
import type {
  MosaicTime,
  NewImport,
  TaskChange,
  TaskRecord,
  WantedRemote,
  WantedSource,
} from '../../importer/model/model.ts'
import { sourceTypes } from '../../importer/model/model.ts'
import { invalid } from '../../lib/errors.ts'
import { ownValue } from '../../lib/own-value.ts'
import { findEncodingName } from '../../lib/text/encoding-names.ts'
import type { UpdateMode } from '../../stores/store.ts'
import { updateModes } from '../../stores/store.ts'
import { showTransform } from '../../transforms/chain.ts'
import type { TransformSpec } from '../../transforms/transform.ts'
import type { WantedData, WantedImport, WantedStore, WantedTarget, WantedTask, WantedTime } from './bodies.ts'
import { fromWireRejectLimit } from './wire.ts'
import { fromWireLayer } from './wire-layer.ts'
import { fromWireTransform } from './wire-transforms.ts'

export function storeName(wanted: WantedStore | undefined): string | undefined {
  return (wanted?.dataStore ?? wanted?.coverageStore ?? wanted?.store)?.name
}

/** Where a target body sends a task; a store without a name says something to the dialect of older systems alone. */
export function fromWireTarget(
  wanted: WantedTarget | undefined,
  dialect: Dialect,
): Partial<Pick<TaskChange, 'store' | 'workspace'>> {
  const target = wanted?.dataStore ?? wanted?.coverageStore ?? wanted?.store
  if (target === undefined) return {}
  const { name, workspace } = target
  if (name === undefined && dialect === 'contract')
    throw invalid('invalid-body', 'A target needs "dataStore.name"')
  return {
    ...(name === undefined ? {} : { store: name }),
    ...(workspace?.name === undefined ? {} : { workspace: workspace.name }),
  }
}

export function requireCharset(charset: string | undefined): string | undefined {
  if (charset === undefined || findEncodingName(charset) !== undefined) return charset
  throw invalid('invalid-charset', `"${charset}" is not a text encoding that is known`)
}

const elsewhere: Record<string, string> = {
  database: 'Database data are imported by the command line: terrane import --database URL [--table T ...]',
  table: 'Table data come into being by the command line: terrane import --database URL [--table T ...]',
}

function fromWireRemote({ location, file, username, password, domain }: WantedData): WantedRemote {
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

function fromWireTime({ mode, filenameRegex: pattern, timeFormat: format }: WantedTime): MosaicTime {
  return requireMosaicTime({
    ...(mode === undefined ? {} : { mode }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(format === undefined ? {} : { format }),
  })
}

/** Where the data of a new import lie; undefined for none. */
export function fromWireData(data: WantedData | undefined): WantedSource | undefined {
  if (data === undefined) return undefined
  const { type = 'file', file, location } = data
  const source = sourceTypes.find((one) => one === type)
  if (source === undefined) {
    throw invalid('unknown-data-type', ownValue(elsewhere, type) ?? `Unknown data type "${type}"`)
  }
  const charset = requireCharset(data.charset ?? data.charsetEncoding)
  if (source === 'remote') {
    return { type: source, remote: fromWireRemote(data), ...(charset === undefined ? {} : { charset }) }
  }
  const path =
    file === undefined || location === undefined || isAbsolute(file)
      ? (file ?? location)
      : join(location, file)
  if (path?.trim() === '') throw invalid('no-location', 'The data need a file or location that is not empty')
  if (source === 'file' && path === undefined) return undefined
  return {
    type: source,
    ...(source === 'mosaic' && data.time !== undefined ? { time: fromWireTime(data.time) } : {}),
    ...(path === undefined ? {} : { path }),
    ...(charset === undefined ? {} : { charset }),
  }
}

export function fromWireImport(
  wanted: WantedImport | undefined,
  options: { isAsync: boolean; proposedId?: number; user?: string; source?: WantedSource },
): NewImport {
  const workspace = wanted?.targetWorkspace?.workspace?.name
  const store = storeName(wanted?.targetStore)
  const source = options.source ?? fromWireData(wanted?.data)
  return {
    ...options,
    transforms: (wanted?.transforms ?? []).map(fromWireTransform),
    isArchived: wanted?.archive ?? false,
    ...(wanted?.allowEmpty === true ? { allowEmpty: true } : {}),
    ...(workspace === undefined ? {} : { workspace }),
    ...(store === undefined ? {} : { store }),
    ...(source === undefined ? {} : { source }),
  }
}

function requireUpdateMode(text: string): UpdateMode {
  const mode = updateModes.find((one) => one === text.toUpperCase())
  if (mode !== undefined) return mode
  throw invalid('invalid-update-mode', `updateMode must be one of ${updateModes.join(', ')}, found "${text}"`)
}

/** The chain that a body asks for; undefined for none, and for the one that the task has. */
function fromWireChain(task: TaskRecord, wanted: WantedTask['transformChain']): TransformSpec[] | undefined {
  const specs = wanted?.transforms?.map(fromWireTransform)
  if (specs === undefined) return undefined
  const present = task.transforms.map(({ spec }) => {
    const shown = Object.entries(showTransform(spec))
    return Object.fromEntries(shown.filter(([, value]) => value != null))
  })
  return isDeepStrictEqual(specs, present) ? undefined : specs
}

/** The change that a task body asks for. */
export function fromWireTask(
  task: TaskRecord,
  body: WantedTask & { task?: WantedTask },
  dialect: Dialect,
): TaskChange {
  const wanted = body.task ?? body
  const { layer, target, transformChain, rejectLimit, repair, allowEmpty } = wanted
  const updateMode = wanted.updateMode === undefined ? undefined : requireUpdateMode(wanted.updateMode)
  const transforms = fromWireChain(task, transformChain)
  const charset = requireCharset(wanted.data?.charset ?? wanted.source?.charset)
  const { store, workspace } = fromWireTarget(target, dialect)
  const change = layer === undefined ? {} : fromWireLayer(task, layer)
  return {
    ...(updateMode === undefined || updateMode === task.updateMode ? {} : { updateMode }),
    ...(charset === undefined || charset === task.charset ? {} : { charset }),
    ...(rejectLimit === undefined ? {} : { rejectLimit: fromWireRejectLimit(rejectLimit) }),
    ...(repair === undefined || repair === (task.repair ?? false) ? {} : { repair }),
    ...(allowEmpty === undefined || allowEmpty === (task.allowEmpty ?? false) ? {} : { allowEmpty }),
    ...(Object.keys(change).length === 0 ? {} : { layer: change }),
    ...(store === undefined || store === task.target?.name ? {} : { store }),
    ...(workspace === undefined || workspace === task.target?.workspace ? {} : { workspace }),
    ...(transforms === undefined ? {} : { transforms }),
  }
}
