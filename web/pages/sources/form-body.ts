import { readSchedule } from './schedule-shape.ts'
import type { Draft, SourceData } from './types.ts'

type StopIf = NonNullable<Draft['stopIf']>

/** Limits that have a field of their own. */
const shownLimits: readonly string[] = ['removed', 'changed', 'fewer']

/** Returns the names of limits that have no field in the form. */
export function otherLimits(stopIf: Draft['stopIf']): string[] {
  return Object.keys(stopIf ?? {}).filter((name) => !shownLimits.includes(name))
}

/** Returns the settings in the fields of the form; settings without a field are those of `before`. */
export function formBody(form: FormData, before: Draft): Record<string, unknown> {
  const field = (name: string): string => String(form.get(name) ?? '').trim()
  const updateMode = field('updateMode')
  const srs = field('srs')
  const owner = field('owner')
  return {
    data: dataOf(form, before.data),
    transforms: before.transforms,
    target: {
      ...before.target,
      workspace: field('workspace') || undefined,
      layer: field('targetLayer') || undefined,
    },
    srs: srs === '' ? null : srs,
    updateMode,
    keys: updateMode === 'UPSERT' ? listOf(field('keys'), /,/) : [],
    deleteMissing: updateMode === 'UPSERT' && form.has('deleteMissing'),
    stopIf: limitsOf(field, before.stopIf ?? {}),
    schedule: readSchedule(field),
    overdueSeconds: Math.round(Number(field('overdueMinutes')) * 60),
    retry: { times: Number(field('retries')) },
    receivers: listOf(field('receivers'), /\n/),
    ...(owner !== '' && { owner }),
  }
}

function listOf(text: string, separator: RegExp): string[] {
  return text
    .split(separator)
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

/** Returns the data; members without a field stay while the type is the same. */
function dataOf(form: FormData, before: SourceData): SourceData {
  const field = (name: string): string => String(form.get(name) ?? '').trim()
  const type = field('type')
  const { password: _hidden, ...rest }: SourceData = before.type === type ? before : { type }
  const password = String(form.get('password') ?? '') || undefined
  if (type === 'database') {
    const { passwd: _passwd, ...parameters } = (rest['parameters'] ?? {}) as Record<string, unknown>
    return { ...rest, type, parameters: { ...parameters, passwd: password } }
  }
  const location = field('location')
  if (type !== 'remote' && type !== 'service') return { ...rest, type, location }
  const username = field('username') || undefined
  const data = { ...rest, type, location, username, password }
  if (type === 'remote') return data
  const incremental = form.has('incremental') ? (rest['incremental'] ?? {}) : undefined
  return {
    ...data,
    kind: field('kind'),
    layer: field('layer'),
    where: field('where') || undefined,
    incremental,
  }
}

function limitsOf(field: (name: string) => string, before: StopIf): StopIf | null {
  const { removed, changed, fewer: _fewer, ...others } = before
  const limits = Object.entries({
    ...others,
    removed: percentOf(field('removedPercent'), removed),
    changed: percentOf(field('changedPercent'), changed),
    fewer: numberOf(field('fewer')),
  }).filter(([, value]) => value !== undefined)
  return limits.length === 0 ? null : Object.fromEntries(limits)
}

function percentOf(
  text: string,
  before: { percent?: number; rows?: number } | undefined,
): { percent?: number; rows?: number } | undefined {
  const percent = numberOf(text)
  const rows = before?.rows
  if (percent === undefined && rows === undefined) return undefined
  return { ...(percent !== undefined && { percent }), ...(rows !== undefined && { rows }) }
}

function numberOf(text: string): number | undefined {
  return text === '' ? undefined : Number(text)
}
