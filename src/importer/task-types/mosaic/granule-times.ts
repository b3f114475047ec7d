import { basename } from 'node:path'
import { explain, invalid } from '../../../core/errors/errors.ts'
import { systemClock } from '../../../core/time/clock.ts'
import { TimeReader } from '../../../core/values/time-reader.ts'
import { textDateTime } from '../../../core/values/time-rules.ts'
import { findDateInName, type NamedTime } from '../../../inputs/index.ts'
import { compileDateFormat, type DateFormat, DatePatternError } from '../../../transforms/index.ts'
import type { MosaicTime } from '../../model/model.ts'
import { timeModes } from '../../model/model.ts'
import { checkPattern, matchNames } from './match-names.ts'

function compileFormat(format: string): DateFormat {
  try {
    return compileDateFormat(format, systemClock.now())
  } catch (error) {
    if (!(error instanceof DatePatternError)) throw error
    throw invalid('invalid-time-format', `time.timeFormat "${format.slice(0, 200)}": ${explain(error)}`)
  }
}

/** Returns the requested mosaic times. Throws `Failure` (`invalid`) if they are not possible. */
export function requireMosaicTime(requested: {
  mode?: string
  pattern?: string
  format?: string
}): MosaicTime {
  const mode = timeModes.find((one) => one === requested.mode?.trim().toLowerCase())
  if (mode === undefined) {
    throw invalid(
      'invalid-time-mode',
      `time.mode must be one of ${timeModes.join(', ')}, found "${requested.mode ?? ''}"`,
    )
  }
  const { pattern, format } = requested
  if (mode !== 'filename') return { mode }
  if (pattern === undefined || pattern === '') {
    throw invalid('invalid-pattern', 'time.mode "filename" needs time.filenameRegex')
  }
  checkPattern(pattern)
  if (format === undefined || format === '') return { mode, pattern }
  compileFormat(format)
  return { mode, pattern, format }
}

/** Parses ISO 8601 text to milliseconds since 1970, UTC without a zone; undefined for other text. */
export function parseIsoTime(text: string): number | undefined {
  const iso = new TimeReader(textDateTime)
  return iso.parseText(text) ? iso.milliseconds : undefined
}

function parseBy(format: DateFormat, text: string): number | undefined {
  const bytes = Buffer.from(text)
  const ms = format.parse(bytes, 0, bytes.length)
  return Number.isNaN(ms) ? undefined : ms
}

async function byPattern(names: string[], time: MosaicTime, signal: AbortSignal): Promise<NamedTime[]> {
  const { pattern = '', format } = time
  const compiled = format === undefined ? undefined : compileFormat(format)
  const texts = await matchNames(pattern, names, signal)
  return texts.map((text) => {
    if (text === undefined) return { fault: `its name does not match the pattern ${pattern}` }
    const timeMs = compiled === undefined ? parseIsoTime(text) : parseBy(compiled, text)
    if (timeMs !== undefined) return { timeMs }
    return { fault: `"${text.slice(0, 100)}" in its name is not a time of the form ${format ?? 'ISO 8601'}` }
  })
}

/** Returns the time of each file according to its name; undefined if the mode derives none. */
export async function findTimes(
  paths: string[],
  time: MosaicTime,
  signal: AbortSignal,
): Promise<(NamedTime | undefined)[]> {
  const names = paths.map((path) => basename(path))
  if (time.mode === 'auto') return names.map(findDateInName)
  if (time.mode === 'filename' && names.length > 0) return byPattern(names, time, signal)
  return names.map(() => undefined)
}
