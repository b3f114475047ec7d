import assert from 'node:assert/strict'
import { it } from 'node:test'
import { reaches } from './reach.ts'

it('tells whether a file imports another, also through others and in circles', () => {
  const files = [
    { path: 'a', imports: ['b'] },
    { path: 'b', imports: ['c', 'a'] },
    { path: 'c', imports: [] },
    { path: 'd', imports: ['d'] },
  ]
  assert.equal(reaches(files, 'a', 'c'), true)
  assert.equal(reaches(files, 'c', 'a'), false)
  assert.equal(reaches(files, 'd', 'a'), false)
})
