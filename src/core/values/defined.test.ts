import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { defined, without } from './defined.ts'

describe('defined', () => {
  it('leaves out what is undefined and keeps every other empty value', () => {
    const values = { a: undefined, b: null, c: 0, d: '', e: false }
    assert.deepEqual(defined(values), { b: null, c: 0, d: '', e: false })
    assert.deepEqual(Object.keys(defined(values)), ['b', 'c', 'd', 'e'])
  })

  it('is taken where a key may be absent but not undefined', () => {
    const charset: string | undefined = process.argv0 === '' ? 'latin1' : undefined
    const options: { file: string; charset?: string } = defined({ file: 'a.csv', charset })
    assert.deepEqual(options, { file: 'a.csv' })
  })
})

describe('without', () => {
  it('drops the keys it is told and leaves the object as it was', () => {
    const task = { id: 1, run: 2, load: 3 }
    const rest: { id: number } = without(task, 'run', 'load')
    assert.deepEqual(rest, { id: 1 })
    assert.deepEqual(task, { id: 1, run: 2, load: 3 })
  })
})
