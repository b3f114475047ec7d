import type { LayerDetails, LayerTimes } from '../../../catalog/index.ts'
import { Failure } from '../../../core/errors/errors.ts'
import type { Filter } from '../../../filters/filter.ts'
import { allOf, anyOf } from '../../../filters/filter.ts'
import { timeAttribute } from '../../../geo/schema.ts'
import { parseTime, type TimeSelection } from '../../../render/index.ts'
import type { TimeBounds } from '../../../stores/index.ts'
import type { FastifyReply } from '../../app-types.ts'
import type { KeyValues } from '../key-values.ts'
import { OwsFailure } from '../ows-failure.ts'
import type { WmsVersion } from './wms-request.ts'

/** Maximum number of times in one request. */
const maxTimes = 200
/** ISO 8601 duration after an interval: everything in the interval is shown. */
const period = /^P(?=\w)(?:\d+(?:\.\d+)?[YMWD])*(?:T(?:\d+(?:\.\d+)?[HMS])+)?$/

/**
 * Parses the requested times: instants, intervals and lists of them (OGC 06-042, annexes C and D). Undefined:
 * the newest of a mosaic, and all features. Throws `OwsFailure` (`InvalidDimensionValue`) if only mosaics
 * have times, and none of them has a requested one.
 */
export function readTimeDimension(
  values: KeyValues,
  layers: readonly Pick<LayerDetails, 'kind' | 'schema' | 'times'>[],
): TimeSelection[] | undefined {
  const text = values.find('time')?.trim()
  const timed = layers.flatMap(({ times }) => times ?? [])
  const [{ from, to } = { from: '', to: '' }] = timed
  const hasFeatures = layers.some(
    ({ kind, schema }) => kind === 'vector' && timeAttribute(schema) !== undefined,
  )
  if (timed.length === 0 && !hasFeatures) return undefined
  if (text === undefined || /^(?:current|default)?$/i.test(text)) return undefined
  const parts = text.split(',').map((part) => part.trim())
  if (parts.length > maxTimes) throw wrongTime(`TIME has ${parts.length} times; the maximum is ${maxTimes}`)
  const selections = parts.map((part) => readPart(part))
  if (hasFeatures || timed.some((times) => selections.some((selection) => hasTime(times, selection))))
    return selections
  throw wrongTime(`TIME matches no time of the layers, which have times from ${from} to ${to}`)
}

/** Sets the header with the default times (OGC 06-042, annex C.4.2): the newest of each mosaic. */
export function writeDefaultTimes(
  reply: FastifyReply,
  values: KeyValues,
  layers: readonly Pick<LayerDetails, 'times'>[],
): void {
  if (!/^(?:default)?$/i.test(values.find('time')?.trim() ?? '')) return
  const newest = new Set(layers.flatMap(({ times }) => (times === undefined ? [] : [times.to])))
  if (newest.size > 0)
    reply.header(
      'warning',
      [...newest].map((time) => `99 Default value used: time=${time} ISO8601`).join(', '),
    )
}

function readPart(text: string): TimeSelection {
  const [from = '', to, step, ...others] = text.split('/')
  if (others.length > 0 || (step !== undefined && step !== '0' && !period.test(step)))
    throw wrongTime(`TIME "${text.slice(0, 100)}" is neither an instant nor an interval of ISO 8601`)
  try {
    // Nothing is newer than now.
    const selection = parseTime(to === undefined ? from : `${from}/${/^current$/i.test(to) ? '..' : to}`)
    if (selection !== undefined) return selection
  } catch (error) {
    if (!(error instanceof Failure)) throw error
  }
  throw wrongTime(
    `TIME "${text.slice(0, 100)}" is neither an instant of ISO 8601 nor an interval such as 2020-01-01/2020-12-31`,
  )
}

function wrongTime(text: string): OwsFailure {
  return new OwsFailure('InvalidDimensionValue', text, 'time')
}

function hasTime({ from, to, values }: LayerTimes, { fromMs, toMs }: TimeSelection): boolean {
  if (values.length === 0) return fromMs <= Date.parse(to) && toMs >= Date.parse(from)
  return values.some((value) => Date.parse(value) >= fromMs && Date.parse(value) <= toMs)
}

/** Returns a filter for features whose date or time is in one of `times`, if they have such an attribute. */
export function timesFilter(
  { kind, schema }: Pick<LayerDetails, 'kind' | 'schema'>,
  times: readonly TimeSelection[],
): Filter | undefined {
  const name = kind === 'vector' ? timeAttribute(schema)?.name : undefined
  if (name === undefined) return undefined
  return anyOf(times.map((selection) => within(name, selection)))
}

/** A date is its whole day, of which any part may lie there. */
function within(attribute: string, { fromMs, toMs }: TimeSelection): Filter {
  const parts: Filter[] = [{ kind: 'not', of: { kind: 'empty', attribute } }]
  if (Number.isFinite(fromMs)) {
    const right = { micros: BigInt(fromMs) * 1000n }
    parts.push({ kind: 'moments', op: '>=', left: { attribute, edge: 'end' }, right })
  }
  if (Number.isFinite(toMs)) {
    const right = { micros: BigInt(toMs) * 1000n + 999n }
    parts.push({ kind: 'moments', op: '<=', left: { attribute, edge: 'begin' }, right })
  }
  return allOf(parts)
}

/** The time of a layer in capabilities; nothing where it has none. */
export function dimensionXml(times: LayerTimes | undefined, version: WmsVersion): string {
  if (times === undefined) return ''
  const { from, to, values } = times
  const extent = values.length > 0 ? values.join(',') : `${from}/${to}/PT1S`
  return dimension(extent, to, version)
}

/** Writes the times of a feature layer, whose default is all features. */
export function featureDimensionXml({ from, to }: TimeBounds, version: WmsVersion): string {
  return dimension(`${from}/${to}/${from.includes('T') ? 'PT1S' : 'P1D'}`, `${from}/${to}`, version)
}

function dimension(extent: string, usual: string, version: WmsVersion): string {
  const marks = `name="time" default="${usual}" multipleValues="1" nearestValue="0" current="1"`
  if (version === '1.3.0') return `<Dimension units="ISO8601" ${marks}>${extent}</Dimension>`
  return `<Dimension name="time" units="ISO8601"/><Extent ${marks}>${extent}</Extent>`
}
