import { channel } from 'node:diagnostics_channel'

/**
 * Steps of the protocols by which layers change, each named after the action just completed: a process may
 * die after any of them. `load.` is a task of an import, `commit.` is shared by loads and restores, `edit.`
 * is one feature, `settle.` is the recovery of either at start.
 */
export const protocolSteps = [
  'load.aimed',
  'load.touched',
  'load.staged',
  'load.noted',
  'load.announced',
  'load.committed',
  'load.published',
  'commit.prepared',
  'commit.recorded',
  'commit.locked',
  'commit.done',

  'restore.asked',
  'restore.kept',
  'restore.touched',
  'restore.noted',
  'restore.announced',
  'restore.committed',
  'restore.published',
  'restore.returned',
  'edit.touched',
  'edit.noted',
  'edit.committed',
  'edit.published',
  'settle.swept',
  'settle.given-up',
  'settle.published',
  'change.written',
  'delete.noted',
  'delete.aside',
  'delete.told',
  'delete.finished',
  'prune.told',
  'prune.dropped',
  'sweep.found',
  'sweep.dropped',
] as const

export type ProtocolStep = (typeof protocolSteps)[number]

/** Publishes the steps to subscribers in this process; a server has none. */
export const stepChannel = 'terrane.step'

const steps = channel(stepChannel)

/** Publishes a completed step. */
export function passStep(step: ProtocolStep): void {
  if (steps.hasSubscribers) steps.publish(step)
}
