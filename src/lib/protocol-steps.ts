import { channel } from 'node:diagnostics_channel'

/**
 * The steps of the protocols by which layers change, each named after what has just been done: a process may die behind any of
 * them. `load.` is a task of an import, `commit.` what a load and a restore have in common, `edit.` one feature, `settle.` what a start does of either.
 */
export const protocolSteps = [
  ...[
    'load.aimed',
    'load.touched',
    'load.staged',
    'load.noted',
    'load.announced',
    'load.committed',
    'load.published',
  ],
  ...['commit.prepared', 'commit.recorded', 'commit.locked', 'commit.done'],
  ...[
    'restore.asked',
    'restore.kept',
    'restore.touched',
    'restore.noted',
    'restore.announced',
    'restore.committed',
  ],
  ...['restore.published', 'restore.returned'],
  ...['edit.touched', 'edit.noted', 'edit.committed', 'edit.published'],
  ...['settle.swept', 'settle.given-up', 'settle.published'],
  ...['change.written', 'delete.noted', 'delete.aside', 'delete.told', 'delete.finished'],
  ...['prune.told', 'prune.dropped', 'sweep.found', 'sweep.dropped'],
] as const

export type ProtocolStep = (typeof protocolSteps)[number]

/** Where the steps are told, to whoever subscribes within the process; nobody does in a server. */
export const stepChannel = 'terrane.step'

const steps = channel(stepChannel)

/** Tells that a step was done. */
export function passStep(step: ProtocolStep): void {
  if (steps.hasSubscribers) steps.publish(step)
}
