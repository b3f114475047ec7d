import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { MapLayer } from '../../../catalog/index.ts'
import { restoreUnseen } from './unseen-layers.ts'

const named = (...names: string[]): MapLayer[] => names.map((name) => ({ name, opacity: 1, isVisible: true }))
const namesOf = (layers: MapLayer[]): string => layers.map(({ name }) => name).join(' ')

describe('restoreUnseen', () => {
  it('keeps layers that the editor cannot see at their height', () => {
    const layers = restoreUnseen(named('a', 'secret', 'b', 'hidden'), named('a', 'b'), named('b', 'c', 'a'))
    assert.equal(namesOf(layers), 'b secret c hidden a')
  })

  it('puts them on top of a map with fewer layers', () => {
    assert.equal(namesOf(restoreUnseen(named('a', 'b', 'secret'), named('a', 'b'), [])), 'secret')
  })

  it('leaves out what the editor removed, and does not repeat what was added again', () => {
    const layers = restoreUnseen(named('a', 'b', 'secret'), named('a', 'b'), named('secret', 'a'))
    assert.equal(namesOf(layers), 'secret a')
  })
})
