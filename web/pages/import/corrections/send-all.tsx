import { CopyAsCurl } from '../../../components/copy-as-curl.tsx'
import { Icon } from '../../../components/icon.tsx'
import { nameOf } from '../batch/views.ts'
import { type Task, taskPath } from '../types.ts'
import type { Problem } from './problems.ts'
import type { Change } from './sent-changes.ts'

/** Functions for correcting problems of an import. */
export interface CorrectionContext {
  importId: number
  /** Changes are on their way, or layers are loaded: nothing else can be changed. */
  isBusy: boolean
  send(changes: readonly Change[]): void
  run(): void
}

export interface ProblemProps extends CorrectionContext {
  problem: Problem
}

/** Returns one change per task, with the body from `bodyOf`. */
export function changesOf(
  importId: number,
  tasks: readonly Task[],
  bodyOf: (task: Task) => object,
): Change[] {
  return tasks.map((task) => ({
    name: nameOf(task),
    call: { method: 'PUT', path: taskPath(String(importId), task.id), body: { task: bodyOf(task) } },
  }))
}

interface SendAllProps extends Pick<CorrectionContext, 'isBusy' | 'send'> {
  label: string
  changes: readonly Change[]
  isGrave?: boolean
}

/** The button that changes all, and the same as lines for a script. */
export function SendAll({ label, changes, isBusy, isGrave = false, send }: SendAllProps) {
  return (
    <p class="row wrap">
      <button
        type="button"
        class={`btn ${isGrave ? 'danger' : 'main'}`}
        disabled={isBusy || changes.length === 0}
        onClick={() => send(changes)}
      >
        <Icon name="check" />
        {label}
      </button>
      <CopyAsCurl call={() => changes.map((one) => one.call)} />
    </p>
  )
}
