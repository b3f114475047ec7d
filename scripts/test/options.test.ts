import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parseOptions } from './options.ts'

it('reads files, the tier and shards, and passes options on to the test runner', () => {
  assert.deepEqual(parseOptions([]), { tier: 'standard', files: [], shards: [], isTimes: false, runner: [] })
  assert.deepEqual(
    parseOptions([
      '--tier',
      'extended',
      '--shard',
      'browser 2',
      '--times',
      'a.test.ts',
      '--test-name-pattern=x',
    ]),
    {
      tier: 'extended',
      files: ['a.test.ts'],
      shards: ['browser 2'],
      isTimes: true,
      runner: ['--test-name-pattern=x'],
    },
  )
  assert.throws(() => parseOptions(['--tier', 'nightly']), /standard, extended, release, not "nightly"/)
})
