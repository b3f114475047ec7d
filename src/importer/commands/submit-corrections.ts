import { rm } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Catalog } from '../../catalog/index.ts'
import { invalid } from '../../core/errors/errors.ts'
import type { LayerDescription } from '../../formats/worker.ts'
import type { Schema } from '../../geo/schema.ts'
import type { SourceLimits } from '../../inputs/index.ts'
import type { InspectDeps } from '../inspect/inspect.ts'
import { describeAll, findInUpload } from '../inspect/inspect.ts'
import type { CorrectionFile, DescribedFile, TaskRecord } from '../model/model.ts'
import { now, rejectColumns, rulesOfCorrections, stopRuleNames } from '../model/model.ts'
import { getImport, getTask, makeUploadFolder, saveImport } from '../records/records.ts'
import type { MakeDeps, StartDeps } from '../run/run.ts'
import { refuseCorrection, startCorrection } from '../run/run.ts'
import type { ImportLocks, RunningTable } from '../runtime/runtime.ts'
import { refuseOtherLayer } from '../task-types/task-types.ts'

export interface SubmitCorrectionsDeps {
  making: MakeDeps
  inspecting: InspectDeps
  starting: StartDeps
  catalog: Catalog
  locks: ImportLocks
  running: RunningTable
}

interface TaskPlace {
  importId: number
  taskId: number
}

/**
 * Returns the upload folder for corrected rows of a task. Throws `Failure` if the task does not accept
 * corrected rows now.
 */
export async function openCorrectionUpload(
  { making, inspecting, locks, catalog }: SubmitCorrectionsDeps,
  { importId, taskId }: TaskPlace,
  check: (task: TaskRecord) => void,
): Promise<{ upload: number; folder: string }> {
  return locks.ofImport(importId, async () => {
    const { records } = making
    const db = records.database.kysely
    const record = await getImport(db, importId)
    const task = await getTask(db, importId, taskId)
    check(task)
    refuseCorrection(record, task)
    await refuseOtherLayer(catalog, { record, task })
    const upload = record.nextUpload
    await saveImport(db, { ...record, nextUpload: upload + 1 }, now(records))
    return { upload, folder: await makeUploadFolder(inspecting.folders, importId, upload) }
  })
}

interface Sent {
  upload: number
  folder: string
  charset?: string
  by: string
  /** Limits that are waived. */
  accepted?: readonly string[]
}

/**
 * Inspects the file written to the folder and starts loading its rows. Returns the id of the job to wait for.
 */
export async function submitCorrections(
  deps: SubmitCorrectionsDeps,
  { importId, taskId }: TaskPlace,
  sent: Sent,
  { check, signal: outer }: { check: (task: TaskRecord) => void; signal: AbortSignal },
): Promise<number> {
  const { making, running, locks, starting, catalog } = deps
  requireRules(sent.accepted ?? [])
  const { records } = making
  const db = records.database.kysely
  try {
    const task = await getTask(db, importId, taskId)
    const from = await running.duringRequest(importId, outer, (signal) =>
      lookAt(deps.making, deps.inspecting.limits, task, sent, signal),
    )
    await records.files.save(importId)
    return await locks.ofImport(importId, async () => {
      const [record, current] = [await getImport(db, importId), await getTask(db, importId, taskId)]
      check(current)
      refuseCorrection(record, current)
      await refuseOtherLayer(catalog, { record, task: current })
      const number = (current.mending?.number ?? 0) + 1
      const accepted = [...(sent.accepted ?? [])]
      const correcting = {
        number,
        state: 'RUNNING' as const,
        at: now(records),
        by: sent.by,
        from,
        stopIf: rulesOfCorrections(current, accepted),
        accepted: accepted.length === 0 ? undefined : accepted,
      }
      return startCorrection(starting, record, current, correcting)
    })
  } catch (error) {
    await rm(sent.folder, { recursive: true, force: true })
    throw error
  }
}

function requireRules(names: readonly string[]): void {
  const unknown = names.find((name) => !stopRuleNames.some((one) => one === name))
  if (unknown === undefined) return
  throw invalid('unknown-rule', `"${unknown}" is not a rule of stopIf: ${stopRuleNames.join(', ')}`)
}

async function lookAt(
  making: Pick<MakeDeps, 'pool' | 'limits'>,
  limits: SourceLimits,
  task: TaskRecord,
  { upload, folder, charset }: Sent,
  signal: AbortSignal,
): Promise<CorrectionFile> {
  const { files } = await findInUpload(limits, folder, folder, signal)
  const described = await describeAll(making, files, { signal, charset })
  const schema = task.source?.schema ?? { attributes: [], geometry: undefined }
  const { file, format, layer } = chooseLayer(described, schema)
  return { upload, file, format, layer, charset }
}

/** Returns the only layer of the upload that contains the numbers of rejected rows. */
function chooseLayer(
  described: DescribedFile[],
  schema: Schema,
): { file: DescribedFile['file']; format: string; layer: LayerDescription } {
  const layers = described.flatMap(({ file, format, layers }) =>
    format === undefined
      ? []
      : layers.flatMap((layer) => (layer.raster === undefined ? [{ file, format: format.name, layer }] : [])),
  )
  const requested = rejectColumns(schema).row.toLowerCase()
  const numbered = layers.filter(({ layer }) =>
    layer.schema.attributes.some(({ name }) => name.toLowerCase() === requested),
  )
  const [only, ...others] = numbered
  if (only !== undefined && others.length === 0) return only
  if (only !== undefined) {
    const names = numbered.map(({ layer }) => `"${layer.name}"`).join(', ')
    throw invalid(
      'several-layers',
      `The file has several layers with the column "${requested}": ${names}. Send only one`,
    )
  }
  if (layers.length > 0) {
    throw invalid(
      'no-row-numbers',
      `Corrected rows need the column "${requested}", as in the file of rejected rows`,
    )
  }
  throw invalid('unread-file', `No format can read the submitted rows${whyUnread(described)}`)
}

function whyUnread(described: DescribedFile[]): string {
  const [first] = described
  if (first === undefined) return ''
  const { file, error, isEmpty, looksLike } = first
  const why = error ?? (isEmpty === true ? 'it is empty' : looksLike)
  return `: "${basename(file.path)}"${why === undefined ? '' : `, ${why}`}`
}
