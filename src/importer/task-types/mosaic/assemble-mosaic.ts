import { basename } from 'node:path'
import { without } from '../../../core/values/defined.ts'
import type { FormatMessage, LayerDescription } from '../../../formats/worker.ts'
import type { GranuleRecord, MosaicTask, MosaicTime, TaskLayer, TaskRecord } from '../../model/model.ts'
import { proposeLayer } from '../../model/model.ts'
import type { CheckedGranules } from './check-granules.ts'
import { checkGranules } from './check-granules.ts'

const archiveExtension = /\.(?:zip|tar|t?gz|tar\.gz|tbz2?|(?:tar\.)?bz2|txz|(?:tar\.)?xz|7z)$/i
const namedInReason = 5
const maxMessages = 100

function faultMessages(granules: GranuleRecord[]): FormatMessage[] {
  return granules.flatMap(({ fileId, fault, timeMs, timeFault }): FormatMessage[] => {
    const faults: FormatMessage[] = []
    if (fault !== undefined) {
      faults.push({ level: 'error', code: fault.code, message: `"${fileId}" ${fault.reason}` })
    }
    if (timeFault !== undefined && timeMs === undefined) {
      faults.push({ level: 'warning', code: 'no-time', message: `"${fileId}" has no time: ${timeFault}` })
    }
    return faults
  })
}

function limited(messages: FormatMessage[]): FormatMessage[] {
  if (messages.length <= maxMessages) return messages
  const rest = messages.length - maxMessages
  const more: FormatMessage = {
    level: 'warning',
    code: 'more-messages',
    message: `${rest} more files have messages: see each file of the data`,
  }
  return [...messages.slice(0, maxMessages), more]
}

function faultReason(granules: GranuleRecord[]): string | undefined {
  const faulty = granules.filter(({ fault }) => fault !== undefined)
  if (faulty.length === 0) return undefined
  const named = faulty.slice(0, namedInReason).map(({ fileId, fault }) => `"${fileId}" ${fault?.reason}`)
  const rest = faulty.length - named.length
  const more = rest > 0 ? `; and ${rest} more` : ''
  return `${faulty.length} of ${granules.length} files cannot be granules of this mosaic: ${named.join('; ')}${more}. Delete them from the data, or correct them and run the task again`
}

function toSource(
  name: string,
  { granules, model, envelope }: CheckedGranules,
  messages: FormatMessage[],
): LayerDescription {
  return {
    name,
    schema: { attributes: [], geometry: undefined },
    featureCount: granules.length,
    messages,
    envelope,
    raster: model?.raster,
  }
}

function toMosaic(time: MosaicTime, granules: GranuleRecord[]): MosaicTask {
  const faulty = granules.filter(({ fault }) => fault !== undefined)
  const reason = faultReason(granules)
  return {
    time,
    granules: granules.length,
    faults: faulty.length,
    withoutExtent: faulty.filter(({ fault }) => fault?.code === 'no-extent').length,
    reason,
  }
}

/** Returns the most frequent format of readable files, for a mosaic without any valid granule. */
function formatOf({ granules, model }: CheckedGranules): { format?: string } {
  const format = model?.format ?? granules.find((granule) => granule.format !== undefined)?.format
  return format === undefined ? {} : { format }
}

/** Returns the layer with its CRS, which follows the granules until the client sets another. */
function layerOf({ layer, source: former }: TaskRecord, source: LayerDescription): TaskLayer {
  const proposed = proposeLayer(source)
  if (layer === undefined) return proposed
  const isFollowing = layer.srs === former?.raster?.crs?.srs
  if (!isFollowing || layer.srs === proposed.srs) return layer
  const kept = without(layer, 'srs', 'srsCandidates')
  const { srs, srsCandidates } = proposed
  return { ...kept, srs, srsCandidates }
}

/**
 * Returns the task as derived from its granules, and the granules with their errors. An existing layer is
 * preserved.
 */
export function assembleMosaic(
  task: TaskRecord,
  given: GranuleRecord[],
  mosaic: { name: string; time: MosaicTime },
): { task: TaskRecord; granules: GranuleRecord[] } {
  const checked = checkGranules(given)
  const { granules, model } = checked
  const messages = limited(faultMessages(granules))
  const { format: _format, source: _source, layer, ...rest } = task
  const settled: TaskRecord = {
    ...rest,
    kind: 'raster',
    ...formatOf(checked),
    mosaic: toMosaic(mosaic.time, granules),
    messages,
  }
  if (model === undefined) return { task: settled, granules }
  const source = toSource(mosaic.name, checked, messages)
  return { task: { ...settled, source, layer: layerOf(task, source) }, granules }
}

/** Default name of a mosaic: the name of its folder or archive. */
export function mosaicName(path: string | undefined): string {
  const name = path === undefined ? '' : basename(path).replace(archiveExtension, '')
  return name === '' ? 'mosaic' : name
}
