import { rm } from 'node:fs/promises'
import type { FormatMessage } from '../../../formats/worker.ts'
import type { TaskDryRun } from '../../model/model.ts'
import type { LoadPlan } from '../../worker/worker.ts'
import { basisOf } from './dry-run-basis.ts'
import type { Loader } from './loader.ts'
import type { RowStage } from './plan-rows.ts'
import { planTaskRows } from './plan-rows.ts'
import type { RowLoadDeps } from './row-load-deps.ts'
import { dryRunOf, knownCrs } from './stage-rows.ts'

/** Stages the rows of the task, determines what a commit would do, and retains the staged rows. */
export async function dryRunRows(
  deps: RowLoadDeps,
  stage: RowStage,
  at: string,
  signal: AbortSignal,
): Promise<TaskDryRun> {
  const { running, target } = stage
  const { task } = running
  const startedMs = performance.now()
  const basis = await basisOf(deps.catalog, running, target)
  const { plan, messages } = await planTaskRows(deps, stage, { isCopied: false, isWhole: true }, signal)
  const tried = triedPlan(deps.loader, plan, stage)
  await rm(tried.rejectsPath, { force: true })
  const formatMessages: FormatMessage[] = [...messages]
  const found = await deps.loader.performDryRun(tried, { task, startedMs, signal, messages: formatMessages })
  return dryRunOf(stage, found, { messages: formatMessages, basis, at })
}

function triedPlan(loader: Loader, plan: LoadPlan, stage: RowStage): LoadPlan {
  const { task } = stage.running
  const { keys, stopIf } = task
  return {
    ...plan,
    rejectsPath: loader.dryRunRejectsPath(task),
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
