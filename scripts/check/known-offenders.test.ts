import assert from 'node:assert/strict'
import { it } from 'node:test'
import { moreThanKnown } from './known-offenders.ts'

it('refuses more than is known', () => {
  const found = Array.from({ length: 1000 }, (_, index) => `place ${index}`)
  assert.match(moreThanKnown('functions of more than 80 lines', found).at(-1) ?? '', /^1000 functions/)
  assert.deepEqual(moreThanKnown('functions of more than 80 lines', []), [])
})
