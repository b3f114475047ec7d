import type { FormatMessage } from '../../formats/worker.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import { findCrs, matchCrs } from '../../geo/crs-database.ts'
import { isSameCrs } from '../../geo/crs-same.ts'
import { findUncodedCrs } from '../../geo/crs-uncoded.ts'
import type { TaskRecord } from './task-record.ts'

const messageCode = 'crs-without-code'

/** Returns the CRS declared in the data of a task, independent of its layer. */
export function crsOfSource({ source }: Pick<TaskRecord, 'source'>): CrsDeclaration | undefined {
  return source?.raster?.crs ?? source?.schema.geometry?.crs
}

/**
 * Returns the messages of a task after an examination, plus one about a declared CRS that the task cannot
 * use.
 */
export function withDeclaredCrs(task: TaskRecord, messages: FormatMessage[]): FormatMessage[] {
  const others = messages.filter(({ code }) => code !== messageCode)
  const text = textOf(task)
  return text === undefined ? others : [...others, { level: 'warning', code: messageCode, message: text }]
}

function textOf(task: TaskRecord): string | undefined {
  const crs = crsOfSource(task)
  const given = task.layer?.srs
  if (crs === undefined) return undefined
  const uncoded = findUncodedCrs(crs)
  if (uncoded === undefined) return task.state === 'NO_CRS' ? unknownCode(crs) : undefined
  const name = uncoded.name === '' ? 'a CRS' : `the CRS "${uncoded.name}"`
  if (given !== undefined && !isSameCrs(crs, given))
    return `The data declare ${name}, which has no code. The task sets their CRS to ${given}`
  if (task.state !== 'NO_CRS') return undefined
  const how =
    task.source?.raster !== undefined
      ? 'Add a RasterWarpTransform with "-t_srs EPSG:n" to warp them into another CRS'
      : 'Add a ReprojectTransform with "source": "declared" and "target": "EPSG:n" to load them in another CRS'
  return `The data declare ${name}, which has no code. ${how}, or set the srs of the layer to a code that means the same`
}

function unknownCode({ srs }: CrsDeclaration): string | undefined {
  if (srs === undefined || findCrs(srs) !== undefined || matchCrs({ srs }) !== undefined) return undefined
  return `The data name the unknown CRS "${srs.slice(0, 100)}" without a definition. Set the srs of the layer`
}
