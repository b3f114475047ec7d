import { findCrs } from '../../../geo/crs-database.ts'
import { isSameCrs } from '../../../geo/crs-same.ts'
import { labelOfCrs } from '../../../geo/crs-uncoded.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import type { DryRun, ImportRecord, TaskRecord } from '../../../importer/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { importPath } from './parameters.ts'

/** Path of the result of one task. */
const dryRunTaskPath = (importId: number, taskId: number): string =>
  `${importPath(importId)}/dry-run/tasks/${taskId}`

function toBoundsResponse({ minX, minY, maxX, maxY }: Envelope): number[] {
  return [minX, minY, maxX, maxY]
}

/** Describes the origin of the CRS. */
function evidenceOf({ source, layer }: TaskRecord, { crs }: DryRun): string {
  const declared = source?.raster?.crs ?? source?.schema.geometry?.crs
  const given = layer?.srs
  const name = given === undefined ? undefined : findCrs(given)?.name
  const what = name === undefined || given === undefined ? (given ?? 'no CRS') : `${given} (${name})`
  const from =
    declared === undefined
      ? `The data declare none; the task says ${what}`
      : given === undefined
        ? `The data declare ${labelOfCrs(declared)}`
        : declared.srs === given
          ? `The data declare ${what}`
          : isSameCrs(declared, given)
            ? `The data declare a CRS without a code, which matches ${what}`
            : `The data declare ${labelOfCrs(declared)}, the task says ${what}`
  return crs?.srs === undefined || crs.srs === given ? from : `${from}; the rows are loaded in ${crs.srs}`
}

function toCrsResponse(task: TaskRecord, found: DryRun) {
  const srs = found.crs?.srs ?? task.layer?.srs
  if (found.crs === undefined && task.source?.schema.geometry === undefined && task.kind !== 'raster')
    return {}
  return { crs: { srs: srs ?? null, evidence: evidenceOf(task, found) } }
}

function toDryRunTaskResponse(request: FastifyRequest, task: TaskRecord): object[] {
  const { importId, id, trial: dryRun } = task
  if (dryRun?.found === undefined) return []
  const { found, mode, target } = dryRun
  const { rows, changes, columns, geometry, bounds, rejects, stopped, notTried, messages, listed } = found
  const link = (below: string) => request.link(`${dryRunTaskPath(importId, id)}/${below}`)
  const hasMap = found.crs !== undefined
  return [
    {
      task: id,
      mode,
      target,
      rows,
      changes,
      columns,
      geometry,
      ...toCrsResponse(task, found),
      bounds: bounds === undefined ? undefined : toBoundsResponse(bounds),
      rejects,
      stopped,
      notTried,
      changesHref: listed === undefined ? undefined : link('changes'),
      tilesHref: listed === undefined || !hasMap ? undefined : link('{z}/{x}/{y}.mvt'),
      messages,
    },
  ]
}

/** Returns the current result of a dry run. */
export function toDryRunResponse(
  request: FastifyRequest,
  { dryRun }: Required<Pick<ImportRecord, 'dryRun'>>,
  tasks: TaskRecord[],
): object {
  const { state, expires } = dryRun
  return { dryRun: { state, expires, tasks: tasks.flatMap((task) => toDryRunTaskResponse(request, task)) } }
}
