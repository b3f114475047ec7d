import { rm } from 'node:fs/promises'
import type { Message } from '../../../formats/format.ts'
import { defined } from '../../../lib/defined.ts'
import type { TaskTrial } from '../../model/model.ts'
import type { LoadPlan } from '../../worker/worker.ts'
import type { RowStage } from './plan-rows.ts'
import { planRows } from './plan-rows.ts'
import type { RowNeeds } from './row-needs.ts'
import { knownCrs, trialOf } from './stage-rows.ts'
import { basisOf } from './trial-basis.ts'

/** Stages the rows of the task, determines what a commit would do, and retains the staged rows. */
export async function rehearseRows(
  needs: RowNeeds,
  stage: RowStage,
  at: string,
  signal: AbortSignal,
): Promise<TaskTrial> {
  const { running, target } = stage
  const { task } = running
  const startedMs = performance.now()
  const basis = await basisOf(needs.catalog, running, target)
  const { plan, messages } = await planRows(needs, stage, { isCopied: false, isWhole: true }, signal)
  const tried = triedPlan(needs, plan, stage)
  await rm(tried.rejectsPath, { force: true })
  const told: Message[] = [...messages]
  const found = await needs.loader.rehearse(tried, { task, startedMs, signal, messages: told })
  return trialOf(stage, found, { messages: told, basis, at })
}

function triedPlan({ loader }: RowNeeds, plan: LoadPlan, stage: RowStage): LoadPlan {
  const { task } = stage.running
  const { keys, stopIf } = task
  return {
    ...plan,
    rejectsPath: loader.trialRejectsPath(task),
    trial: {
      isRehearsal: true,
      accepted: [],
      crs: knownCrs(stage),
      changesPath: loader.changesPath(task, 'trial'),
      ...defined({ keys, stopIf }),
    },
  }
}
