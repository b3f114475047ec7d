import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { conflict, explain, invalid } from '../../core/errors/errors.ts'
import { hasValues } from '../../core/values/defined.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import { findCrs, parseSrs } from '../../geo/crs-database.ts'
import type { GeometryField, Schema } from '../../geo/schema.ts'
import { chainSchema } from '../../transforms/chain.ts'
import { TransformError } from '../../transforms/index.ts'
import type { TaskRecord } from '../model/model.ts'
import { chainOptions, chosenSchema } from '../model/model.ts'
import type { Running, TaskRows, TaskTypes } from '../task-types/task-types.ts'
import type { RowsPlan } from '../worker/open-rows.ts'

/** Rows that a preview of a task reads, and their schema. */
export interface PreviewPlan {
  plan: RowsPlan
  geometry: GeometryField | undefined
  /** CRS of the coordinates; undefined if not known. */
  crs: CrsDeclaration | string | undefined
  /** Equal for the same rows of the same source. */
  key: string
}

/** Used in keys instead of a code: the CRS that the data declare. */
const declaredSrs = 'declared'

/**
 * Plans a preview of the rows that the task would load, according to its present record and files. `srs` is
 * the CRS to assume for the data.
 */
export async function planPreview(
  kinds: Pick<TaskTypes, 'of'>,
  running: Running,
  srs: string | undefined,
): Promise<PreviewPlan> {
  const { task } = running
  requireRows(task)
  const rows = await kinds.of(task).rows(running)
  const given = srs === undefined ? task.layer?.srs : srs === declaredSrs ? undefined : requireSrs(srs)
  // If no transformation needs the CRS, the rows are the same for every assumed CRS, so candidates share
  // them.
  const isNeeded = given !== undefined && needsCrs(rows)
  const { schema: _schema, ...reads } = rows
  const plan: RowsPlan = { ...reads, srs: isNeeded ? given : undefined }
  const { geometry } = schemaOf(rows, given)
  const crs = geometry?.crs?.srs ?? geometry?.crs
  return {
    plan,
    geometry,
    crs: crs === undefined || isEmpty(crs) ? undefined : crs,
    key: await keyOf(plan, task),
  }
}

function isEmpty(crs: CrsDeclaration | string): boolean {
  return typeof crs !== 'string' && !hasValues(crs)
}

function requireRows({ id, state, source }: TaskRecord): void {
  if (state === 'RUNNING' || state === 'COMPLETE')
    throw conflict(
      'nothing-to-look-at',
      `Task ${id} is ${state}: rows can be previewed only before they are loaded`,
    )
  if (source === undefined)
    throw conflict('nothing-to-look-at', `Task ${id} is ${state} and has no readable data`)
}

function requireSrs(text: string): string {
  const srs = parseSrs(text)
  if (srs !== undefined && findCrs(srs) !== undefined) return srs
  throw invalid('unknown-srs', `"${text}" is not a known CRS: give authority and code, such as EPSG:25832`)
}

function schemaOf({ schema, attributes, transforms }: TaskRows, srs: string | undefined): Schema {
  const chosen = chosenSchema(schema, { attributes, srs })
  try {
    return chainSchema(chosen, transforms, chainOptions(schema, srs))
  } catch (error) {
    if (!(error instanceof TransformError)) throw error
    if (error.code === 'no-crs')
      throw conflict('no-crs', `${explain(error)}: set the parameter srs to preview the position of the data`)
    throw conflict('nothing-to-look-at', explain(error))
  }
}

/** True if the transformations require a CRS. */
function needsCrs({ schema, attributes, transforms }: TaskRows): boolean {
  try {
    chainSchema(chosenSchema(schema, { attributes }), transforms, chainOptions(schema, undefined))
    return false
  } catch {
    return true
  }
}

async function keyOf(plan: RowsPlan, task: TaskRecord): Promise<string> {
  const facts: unknown[] = [plan]
  for (const { path, sidecars } of task.files) {
    for (const one of [path, ...Object.values(sidecars)]) {
      const status = await stat(one).catch(() => undefined)
      facts.push(one, status && [status.size, status.mtimeMs, status.ino])
    }
  }
  const text = JSON.stringify(facts, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  return createHash('sha256').update(text).digest('hex')
}
