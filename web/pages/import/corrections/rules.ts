import { nameOf } from '../batch/views.ts'
import { type StopIf, storeOf, type Task, taskPath } from '../types.ts'
import { type NameRule, newName, noNameRule } from './new-names.ts'
import { pointsIn } from './problems.ts'
import type { Change } from './sent-changes.ts'

/** Choices for many layers at once; empty ones change nothing. */
export interface Rules {
  workspace: string
  store: string
  mode: string
  crs: string
  style: string
  names: NameRule
  rejected: string
  removed: string
  changed: string
  fewer: string
}

export const noRules: Rules = {
  workspace: '',
  store: '',
  mode: '',
  crs: '',
  style: '',
  names: noNameRule,
  rejected: '',
  removed: '',
  changed: '',
  fewer: '',
}

/** True if the task can still be changed. */
export function isOpen({ state }: Task): boolean {
  return state !== 'COMPLETE' && state !== 'RUNNING' && state !== 'NO_FORMAT'
}

/**
 * Returns the requests for rules; a change of the workspace moves all layers of an import and comes first.
 */
export function changesByRules(importId: number, tasks: readonly Task[], rules: Rules): Change[] {
  const bodies = tasks.map((task) => ({ task, body: bodyOf(task, rules) }))
  const changes = bodies
    .filter(({ body }) => hasValues(body))
    .map(({ task, body }) => changeOf(importId, task, body))
  const [first] = tasks
  if (rules.workspace === '' || first === undefined || storeOf(first)?.workspace === rules.workspace)
    return changes
  return [changeOf(importId, first, { target: targetOf(first, rules.workspace, 'default') }), ...changes]
}

function changeOf(importId: number, task: Task, body: object): Change {
  const path = taskPath(String(importId), task.id)
  return { name: nameOf(task), call: { method: 'PUT', path, body: { task: body } } }
}

function targetOf(task: Task, workspace: string | undefined, store: string): object {
  return {
    [storeOf(task)?.kind ?? 'dataStore']: {
      name: store,
      workspace: workspace === undefined ? undefined : { name: workspace },
    },
  }
}

function bodyOf(task: Task, rules: Rules): object {
  const layer = layerOf(task, rules)
  const stopIf = stopIfOf(task, rules)
  const rejected = rules.rejected.trim()
  const isForTables = storeOf(task)?.kind === 'dataStore'
  return {
    layer: hasValues(layer) ? layer : undefined,
    target: rules.store !== '' && isForTables ? targetOf(task, undefined, rules.store) : undefined,
    updateMode: rules.mode !== '' && rules.mode !== task.updateMode ? rules.mode : undefined,
    rejectLimit: rejected !== '' && rejected !== String(task.rejectLimit) ? rejected : undefined,
    stopIf,
  }
}

function layerOf(task: Task, { names, crs, style }: Rules): object {
  if (task.layer === undefined) return {}
  const name = newName(task.layer.name, names)
  const lacksCrs = task.state === 'NO_CRS' && pointsIn(task) === undefined
  return {
    name: name !== '' && name !== task.layer.name ? name : undefined,
    srs: crs.trim() !== '' && lacksCrs ? crs.trim() : undefined,
    style: style !== '' ? { name: style } : undefined,
  }
}

function stopIfOf({ stopIf = {} }: Task, { removed, changed, fewer }: Rules): StopIf | undefined {
  const given = {
    ...(numberIn(removed) !== undefined && { removed: { percent: numberIn(removed) } }),
    ...(numberIn(changed) !== undefined && { changed: { percent: numberIn(changed) } }),
    ...(numberIn(fewer) !== undefined && { fewer: numberIn(fewer) }),
  }
  if (!hasValues(given)) return undefined
  return { ...stopIf, ...given } as StopIf
}

function hasValues(values: object): boolean {
  return Object.values(values).some((value) => value !== undefined)
}

function numberIn(text: string): number | undefined {
  const value = Number(text)
  return text.trim() === '' || !Number.isFinite(value) ? undefined : value
}
