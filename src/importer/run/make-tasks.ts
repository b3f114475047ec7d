import type { LayerDescription, Message } from '../../formats/format.ts'
import { chainSchema } from '../../transforms/chain.ts'
import { rasterSteps } from '../../transforms/raster-chain.ts'
import type { TransformSpec } from '../../transforms/transform.ts'
import type { MosaicPlan } from '../kinds/mosaic/look-at-mosaic.ts'
import { planMosaic } from '../kinds/mosaic/look-at-mosaic.ts'
import { reexamine } from '../kinds/reexamine.ts'
import { describeAll } from '../look/describe-all.ts'
import type { PlanContext } from '../look/plan-tasks.ts'
import { planTasks } from '../look/plan-tasks.ts'
import type { FoundData } from '../look/unpack-data.ts'
import type { GranuleRecord, ImportRecord, TaskRecord } from '../model/model.ts'
import { now } from '../model/model.ts'
import type { ImporterParts } from '../parts.ts'
import { withOwnStyle } from '../publish/own-style.ts'

export interface LookOptions {
  isUploaded: boolean
  charset?: string
  signal: AbortSignal
}

/** Whether a chain of transformations fits a layer. */
export function suits({ raster, schema }: LayerDescription, specs: TransformSpec[]): boolean {
  try {
    if (raster === undefined) chainSchema(schema, specs)
    else rasterSteps(specs)
    return true
  } catch {
    return false
  }
}

export interface LookedAt {
  tasks: TaskRecord[]
  messages: Message[]
  /** Of mosaics among the tasks; to be saved with them. */
  granules?: GranuleRecord[]
  /** A task that was there and took the data. */
  grown?: TaskRecord
}

/** Turns found files into examined tasks, not yet saved; ids go on from the import's next. */
export async function lookAtData(
  parts: ImporterParts,
  record: ImportRecord,
  found: FoundData,
  options: LookOptions,
): Promise<LookedAt> {
  const { files, archives = [] } = found
  const described =
    files.length > 0
      ? await describeAll(parts, files, options)
      : archives.map((file) => ({ file, layers: [] }))
  const { charset } = options
  const context: PlanContext = {
    importId: record.id,
    nextTaskId: record.nextTaskId,
    folder: found.folder,
    isUploaded: options.isUploaded,
    transforms: record.transforms,
    suits,
    maxTasks: parts.limits.maxTasks,
    at: now(parts),
    ...(charset === undefined ? {} : { charset }),
    ...(record.allowEmpty === true ? { allowEmpty: true } : {}),
    ...(found.unpacked === undefined ? {} : { unpacked: found.unpacked }),
  }
  const plan: MosaicPlan =
    record.source?.type === 'mosaic'
      ? await planMosaic(parts, record, described, context, options.signal)
      : { ...planTasks(described, context), granules: [] }
  const tasks: TaskRecord[] = []
  for (const task of plan.tasks) tasks.push(await reexamine(parts, record, await withOwnStyle(task)))
  return {
    tasks,
    messages: [...found.messages, ...plan.messages],
    granules: plan.granules,
    ...(plan.grown === undefined ? {} : { grown: await reexamine(parts, record, plan.grown) }),
  }
}
