import { rm } from 'node:fs/promises'
import type { FormatMessage } from '../../../formats/format.ts'
import type { TaskTrial } from '../../model/model.ts'
import type { LoadPlan } from '../../worker/worker.ts'
import type { Loader } from './loader.ts'
import type { RowStage } from './plan-rows.ts'
import { planTaskRows } from './plan-rows.ts'
import type { RowLoadDeps } from './row-load-deps.ts'
import { knownCrs, trialOf } from './stage-rows.ts'
import { basisOf } from './trial-basis.ts'

/** Stages the rows of the task, determines what a commit would do, and retains the staged rows. */
export async function dryRunRows(
  deps: RowLoadDeps,
  stage: RowStage,
  at: string,
  signal: AbortSignal,
): Promise<TaskTrial> {
  const { running, target } = stage
  const { task } = running
  const startedMs = performance.now()
  const basis = await basisOf(deps.catalog, running, target)
  const { plan, messages } = await planTaskRows(deps, stage, { isCopied: false, isWhole: true }, signal)
  const tried = triedPlan(deps.loader, plan, stage)
  await rm(tried.rejectsPath, { force: true })
  const told: FormatMessage[] = [...messages]
  const found = await deps.loader.performDryRun(tried, { task, startedMs, signal, messages: told })
  return trialOf(stage, found, { messages: told, basis, at })
}

function triedPlan(loader: Loader, plan: LoadPlan, stage: RowStage): LoadPlan {
  const { task } = stage.running
  const { keys, stopIf } = task
  return {
    ...plan,
    rejectsPath: loader.trialRejectsPath(task),
    trial: {
      isDryRun: true,
      accepted: [],
      crs: knownCrs(stage),
      changesPath: loader.changesPath(task, 'trial'),
      keys,
      stopIf,
    },
  }
}
