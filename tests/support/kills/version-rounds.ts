import type { ProtocolStep } from '../../../src/core/process/protocol-steps.ts'
import type { Mode } from './point-rows.ts'

/** Operation on a layer during which the server is killed. */
export type Deed =
  | { kind: 'load'; mode: Mode; deleteMissing: boolean }
  | { kind: 'restore'; what: readonly ('data' | 'style')[] }
  | { kind: 'style' | 'edit' | 'remove' | 'prune' }

/**
 * Operation, the step at which the server is killed, and the step at which the next server is killed as it
 * starts.
 */
export interface Round {
  deed: Deed
  step: ProtocolStep
  again?: ProtocolStep
}

const loadSteps = [
  'load.aimed',
  'load.staged',
  'commit.prepared',
  'load.noted',
  'load.announced',
  'commit.recorded',
  'commit.done',
  'load.committed',
  'load.published',
] as ProtocolStep[]
const restoreSteps = [
  'restore.asked',
  'restore.kept',
  'commit.prepared',
  'restore.noted',
  'restore.announced',
  'commit.recorded',
  'commit.done',
  'restore.committed',
  'restore.published',
  'restore.returned',
] as ProtocolStep[]

const editSteps: readonly ProtocolStep[] = ['edit.noted', 'edit.committed', 'edit.published']

const load = (mode: Mode, deleteMissing = false): Deed => ({ kind: 'load', mode, deleteMissing })
const restore = (...what: ('data' | 'style')[]): Deed => ({ kind: 'restore', what })

/** Step at which a start handles what the kill at a given step left behind. */
const settlings: Partial<Record<ProtocolStep, ProtocolStep>> = {
  'load.aimed': 'settle.swept',
  'load.announced': 'settle.given-up',
  'load.committed': 'settle.published',
  'commit.done': 'settle.published',
  'restore.announced': 'settle.given-up',
  'restore.noted': 'settle.swept',
  'delete.noted': 'delete.finished',
  'prune.told': 'sweep.found',
  'commit.prepared': 'settle.swept',
  'load.touched': 'settle.given-up',
  'restore.touched': 'settle.swept',
}

function roundsOf(deed: Deed, steps: readonly ProtocolStep[]): Round[] {
  return steps.map((step) => ({ deed, step }))
}

/**
 * Returns every operation with each of its steps; `locks` is true for a store that takes locks just before
 * its commit.
 */
export function allRounds({ locks, canRemove }: { locks: boolean; canRemove: boolean }): Round[] {
  const more: ProtocolStep[] = locks ? ['commit.locked', 'load.touched'] : []
  const moreRestored: ProtocolStep[] = locks ? ['commit.locked', 'restore.touched'] : []
  const moreEdited: ProtocolStep[] = locks ? ['commit.locked', 'edit.touched'] : []
  const deeds: [Deed, readonly ProtocolStep[]][] = [
    [load('REPLACE'), [...loadSteps, ...more]],
    [load('UPSERT'), [...loadSteps, ...more]],
    [load('UPSERT', true), [...loadSteps, ...more]],
    [load('APPEND'), [...loadSteps, ...more]],
    [restore('data', 'style'), [...restoreSteps, ...moreRestored]],
    [restore('data'), [...restoreSteps, ...moreRestored]],
    [restore('style'), ['restore.asked', 'restore.published', 'restore.returned']],
    [{ kind: 'style' }, ['change.written']],
    [{ kind: 'remove' }, canRemove ? ['delete.noted', 'delete.aside', 'delete.told'] : []],
    [{ kind: 'prune' }, ['prune.told', 'prune.dropped']],
  ]
  const plain = deeds.flatMap(([deed, steps]) => roundsOf(deed, steps))
  const twice = plain.flatMap((round): Round[] => {
    const again = settlings[round.step]
    return again === undefined ? [] : [{ ...round, again }]
  })
  const swept = plain.filter(({ step }) => step === 'prune.told')
  const edited = roundsOf({ kind: 'edit' }, [...editSteps, ...moreEdited])
  // Later additions go at the end, so that a seed keeps meaning the same kills.
  return [
    ...plain,
    ...twice,
    ...swept.map((round): Round => ({ ...round, again: 'sweep.dropped' })),
    ...edited,
  ]
}

/** Orders the rounds by the seed, with loads first, which create versions to restore. */
export function inOrder<Any>(rounds: readonly Any[], random: () => number): Any[] {
  return rounds
    .map((round) => ({ round, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ round }) => round)
}

export function nameOf({ deed, step, again }: Round): string {
  const { kind, ...rest } = deed
  const how = 'mode' in rest ? ` ${rest.mode}${rest.deleteMissing ? ' that deletes' : ''}` : ''
  const what = 'what' in rest ? ` of ${rest.what.join(' and ')}` : ''
  return `${kind}${how}${what}, killed behind ${step}${again === undefined ? '' : `, then behind ${again}`}`
}
