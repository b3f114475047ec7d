import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { TaskRecord } from '../model/model.ts'
import { findSurplus } from './sweep-dry-runs.ts'

const retainedRows = (sizeBytes: number) => ({
  text: '',
  schema: { attributes: [], geometry: undefined },
  indexes: [],
  rowsRead: 1,
  sizeBytes,
})

const taskOf = (id: number, at: string, sizeBytes?: number): TaskRecord => ({
  importId: 0,
  id,
  state: 'READY',
  sortKey: '',
  revision: 0,
  updatedAt: '',
  updateMode: 'CREATE',
  folder: '',
  isUploaded: false,
  files: [],
  isDirect: false,
  transforms: [],
  nextTransformId: 0,
  messages: [],
  trial: { at, mode: 'CREATE', ...(sizeBytes === undefined ? {} : { laidBy: retainedRows(sizeBytes) }) },
})

const limits = { now: new Date('2030-01-02T00:00:00Z'), hours: 24, bytes: 100 }
const surplusOf = (...tasks: TaskRecord[]): number[] => findSurplus(tasks, limits).map(({ id }) => id)

describe('dry runs that are kept', () => {
  it('go when they are too old', () => {
    const [old, young] = [taskOf(1, '2029-12-31T23:59:59.000Z'), taskOf(2, '2030-01-01T00:00:01.000Z')]
    assert.deepEqual(surplusOf(old, young), [1])
  })

  it('go when they take too much together, the oldest first', () => {
    const tasks = [1, 2, 3].map((id) => taskOf(id, `2030-01-01T12:00:0${id}.000Z`, 40))
    assert.deepEqual(surplusOf(...tasks), [1])
    assert.deepEqual(surplusOf(taskOf(9, '2030-01-01T12:00:00.000Z', 101)), [9])
  })

  it('stay where they take no room', () => {
    assert.deepEqual(
      surplusOf(taskOf(2, '2030-01-01T12:00:09.000Z', 100), taskOf(1, '2030-01-01T12:00:00.000Z')),
      [],
    )
  })
})
