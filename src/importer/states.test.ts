import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { ImportEvent, TaskEvent } from './states.ts'
import {
  findings,
  importStates,
  nextImportState,
  nextTaskState,
  runnableStates,
  taskStates,
} from './states.ts'

const queued = (state: (typeof taskStates)[number]) => ({ state, isQueued: false })
const anyTasks = fc.array(fc.record({ state: fc.constantFrom(...taskStates), isQueued: fc.boolean() }), {
  maxLength: 5,
})
const anyImportEvent: fc.Arbitrary<ImportEvent> = fc.oneof(
  fc.boolean().map((isReady): ImportEvent => ({ type: 'prepared', isReady })),
  fc.constantFrom<ImportEvent>({ type: 'prepare-failed' }, { type: 'prepare-again' }, { type: 'started' }),
  anyTasks.map((tasks): ImportEvent => ({ type: 'tasks-changed', tasks })),
)

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
    assert.equal(nextImportState('READY', { type: 'tasks-changed', tasks: [queued('READY')] }), 'READY')
    assert.equal(nextImportState('READY', { type: 'tasks-changed', tasks: [queued('NO_CRS')] }), 'PENDING')
  })

  it('starts from PENDING, READY and COMPLETE_ERROR alone', () => {
    for (const state of importStates) {
      const isPossible = ['PENDING', 'READY', 'COMPLETE_ERROR'].includes(state)
      assert.equal(nextImportState(state, { type: 'started' }), isPossible ? 'RUNNING' : undefined, state)
    }
  })

  it('follows its tasks: running, all complete, complete with errors, unfinished', () => {
    const after = (...tasks: (typeof taskStates)[number][]) =>
      nextImportState('RUNNING', { type: 'tasks-changed', tasks: tasks.map(queued) })
    assert.equal(after('COMPLETE', 'RUNNING', 'READY'), 'RUNNING')
    assert.equal(after('COMPLETE', 'COMPLETE'), 'COMPLETE')
    assert.equal(after('COMPLETE', 'ERROR'), 'COMPLETE_ERROR')
    assert.equal(after('ERROR', 'NO_CRS'), 'PENDING')
    assert.equal(after('COMPLETE', 'CANCELED'), 'PENDING')
    assert.equal(after(), 'PENDING')
  })

  it('stays RUNNING while a task waits for its turn', () => {
    const tasks = [queued('COMPLETE'), { state: 'READY' as const, isQueued: true }]
    assert.equal(nextImportState('RUNNING', { type: 'tasks-changed', tasks }), 'RUNNING')
  })

  it('takes INIT_ERROR to PENDING when a task is added, and back to INIT to try again', () => {
    assert.equal(
      nextImportState('INIT_ERROR', { type: 'tasks-changed', tasks: [queued('READY')] }),
      'PENDING',
    )
    assert.equal(nextImportState('INIT_ERROR', { type: 'tasks-changed', tasks: [] }), 'INIT_ERROR')
    assert.equal(nextImportState('INIT_ERROR', { type: 'prepare-again' }), 'INIT')
  })

  it('reaches a final or waiting state from every state once its tasks have ended', () => {
    const ended = fc.array(
      fc.record({
        state: fc.constantFrom(...taskStates.filter((state) => state !== 'RUNNING')),
        isQueued: fc.constant(false),
      }),
    )
    fc.assert(
      fc.property(
        fc.constantFrom(...importStates.filter((state) => state !== 'INIT')),
        ended,
        (state, tasks) => {
          const next = nextImportState(state, { type: 'tasks-changed', tasks })
          assert.ok(next !== undefined && next !== 'RUNNING' && next !== 'INIT')
          if (next === 'COMPLETE_ERROR') assert.ok(tasks.some((task) => task.state === 'ERROR'))
          if (next === 'PENDING' && tasks.length > 0) {
            assert.ok(tasks.some((task) => !['COMPLETE', 'ERROR'].includes(task.state)))
          }
        },
      ),
    )
    assert.deepEqual(runnableStates, ['READY', 'CANCELED', 'ERROR'])
  })
})
