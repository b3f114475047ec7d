import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { ImportEvent, ImportState, TaskEvent, TaskState } from './states.ts'
import {
  findings,
  importStates,
  nextImportState,
  nextTaskState,
  runnableStates,
  taskStates,
} from './states.ts'

const anyTasks = fc.array(fc.constantFrom(...taskStates), { maxLength: 5 })
const anyImportEvent: fc.Arbitrary<ImportEvent> = fc.oneof(
  fc.boolean().map((isReady): ImportEvent => ({ type: 'prepared', isReady })),
  fc.constantFrom<ImportEvent>({ type: 'prepare-failed' }, { type: 'prepare-again' }, { type: 'started' }),
  fc
    .tuple(anyTasks, fc.boolean())
    .map(([tasks, isRunActive]): ImportEvent => ({ type: 'tasks-changed', tasks, isRunActive })),
)

const changed = (state: ImportState, ...tasks: TaskState[]) =>
  nextImportState(state, { type: 'tasks-changed', tasks, isRunActive: false })

describe('nextTaskState', () => {
  it('starts what is READY, CANCELED or ERROR, and nothing else', () => {
    for (const state of taskStates) {
      const expected = ['READY', 'CANCELED', 'ERROR'].includes(state) ? 'RUNNING' : undefined
      assert.equal(nextTaskState(state, { type: 'started' }), expected, state)
    }
  })

  it('never leaves COMPLETE', () => {
    const events: TaskEvent[] = [
      ...findings.map((finding): TaskEvent => ({ type: 'examined', finding })),
      { type: 'started' },
      { type: 'completed' },
      { type: 'failed' },
      { type: 'canceled' },
    ]
    for (const event of events) assert.equal(nextTaskState('COMPLETE', event), undefined, event.type)
  })

  it('completes only what runs', () => {
    for (const state of taskStates) {
      assert.equal(
        nextTaskState(state, { type: 'completed' }),
        state === 'RUNNING' ? 'COMPLETE' : undefined,
        state,
      )
    }
  })

  it('does not examine a running task', () => {
    assert.equal(nextTaskState('RUNNING', { type: 'examined', finding: 'READY' }), undefined)
    assert.equal(nextTaskState('NO_CRS', { type: 'examined', finding: 'READY' }), 'READY')
    assert.equal(nextTaskState('ERROR', { type: 'examined', finding: 'READY' }), 'READY')
  })
})

describe('nextImportState', () => {
  it('gives READY only to a preparation that says so, and keeps it while every task is READY', () => {
    assert.equal(nextImportState('INIT', { type: 'prepared', isReady: true }), 'READY')
    assert.equal(nextImportState('INIT', { type: 'prepared', isReady: false }), 'PENDING')
    fc.assert(
      fc.property(fc.constantFrom(...importStates), anyImportEvent, (state, event) => {
        if (nextImportState(state, event) !== 'READY') return
        assert.ok(state === 'INIT' || state === 'READY')
      }),
    )
    assert.equal(changed('READY', 'READY'), 'READY')
    assert.equal(changed('READY', 'NO_CRS'), 'PENDING')
  })

  it('starts from PENDING, READY and COMPLETE_ERROR alone', () => {
    for (const state of importStates) {
      const isPossible = ['PENDING', 'READY', 'COMPLETE_ERROR'].includes(state)
      assert.equal(nextImportState(state, { type: 'started' }), isPossible ? 'RUNNING' : undefined, state)
    }
  })

  it('follows its tasks: running, all complete, complete with errors, unfinished', () => {
    const after = (...tasks: TaskState[]) => changed('RUNNING', ...tasks)
    assert.equal(after('COMPLETE', 'RUNNING', 'READY'), 'RUNNING')
    assert.equal(after('COMPLETE', 'COMPLETE'), 'COMPLETE')
    assert.equal(after('COMPLETE', 'ERROR'), 'COMPLETE_ERROR')
    assert.equal(after('ERROR', 'NO_CRS'), 'PENDING')
    assert.equal(after('COMPLETE', 'CANCELED'), 'PENDING')
    assert.equal(after(), 'PENDING')
  })

  it('stays RUNNING while a run has tasks to come', () => {
    const event = { type: 'tasks-changed', tasks: ['COMPLETE', 'READY'], isRunActive: true } as const
    assert.equal(nextImportState('RUNNING', event), 'RUNNING')
  })

  it('takes INIT_ERROR to PENDING when a task is added, and back to INIT to try again', () => {
    assert.equal(changed('INIT_ERROR', 'READY'), 'PENDING')
    assert.equal(changed('INIT_ERROR'), 'INIT_ERROR')
    assert.equal(nextImportState('INIT_ERROR', { type: 'prepare-again' }), 'INIT')
  })

  it('reaches a final or waiting state from every state once its tasks have ended', () => {
    const ended = fc.array(fc.constantFrom(...taskStates.filter((state) => state !== 'RUNNING')))
    fc.assert(
      fc.property(
        fc.constantFrom(...importStates.filter((state) => state !== 'INIT')),
        ended,
        (state, tasks) => {
          const next = changed(state, ...tasks)
          assert.ok(next !== undefined && next !== 'RUNNING' && next !== 'INIT')
          if (next === 'COMPLETE_ERROR') assert.ok(tasks.includes('ERROR'))
          if (next === 'PENDING' && tasks.length > 0) {
            assert.ok(tasks.some((task) => !['COMPLETE', 'ERROR'].includes(task)))
          }
        },
      ),
    )
    assert.deepEqual(runnableStates, ['READY', 'CANCELED', 'ERROR'])
  })
})
